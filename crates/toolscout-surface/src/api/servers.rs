//! Servers: which there are and how they are, and all that can be done with them.

mod wire;

pub use wire::{Action, Logs, NewServer, PolicyWord, Server, ServerChange};

use super::asked::Asked;
use super::{Code, Route, Trouble};
use crate::ops::servers::Tested;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::SourceId;

#[derive(Serialize, JsonSchema)]
struct All {
    servers: Vec<Server>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    server: Server,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Control {
    /// What to do.
    action: Action,
}

/// What was begun.
#[derive(Serialize, JsonSchema)]
struct Begun {
    /// `starting`, `stopping`, `restarting`, `enabled`, `disabled` or `discovering`; `discovered` for who has waited.
    status: &'static str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Refresh {
    /// Whether to answer only when the server has.
    #[serde(default)]
    wait: bool,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/servers", "All servers, and how they are", list),
        Route::told("POST", "/api/servers", "Add a server; its tools wait for a review", add)
            .operator()
            .status(StatusCode::CREATED),
        Route::get("/api/servers/{id}", "One server, and how it is", one),
        Route::told("PUT", "/api/servers/{id}", "Change a server: what is given replaces what is there", change)
            .operator(),
        Route::delete("/api/servers/{id}", "Take a server out of the configuration, and forget its tools", remove)
            .operator(),
        Route::told(
            "POST",
            "/api/servers/{id}/control",
            "Start, stop or restart a server, or turn it on or off",
            control,
        )
        .operator()
        .status(StatusCode::ACCEPTED),
        Route::get("/api/servers/{id}/test", "Start a server, ask it for its tools, and end it again", test)
            .post()
            .operator(),
        Route::get("/api/servers/{id}/refresh", "Ask a server anew what tools it has", refresh)
            .post()
            .query::<Refresh>()
            .operator()
            .status(StatusCode::ACCEPTED),
        Route::get("/api/servers/{id}/logs", "The last a server said beside the protocol", logs).operator(),
    ]
}

async fn list(asked: Asked) -> Result<All, Trouble> {
    let servers = asked.api.desk.servers(asked.cx.clone()).await?;
    Ok(All { servers })
}

async fn one(asked: Asked) -> Result<One, Trouble> {
    let id = asked.server()?;
    let servers = asked.api.desk.servers(asked.cx.clone()).await?;
    let server = servers.into_iter().find(|it| it.id == id.as_str());
    server.map(|server| One { server }).ok_or_else(|| Trouble::not_found("Server"))
}

/// D-18: a second one of the id is none.
async fn add(asked: Asked, new: NewServer) -> Result<One, Trouble> {
    let id = SourceId::new(&new.id)
        .map_err(|it| Trouble::invalid(format!("`id`: {it}")).hint(format!("call it `{}`", it.nearest)))?;
    if SourceId::RESERVED.contains(&id.as_str()) {
        return Err(Trouble::invalid(format!("`id`: `{id}` is a name that toolscout itself gives")));
    }
    new.check()?;
    if asked.api.desk.discoveries(&asked.cx).contains_key(&id) {
        return Err(Trouble::new(Code::DuplicateServer, format!("Server '{id}' already exists"))
            .hint(format!("change it with `PUT /api/servers/{id}`, or choose another id")));
    }
    let server = asked.api.desk.add_server(new, asked.cx.clone()).await?;
    asked.cx.decided("server", &id, "added");
    Ok(One { server })
}

async fn change(asked: Asked, change: ServerChange) -> Result<One, Trouble> {
    let id = known(&asked)?;
    change.check()?;
    let server = asked.api.desk.change_server(id.clone(), change, asked.cx.clone()).await?;
    asked.cx.decided("server", &id, "changed");
    Ok(One { server })
}

async fn remove(asked: Asked) -> Result<(), Trouble> {
    let id = known(&asked)?;
    asked.api.desk.remove_server(id.clone(), asked.cx.clone()).await?;
    asked.cx.decided("server", &id, "removed");
    Ok(())
}

/// D-19.
async fn control(asked: Asked, control: Control) -> Result<Begun, Trouble> {
    let id = known(&asked)?;
    asked.api.desk.control_server(id.clone(), control.action, asked.cx.clone()).await?;
    let status = control.action.status();
    if matches!(control.action, Action::Enable | Action::Disable) {
        asked.cx.decided("server", &id, status);
    }
    Ok(Begun { status })
}

/// D-20.
async fn test(asked: Asked) -> Result<Tested, Trouble> {
    let id = known(&asked)?;
    asked.api.desk.test_server(id, asked.cx.clone()).await
}

async fn refresh(asked: Asked) -> Result<Begun, Trouble> {
    let id = known(&asked)?;
    let Refresh { wait } = asked.query()?;
    asked.api.desk.refresh_server(id, wait, asked.cx.clone()).await?;
    Ok(Begun { status: if wait { "discovered" } else { "discovering" } })
}

async fn logs(asked: Asked) -> Result<Logs, Trouble> {
    let id = known(&asked)?;
    asked.api.desk.logs(id).await
}

fn known(asked: &Asked) -> Result<SourceId, Trouble> {
    let id = asked.server()?;
    match asked.api.desk.discoveries(&asked.cx).contains_key(&id) {
        true => Ok(id),
        false => Err(Trouble::not_found("Server")),
    }
}

//! What a project has: its own tools first, then those of its servers, each with its policy and how it was found.

mod entry;
mod rendered;

pub use entry::AvailableTool;
pub(super) use entry::{Entries, is_internal, servers};
pub(super) use rendered::Rendered;

use super::answer::{Answer, JSON};
use super::asked::Asked;
use super::{OperationError, Route};
use axum::body::Bytes;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::door::Policy;
use toolscout_gateway::CatalogView;
use toolscout_gateway::policy::{Mode, Policies};

/// All projects: there is one for each process.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Projects {
    projects: Vec<Project>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Project {
    /// Stands for it in addresses, as `current` does.
    id: String,
    /// What people call it.
    name: String,
    /// Whether it is the one that is served.
    current: bool,
    /// How many servers it has.
    servers: usize,
    /// How many tools it has.
    tools: usize,
}

/// What is configured, and what there is.
#[derive(Serialize, JsonSchema)]
pub(super) struct Configured<'a> {
    pub(super) configuration: Configuration<'a>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Configuration<'a> {
    /// Of the project, or of the session.
    pub(super) id: &'a str,
    /// What people call it.
    pub(super) name: &'a str,
    /// What may be done with tools that nobody has said anything about: `allow`, `ask`, `deny` or `disable`.
    pub(super) default_policy: &'static str,
    /// How policies are taken: `normal`, `read-only` or `allow-all`.
    pub(super) mode: &'static str,
    /// Of a session: `runtime` where servers run and were asked, else `cached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<&'static str>,
    /// Native tools first, then those of servers.
    pub(super) available_tools: Vec<AvailableTool<'a>>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/projects", "The project that is served", projects),
        Route::written::<Configured<'_>, _>(
            "/api/projects/{id}/configuration",
            "What a project has: every tool, its policy and how it was found",
            configuration,
        ),
    ]
}

async fn projects(asked: Asked) -> Result<Projects, OperationError> {
    let desk = &asked.api.desk;
    let tools = asked.view().await.snapshot().len();
    let servers = desk.discoveries(&asked.cx).len();
    let (id, name) = (desk.project_id(), desk.project_name());
    Ok(Projects { projects: vec![Project { id, name, current: true, servers, tools }] })
}

/// D-17: of another project nothing is known here.
async fn configuration(asked: Asked) -> Result<Answer, OperationError> {
    let desk = &asked.api.desk;
    let id = desk.project_id();
    if ![id.as_str(), "current"].contains(&asked.part("id")) {
        return Err(OperationError::not_found("Project"));
    }
    let gateway = asked.gateway();
    let view = gateway.view(&asked.cx).await;
    let discoveries = desk.discoveries(&asked.cx);
    let name = desk.project_name();
    let bytes = asked.api.rendered.or_render(&gateway, &view, discoveries, |discoveries| {
        let snapshot = view.snapshot();
        let policies = gateway.policies();
        let entries = Entries { policies: &policies, discoveries };
        let available_tools = entries.of_snapshot(&snapshot);
        written(&Configured { configuration: Configuration::new(&id, &name, &policies, None, available_tools) })
    });
    Ok(Answer::bytes(StatusCode::OK, JSON, bytes))
}

impl<'a> Configuration<'a> {
    pub(super) fn new(
        id: &'a str,
        name: &'a str,
        policies: &Policies,
        source: Option<&'static str>,
        available_tools: Vec<AvailableTool<'a>>,
    ) -> Self {
        let default_policy = default_policy(policies).word();
        Self { id, name, default_policy, mode: mode(policies.mode), source, available_tools }
    }
}

/// As they are told, with nothing of one request in them that is not for all.
pub(super) fn written(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// What the levels say together of what none of their rules names.
fn default_policy(policies: &Policies) -> Policy {
    policies.levels.iter().filter_map(|it| it.default).max().unwrap_or_default()
}

/// `normal`, `read-only` or `allow-all`.
pub(super) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Normal => "normal",
        Mode::ReadOnly => "read-only",
        Mode::AllowAll => "allow-all",
    }
}

/// Whether what is rendered may be shown to others.
fn is_for_all(view: &CatalogView) -> bool {
    !view.is_private()
}

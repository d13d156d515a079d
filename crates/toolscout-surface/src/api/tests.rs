//! 1. Every route that is for operators is shut to agents, and every guarded one to whom nobody knows.
//! 2. No foreign page and no foreign name gets in, on any route.
//! 3. The document says everything that is in the table, and nothing else; each schema in it can be used.
//! 4. Whatever is refused under `/api`, and by whomever, is refused in one shape.
//! 5. Who looks on sees what they may, and is told what they have missed.
//! 6. What a request says wrongly is told by name.

mod document;
mod doors;
mod looking;
mod wrong;

use super::{Api, Desk, Discovery, Events, OperationRouter};
use crate::http::fixture::{Answer, Site, Wire};
use crate::http::{Listener, Routes, Terms};
use crate::mcp::meta::fixture;
use crate::operation::Operations;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Caller, Cx, SourceId, Tool};
use toolscout_gateway::Gateway;

const TOOLS: &str = r#"
    app/hello -- Says hello
    mail/send -- Sends a letter -- {"type":"object","properties":{"to":{"type":"string"}}}
"#;

/// A desk with nothing behind it but a gateway.
struct Bare(Arc<Gateway>);

impl Desk for Bare {
    fn gateway(&self) -> Arc<Gateway> {
        self.0.clone()
    }

    fn everything(&self) -> Arc<Gateway> {
        self.0.clone()
    }

    fn request(&self) -> Cx {
        Cx::new(Caller::Http)
    }

    fn project_id(&self) -> String {
        "abc".to_owned()
    }

    fn project_name(&self) -> String {
        "project".to_owned()
    }

    fn discoveries(&self, _: &Cx) -> BTreeMap<SourceId, Discovery> {
        let mail = SourceId::new("mail").expect("an id");
        BTreeMap::from([(mail, Discovery { status: "success", last: None })])
    }

    fn live(&self) -> BTreeMap<SourceId, Vec<Arc<Tool>>> {
        BTreeMap::new()
    }
}

/// The API alone, on a listener of its own.
async fn site(terms: Terms, events: Events) -> Site {
    let gateway = tokio::task::spawn_blocking(|| fixture::gateway(TOOLS)).await.expect("a gateway");
    let listener = Listener::bind(terms).await.expect("bound");
    let api = Api::new(
        Arc::new(Bare(Arc::new(gateway))),
        OperationRouter::new(Operations::default(), Cx::new(Caller::Http), listener.limits().clone()),
        events,
        listener.limits().clone(),
        listener.ending(),
    );
    Site::serve(listener, api.add_to(Routes::new()))
}

/// What is asked: a method, a path, and a body where there is one. Headers are whole lines.
fn request(method: &str, path: &str, headers: &[&str], body: Option<&str>) -> String {
    let headers: String = headers.iter().map(|it| format!("{it}\r\n")).collect();
    let body = body.map_or("\r\n".to_owned(), |body| {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    });
    format!("{method} {path} HTTP/1.1\r\n{headers}{body}")
}

async fn ask(site: &Site, method: &str, path: &str, headers: &[&str], body: Option<&str>) -> Answer {
    site.ask(request(method, path, headers, body)).await
}

/// Something to put where a path has a name in braces.
fn filled(path: &str) -> String {
    path.replace("{id}", "mail").replace("{source}", "mail").replace("{*name}", "send")
}

/// Only the beginning of an answer: a stream goes on.
async fn begun(site: &Site, request: String) -> (Wire, Answer) {
    let mut wire = site.dial().await;
    wire.send(request).await;
    let head = wire.head().await;
    (wire, head)
}

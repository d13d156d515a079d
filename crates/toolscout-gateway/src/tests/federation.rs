//! Remote gateways behind a gateway.

mod calls;
mod remote;
mod searches;

use super::actor::{Actor, agent};
use crate::delegation;
use crate::policy::{LevelName, Policies};
use crate::{Error, Gateway, Query, SearchHit};
use remote::Remote;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, PolicyRules, ToolOutput};

/// A gateway with these sources, and a server of its own that sends mails.
async fn gateway(remotes: &[&Arc<Remote>], rules: &[(&str, Policy)]) -> Gateway {
    let level = rules
        .iter()
        .fold(PolicyRules::default(), |level, (pattern, policy)| level.rule(*pattern, *policy));
    let mail = Actor::new(
        "mail",
        &["send_email: Sends an email to somebody", "list_emails: Lists emails"],
    );
    let builder = Gateway::builder()
        .policies(Policies::new().with(LevelName::Global, level))
        .source(Arc::new(mail));
    let builder =
        remotes.iter().fold(builder, |builder, remote| builder.source(Arc::clone(*remote) as _));
    let gateway = builder.build().unwrap();
    gateway.refresh(&agent()).await;
    gateway
}

fn issue() -> Value {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]});
    json!({"id": "github/create_issue", "name": "create_issue", "description": "Opens an issue", "score": 0.8,
        "digest": "abc", "inputSchema": schema})
}

fn remote(results: Value) -> Arc<Remote> {
    Arc::new(Remote::new("remote", results))
}

async fn search(
    gateway: &Gateway,
    text: &str,
    limit: usize,
    cx: &Cx,
) -> (Vec<SearchHit>, Vec<String>) {
    let view = gateway.view(cx).await;
    let query = Query { limit, ..Query::new(text) };
    gateway.search_remote(&view, &query, view.search(&query), cx).await
}

fn ids(hits: &[SearchHit]) -> Vec<String> {
    hits.iter().map(|hit| hit.tool.id.to_string()).collect()
}

async fn call(gateway: &Gateway, name: &str, arguments: Value) -> Result<ToolOutput, Error> {
    gateway.call(name, arguments.as_object().unwrap().clone(), agent()).await
}

#[test]
fn a_name_has_three_forms() {
    let forms = |value| delegation::forms(value).collect::<Vec<_>>();
    assert_eq!(forms("create_issue"), ["create_issue"]);
    assert_eq!(
        forms("github/create_issue"),
        ["github/create_issue", "github:create_issue", "github__create_issue"]
    );
    assert_eq!(forms("github__create"), ["github__create", "github/create", "github:create"]);
}

//! Definitions that wait for a person: what is odd about them, and what is different from before.

use super::asked::Asked;
use super::{OperationError, Route};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolscout_core::{Digest, SourceId, ToolId};
use toolscout_gateway::{DefinitionChange, Finding, Gateway, QuarantinedTool, Severity};

/// A tool that is held.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Review {
    /// `source/name`.
    tool: String,
    reason: String,
    /// Of the worst that was found; missing where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    findings: Vec<FindingView>,
    /// Against what was approved; where it is as approved again, what was different in between.
    changes: Vec<ChangeView>,
    /// Of the definition as it is now: what an approval is about.
    digest: String,
    /// Whether a person has already said no.
    rejected: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// As it is now, whole.
    definition: Value,
}

#[derive(Serialize, JsonSchema)]
struct FindingView {
    /// What sort of thing it is, in a few words.
    kind: String,
    severity: &'static str,
    /// What stands there, and where; not escaped.
    text: String,
    /// Where: a JSON pointer into the definition.
    at: String,
}

#[derive(Serialize, JsonSchema)]
struct ChangeView {
    /// Where: a JSON pointer into the definition.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct All {
    reviews: Vec<Review>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decide {
    /// About this one: `source/name`.
    #[serde(default)]
    tool: Option<String>,
    /// Or about all that this server has.
    #[serde(default)]
    server: Option<String>,
    decision: Decision,
    /// What was seen; if it is something else by now, nothing is decided.
    #[serde(default)]
    digest: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Decision {
    /// It may be used.
    Approve,
    /// It stays held.
    Reject,
}

#[derive(Serialize, JsonSchema)]
struct Decided {
    /// `approved` or `rejected`.
    decision: &'static str,
    /// How many tools that was about.
    tools: usize,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/reviews", "Tools that are held until a person has looked at them", list).operator(),
        Route::told("POST", "/api/reviews", "Approve or reject what is held", decide).operator(),
    ]
}

async fn list(asked: Asked) -> Result<All, OperationError> {
    let gateway = asked.api.desk.everything();
    Ok(All { reviews: gateway.held().iter().map(Review::from).collect() })
}

async fn decide(asked: Asked, decide: Decide) -> Result<Decided, OperationError> {
    let gateway = asked.api.desk.everything();
    let seen = match decide.digest.as_deref() {
        Some(text) => Some(Digest::from_hex(text).ok_or_else(|| OperationError::invalid("`digest` is no digest"))?),
        None => None,
    };
    let decision = if decide.decision == Decision::Approve { "approved" } else { "rejected" };
    let tools = match (decide.tool.as_deref(), decide.server.as_deref()) {
        (Some(tool), None) => {
            let id = tool_id(&gateway, tool)?;
            match decide.decision {
                Decision::Approve => gateway.approve(&id, seen, &asked.cx)?,
                Decision::Reject => gateway.reject(&id, seen, &asked.cx)?,
            }
            1
        }
        (None, Some(server)) if seen.is_none() => {
            let source = SourceId::new(server).map_err(|_| OperationError::not_found("Server"))?;
            match decide.decision {
                Decision::Approve => gateway.accept_all(&source, &asked.cx)?,
                Decision::Reject => gateway.reject_all(&source, &asked.cx)?,
            }
        }
        (None, Some(_)) => return Err(OperationError::invalid("`digest` is of one tool, and not of a server")),
        _ => return Err(OperationError::invalid("give either `tool` or `server`")),
    };
    Ok(Decided { decision, tools })
}

/// A disabled one can be decided about, too.
fn tool_id(gateway: &Gateway, text: &str) -> Result<ToolId, OperationError> {
    match gateway.whole_snapshot().resolve(text) {
        Ok(tool) => Ok(tool.id.clone()),
        Err(_) => Ok(gateway.resolve(text)?.id.clone()),
    }
}

impl From<&QuarantinedTool> for Review {
    fn from(held: &QuarantinedTool) -> Self {
        let worst = held.findings.iter().map(|it| it.severity).max();
        Self {
            tool: held.id.to_string(),
            reason: held.reason.clone(),
            severity: worst.map(Severity::word),
            findings: held.findings.iter().map(FindingView::from).collect(),
            changes: held.changes.iter().map(ChangeView::from).collect(),
            digest: held.digest.to_string(),
            rejected: held.is_rejected,
            since: held.since.map(|it| it.to_string()),
            definition: held.now.clone(),
        }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            kind: finding.kind.to_string(),
            severity: finding.severity.word(),
            text: finding.excerpt.clone(),
            at: finding.at.clone(),
        }
    }
}

impl From<&DefinitionChange> for ChangeView {
    fn from(change: &DefinitionChange) -> Self {
        Self { path: change.at.clone(), before: change.before.clone(), after: change.after.clone() }
    }
}

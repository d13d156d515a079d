//! What a person sees before they decide. Everything is shown, and everything is escaped.

use serde::Serialize;
use serde_json::Value;
use toolscout_core::door::PendingApproval;
use toolscout_core::escape;
use toolscout_gateway::{DefinitionChange, Finding, QuarantinedTool};
use toolscout_surface::output::json;

/// A held tool as `review --json` shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HeldView {
    tool: String,
    reason: String,
    rejected: bool,
    since: Option<String>,
    digest: String,
    findings: Vec<String>,
    /// Whether it is now, again, what was approved; the changes are then what it was in between.
    is_back: bool,
    changes: Vec<ChangeView>,
    definition: Value,
}

#[derive(Serialize)]
struct ChangeView {
    at: String,
    before: Option<String>,
    after: Option<String>,
}

impl From<&QuarantinedTool> for HeldView {
    fn from(held: &QuarantinedTool) -> Self {
        let change = |it: &DefinitionChange| ChangeView {
            at: it.at.clone(),
            before: it.before.clone(),
            after: it.after.clone(),
        };
        Self {
            tool: held.id.to_string(),
            reason: held.reason.clone(),
            rejected: held.is_rejected,
            since: held.since.map(|it| it.to_string()),
            digest: held.digest.to_string(),
            findings: held.findings.iter().map(ToString::to_string).collect(),
            is_back: held.is_back,
            changes: held.changes.iter().map(change).collect(),
            definition: held.now.clone(),
        }
    }
}

/// All held tools, one below the other.
pub(super) fn all(held: &[QuarantinedTool]) -> String {
    held.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// One held tool: what is odd about it first, then what changed, then all of it where nothing was approved before.
pub(super) fn one(held: &QuarantinedTool) -> String {
    let rejected = if held.is_rejected { " (rejected)" } else { "" };
    let mut out = format!("{}{rejected}\n  {}\n", line(&held.id.to_string()), line(&held.reason));
    out += &findings(&held.findings);
    if held.is_back {
        out += "  It is now again what was approved; in between it was:\n";
    }
    for change in &held.changes {
        out += &format!("  {}\n", line(&change.at));
        change.before.iter().for_each(|it| out += &marked('-', it));
        change.after.iter().for_each(|it| out += &marked('+', it));
    }
    if held.changes.is_empty() {
        json::pretty(&said(&held.now)).lines().for_each(|it| out += &format!("    {}\n", line(it)));
    }
    out
}

/// A line for each place where something was found: one text may be odd in many ways.
fn findings(findings: &[Finding]) -> String {
    let mut out = String::new();
    for (at, first) in findings.iter().enumerate() {
        let is_alike = |it: &&Finding| (it.kind, &it.at) == (first.kind, &first.at);
        if findings[..at].iter().any(|it| is_alike(&it)) {
            continue;
        }
        let more = match findings[at + 1..].iter().filter(is_alike).count() {
            0 => String::new(),
            count => format!(", and {count} more there"),
        };
        out += &format!("  ! {first}{more}\n");
    }
    out
}

/// What the definition says, without what it does not say.
fn said(definition: &Value) -> Value {
    let Value::Object(map) = definition else { return definition.clone() };
    let is_said = |it: &Value| !it.is_null() && it.as_array().is_none_or(|it| !it.is_empty());
    map.iter().filter(|(_, value)| is_said(value)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A pending approval.
pub(super) fn pending(pending: &PendingApproval) -> String {
    let answer = match pending.answer {
        Some(true) => ", answered yes",
        Some(false) => ", answered no",
        None => "",
    };
    let words = pending.rest.iter().map(|it| format!(" {it}")).collect::<String>();
    let rest = if words.is_empty() { words } else { format!(" --{words}") };
    let (id, tool) = (line(&pending.id), line(&pending.tool.to_string()));
    let (arguments, caller) = (line(&json::compact(&pending.arguments)), pending.caller.word());
    let expires = pending.expires;
    format!("{id}  {tool} {arguments}{}\n  asked by {caller}, good until {expires}{answer}\n", line(&rest))
}

fn marked(mark: char, text: &str) -> String {
    text.lines().map(|it| format!("    {mark} {}\n", line(it))).collect()
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

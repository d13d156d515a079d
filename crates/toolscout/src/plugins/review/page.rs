//! What a person sees before they decide. Everything is shown, and everything is escaped.

use serde::Serialize;
use serde_json::Value;
use toolscout_core::escape;
use toolscout_gateway::{Change, HeldTool, Pending};

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
    changes: Vec<ChangeView>,
    definition: Value,
}

#[derive(Serialize)]
struct ChangeView {
    at: String,
    before: Option<String>,
    after: Option<String>,
}

impl From<&HeldTool> for HeldView {
    fn from(held: &HeldTool) -> Self {
        let change = |it: &Change| ChangeView { at: it.at.clone(), before: it.before.clone(), after: it.after.clone() };
        Self {
            tool: held.id.to_string(),
            reason: held.reason.clone(),
            rejected: held.is_rejected,
            since: held.since.map(|it| it.to_string()),
            digest: held.digest.to_string(),
            findings: held.findings.iter().map(ToString::to_string).collect(),
            changes: held.changes.iter().map(change).collect(),
            definition: held.now.clone(),
        }
    }
}

/// One held tool: what is odd about it first, then what changed, then all of it where nothing was approved before.
pub(super) fn held(held: &HeldTool) -> String {
    let rejected = if held.is_rejected { " (rejected)" } else { "" };
    let mut out = format!("{}{rejected}\n  {}\n", line(&held.id.to_string()), line(&held.reason));
    held.findings.iter().for_each(|it| out += &format!("  ! {it}\n"));
    if held.is_back {
        out += "  It is now again what was approved; in between it was:\n";
    }
    for change in &held.changes {
        out += &format!("  {}\n", line(&change.at));
        change.before.iter().for_each(|it| out += &marked('-', it));
        change.after.iter().for_each(|it| out += &marked('+', it));
    }
    if held.changes.is_empty() {
        let whole = serde_json::to_string_pretty(&held.now).unwrap_or_default();
        whole.lines().for_each(|it| out += &format!("    {}\n", line(it)));
    }
    out
}

/// A call that waits for a yes.
pub(super) fn pending(pending: &Pending) -> String {
    let question = &pending.question;
    let arguments = serde_json::to_string(&question.arguments).unwrap_or_default();
    let answer = match pending.answer {
        Some(true) => ", answered yes",
        Some(false) => ", answered no",
        None => "",
    };
    let (id, tool) = (line(&question.id), question.tool.to_string());
    let caller = question.caller.word();
    format!(
        "{id}  {} {}\n  asked by {caller}, good until {}{answer}\n",
        line(&tool),
        line(&arguments),
        question.expires
    )
}

fn marked(mark: char, text: &str) -> String {
    text.lines().map(|it| format!("    {mark} {}\n", line(it))).collect()
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

//! A quarantined tool, for programs and for people.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolscout_core::escape;
use toolscout_gateway::{DefinitionChange, Finding, QuarantinedTool, Severity};
use toolscout_surface::output::json;

/// A quarantined tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Review")]
pub(super) struct ReviewView {
    /// `source/name`.
    tool: String,
    /// Why it is quarantined.
    reason: String,
    /// The highest severity of its findings; missing if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    findings: Vec<FindingView>,
    /// Whether the definition is again the approved one; the changes then are those in between.
    is_back: bool,
    /// What changed since it was approved.
    changes: Vec<ChangeView>,
    /// The digest of the present definition: what an approval is for.
    digest: String,
    /// Whether an operator has rejected it.
    rejected: bool,
    /// When it was quarantined.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The whole definition as it is now.
    definition: Value,
}

/// A suspicious text in a definition.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
struct FindingView {
    /// The kind of finding, in a few words.
    kind: String,
    severity: &'static str,
    /// The suspicious text; not escaped.
    text: String,
    /// Where it is: a JSON pointer into the definition.
    at: String,
    #[serde(skip)]
    line: String,
}

/// A difference between two definitions.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DefinitionChange")]
struct ChangeView {
    /// Where it is: a JSON pointer into the definition.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl From<&QuarantinedTool> for ReviewView {
    fn from(held: &QuarantinedTool) -> Self {
        let worst = held.findings.iter().map(|finding| finding.severity).max();
        Self {
            tool: held.id.to_string(),
            reason: held.reason.clone(),
            severity: worst.map(Severity::word),
            findings: held.findings.iter().map(FindingView::from).collect(),
            is_back: held.is_back,
            changes: held.changes.iter().map(ChangeView::from).collect(),
            digest: held.digest.to_string(),
            rejected: held.is_rejected,
            since: held.since.map(|moment| moment.to_string()),
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
            line: finding.to_string(),
        }
    }
}

impl From<&DefinitionChange> for ChangeView {
    fn from(change: &DefinitionChange) -> Self {
        Self { path: change.at.clone(), before: change.before.clone(), after: change.after.clone() }
    }
}

impl ReviewView {
    /// The findings first, then the changes, then the whole definition if no version was
    /// approved before. All text is escaped.
    pub(super) fn text(&self) -> String {
        let rejected = if self.rejected { " (rejected)" } else { "" };
        let mut out = format!("{}{rejected}\n  {}\n", line(&self.tool), line(&self.reason));
        out += &findings(&self.findings);
        if self.is_back {
            out += "  It matches the approved definition again; in between it was:\n";
        }
        for change in &self.changes {
            out += &format!("  {}\n", line(&change.path));
            change.before.iter().for_each(|text| out += &marked('-', text));
            change.after.iter().for_each(|text| out += &marked('+', text));
        }
        if self.changes.is_empty() {
            let definition = json::pretty(&without_empty_fields(&self.definition));
            definition.lines().for_each(|text| out += &format!("    {}\n", line(text)));
        }
        out
    }
}

/// One line for each place and kind: one text may have many findings.
fn findings(findings: &[FindingView]) -> String {
    let mut out = String::new();
    for (at, first) in findings.iter().enumerate() {
        let is_alike = |other: &&FindingView| (&other.kind, &other.at) == (&first.kind, &first.at);
        if findings[..at].iter().any(|other| is_alike(&other)) {
            continue;
        }
        let more = match findings[at + 1..].iter().filter(is_alike).count() {
            0 => String::new(),
            count => format!(", and {count} more there"),
        };
        out += &format!("  ! {}{more}\n", first.line);
    }
    out
}

fn without_empty_fields(definition: &Value) -> Value {
    let Value::Object(map) = definition else { return definition.clone() };
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    map.iter()
        .filter(|(_, value)| !is_empty(value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn marked(mark: char, text: &str) -> String {
    text.lines().map(|text| format!("    {mark} {}\n", line(text))).collect()
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

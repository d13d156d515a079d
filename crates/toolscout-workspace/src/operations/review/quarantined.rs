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
    /// Suspicious texts in the definition.
    findings: Vec<FindingView>,
    /// Whether the definition matches the approved one again; `changes` then shows the version in between.
    matches_approved: bool,
    /// Differences from the approved definition.
    changes: Vec<ChangeView>,
    /// The digest of the current definition; pass it with the decision.
    digest: String,
    /// Whether an operator has rejected it.
    rejected: bool,
    /// When it was quarantined.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The complete current definition.
    definition: Value,
}

/// A suspicious text in a definition.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
struct FindingView {
    /// The kind of finding.
    kind: String,
    /// `note` or `severe`.
    severity: &'static str,
    /// The suspicious text; not escaped.
    text: String,
    /// JSON pointer to the text in the definition.
    path: String,
    #[serde(skip)]
    line: String,
}

/// A difference between two definitions.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DefinitionChange")]
struct ChangeView {
    /// JSON pointer to the changed value.
    path: String,
    /// The approved value; missing if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The current value; missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl From<&QuarantinedTool> for ReviewView {
    fn from(tool: &QuarantinedTool) -> Self {
        let worst = tool.findings.iter().map(|finding| finding.severity).max();
        Self {
            tool: tool.id.to_string(),
            reason: tool.reason.clone(),
            severity: worst.map(Severity::as_str),
            findings: tool.findings.iter().map(FindingView::from).collect(),
            matches_approved: tool.is_reverted,
            changes: tool.changes.iter().map(ChangeView::from).collect(),
            digest: tool.digest.to_string(),
            rejected: tool.is_rejected,
            since: tool.since.map(|moment| moment.to_string()),
            definition: tool.now.clone(),
        }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            kind: finding.kind.to_string(),
            severity: finding.severity.as_str(),
            text: finding.excerpt.clone(),
            path: finding.at.clone(),
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
        if self.matches_approved {
            out += "  It matches the approved definition again; in between it was:\n";
        }
        for change in &self.changes {
            out += &format!("  {}\n", line(&change.path));
            change.before.iter().for_each(|text| out += &prefixed('-', text));
            change.after.iter().for_each(|text| out += &prefixed('+', text));
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
    for (index, first) in findings.iter().enumerate() {
        let is_same =
            |other: &&FindingView| (&other.kind, &other.path) == (&first.kind, &first.path);
        if findings[..index].iter().any(|other| is_same(&other)) {
            continue;
        }
        let more = match findings[index + 1..].iter().filter(is_same).count() {
            0 => String::new(),
            count => format!(", and {count} more"),
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

fn prefixed(mark: char, text: &str) -> String {
    text.lines().map(|text| format!("    {mark} {}\n", line(text))).collect()
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

//! All there is to know about one tool.

use crate::output::json;
use serde::Serialize;
use std::path::PathBuf;
use toolscout_core::{RawJson, Tool, Visibility, escape};
use toolscout_gateway::Gateway;

/// A tool as `describe --json` shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// `source/name`.
    pub id: String,
    /// What its source calls it.
    pub name: String,
    /// Whose tool it is.
    pub source: String,
    /// The same, for who knows sources as servers.
    pub server: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does; null where nobody said.
    pub description: Option<String>,
    /// More words it is found by.
    pub keywords: Vec<String>,
    /// Of its arguments, complete.
    pub input_schema: RawJson,
    /// Of its structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// Hints of its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<RawJson>,
    /// Who sees it without searching.
    pub visibility: Visibility,
    /// `ready`, `static`, `unprobed` or `unavailable`.
    pub status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file that describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Of the complete definition.
    pub digest: String,
    /// Tools of the same name that a bare name does not lead to; only where somebody asked for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed: Option<Vec<String>>,
}

impl From<&Tool> for Description {
    fn from(tool: &Tool) -> Self {
        Self {
            id: tool.id.to_string(),
            name: tool.id.name.to_string(),
            source: tool.id.source.to_string(),
            server: tool.id.source.to_string(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            keywords: tool.keywords.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
            annotations: tool.annotations.clone(),
            visibility: tool.visibility,
            status: tool.status.word(),
            reason: tool.status.reason().map(str::to_owned),
            path: tool.provenance.path.clone(),
            digest: tool.digest().to_string(),
            shadowed: None,
        }
    }
}

impl Description {
    /// The same, with what is hidden behind it.
    pub fn with_shadowed(mut self, gateway: &Gateway) -> Self {
        let snapshot = gateway.snapshot();
        let others = snapshot.named(&self.name).iter().map(|it| it.tool.id.to_string()).filter(|it| *it != self.id);
        self.shadowed = Some(others.collect());
        self
    }

    /// For people, a fact a line.
    pub fn lines(&self) -> String {
        let mut out = format!("{}\n", escape::line(&self.id));
        let mut fact = |name: &str, value: &str| {
            if !value.is_empty() {
                out += &format!(
                    "  {:<12} {}\n",
                    format!("{name}:"),
                    escape::text(value).replace('\n', "\n               ")
                );
            }
        };
        fact("title", self.title.as_deref().unwrap_or_default());
        fact("about", self.description.as_deref().unwrap_or("(no description)"));
        fact("keywords", &self.keywords.join(", "));
        fact("status", &self.reason.as_ref().map_or(self.status.to_owned(), |it| format!("{} ({it})", self.status)));
        fact("path", &self.path.as_ref().map(|it| it.display().to_string()).unwrap_or_default());
        fact("digest", &self.digest);
        fact("hides", &self.shadowed.as_deref().unwrap_or_default().join(", "));
        fact("input", &pretty(&self.input_schema));
        fact("output", &self.output_schema.as_ref().map(pretty).unwrap_or_default());
        out
    }
}

fn pretty(raw: &RawJson) -> String {
    json::pretty(&raw.to_value())
}

//! Which tools fit a question.

pub mod explain;
pub mod notes;

#[cfg(test)]
mod tests;

use super::list;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::{RawJson, escape};
use toolscout_gateway::SearchHit;

/// A hit as `search --json` shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hit")]
pub struct HitView {
    /// `source/name`; what `execute_tool` and `run` take.
    pub id: String,
    /// What its source calls it.
    pub name: String,
    /// Whose tool it is.
    pub source: String,
    /// What it does; null where nobody said.
    pub description: Option<String>,
    /// From 0 to 1.
    pub score: f64,
    /// What in the tool fits the question.
    pub why: Vec<String>,
    /// Of the complete definition.
    pub digest: String,
    /// Of its arguments, complete.
    #[schemars(with = "serde_json::Value")]
    pub input_schema: RawJson,
}

impl From<&SearchHit> for HitView {
    fn from(hit: &SearchHit) -> Self {
        let tool = &hit.tool;
        Self {
            id: tool.id.to_string(),
            name: tool.id.name.to_string(),
            source: tool.id.source.to_string(),
            description: tool.description.clone(),
            score: rounded(hit.score),
            why: hit.why.clone(),
            digest: tool.digest().to_string(),
            input_schema: tool.input_schema.clone(),
        }
    }
}

/// To four places: enough to compare, and free of the last bits of floating point.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// For people: score, id and what it does, and under it the reasons; as wide as the terminal, where one is given.
pub fn lines(hits: &[SearchHit], width: Option<usize>) -> String {
    hits.iter().map(|it| line(it, width) + &because(it)).collect()
}

fn line(hit: &SearchHit, width: Option<usize>) -> String {
    let before = format!("{:.2}  {} - ", hit.score, escape::line(&hit.tool.id.to_string()));
    let about = list::in_brief(&hit.tool, width, &before);
    format!("{before}{about}\n")
}

fn because(hit: &SearchHit) -> String {
    match hit.why.is_empty() {
        true => String::new(),
        false => format!("      because: {}\n", escape::line(&hit.why.join(", "))),
    }
}

//! The search behind the operation `search` and the meta tool `tool_search`; each surface only
//! presents the result.

mod reasons;

use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::{Cx, RawJson};
use toolscout_gateway::{CatalogView, Gateway, SearchHit, SearchRequest};

/// The result of a search.
pub struct FoundTools {
    /// The hits, best first.
    pub hits: Vec<SearchHit>,
    /// Which sources could not be searched, and why.
    pub notes: Vec<String>,
    /// Reasons for a poor result; empty if the best hit fits well.
    pub reasons: Vec<String>,
}

/// Searches the tools that are visible to a request. It starts no server, except one with its
/// own search if the local hits are poor.
pub async fn search(
    gateway: &Gateway,
    view: &CatalogView,
    request: &SearchRequest<'_>,
    cx: &Cx,
) -> FoundTools {
    let response = gateway.tool_search(view, request, cx).await;
    let reasons = reasons::reasons(gateway, view, request, &response);
    let mut notes = response.notes;
    notes.extend(loading_note(gateway));
    FoundTools { hits: response.hits, notes, reasons }
}

/// Names the sources whose tools a search cannot find yet.
fn loading_note(gateway: &Gateway) -> Option<String> {
    let loading = gateway.loading();
    let names = loading.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (!loading.is_empty()).then(|| format!("still loading: {names}; search again in a few seconds"))
}

/// A hit in JSON.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hit")]
pub struct HitView {
    /// `source/name`, as `execute_tool` and `run` accept it.
    pub id: String,
    /// Its name at its source.
    pub name: String,
    /// The id of its source.
    pub source: String,
    /// What it does; null if its source has no description.
    pub description: Option<String>,
    /// The score, from 0 to 1.
    pub score: f64,
    /// Which parts of the tool match the query.
    pub why: Vec<String>,
    /// The digest of the complete definition.
    pub digest: String,
    /// The complete JSON Schema of its arguments.
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

/// A score with four decimal places: enough to compare, without the last bits of floating
/// point.
pub fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

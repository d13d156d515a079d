//! The input of `tool_search`, read from whatever a model wrote.

use super::repair::{self, Repaired};
use serde_json::{Map, Value};
use toolscout_core::{RawJson, SourceId, escape};
use toolscout_gateway::{CatalogView, Query, SearchRequest};

/// Maximum length of a query in characters; the rest is ignored.
const MAX_QUERY: usize = 2_000;

/// The amount of detail for each hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Detail {
    /// Everything, including the whole input schema.
    #[default]
    Full,
    /// One line: the signature and the first sentence of the description.
    Compact,
    /// Only the id.
    Names,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Request {
    pub(super) query: String,
    pub(super) max_results: usize,
    pub(super) detail: Detail,
    pub(super) source: Option<String>,
}

impl Request {
    /// Reads the input. Values that cannot be read are ignored, and a note reports some of them.
    pub(super) fn parse(arguments: Option<&RawJson>) -> (Self, Vec<String>) {
        let raw = arguments.map_or(Value::Null, RawJson::to_value);
        let Repaired { arguments, .. } =
            repair::unwrapped(raw, &["query", "max_results", "detail", "source"]);
        let mut notes = Vec::new();
        let mut query = arguments.get("query").map(text).unwrap_or_default();
        if let Some((end, _)) = query.char_indices().nth(MAX_QUERY) {
            query.truncate(end);
            notes.push(format!("only the first {MAX_QUERY} characters of the query were used"));
        }
        let detail = match arguments.get("detail").and_then(Value::as_str) {
            None | Some("full") => Detail::Full,
            Some("compact") => Detail::Compact,
            Some("names") => Detail::Names,
            Some(_) => {
                notes.push("`detail` must be full, compact or names; full was used".to_owned());
                Detail::Full
            }
        };
        let source = arguments.get("source").map(text).filter(|value| !value.trim().is_empty());
        (Self { query, max_results: max_results(&arguments), detail, source }, notes)
    }

    /// The search request for the gateway.
    pub(super) fn search(&self) -> SearchRequest<'_> {
        SearchRequest { limit: self.max_results, ..SearchRequest::new(&self.query) }
    }

    /// The sources to search; empty if the given name is no valid source id.
    pub(super) fn sources(&self) -> Option<Vec<SourceId>> {
        self.source.as_ref().map(|source| SourceId::new(source.trim()).into_iter().collect())
    }

    /// A note if the given source does not exist.
    pub(super) fn unknown_source_note(&self, view: &CatalogView) -> Option<String> {
        let source = self.source.as_ref()?;
        let mut known: Vec<_> = view.sources().iter().map(|source| source.id()).collect();
        known.sort_unstable();
        if known.iter().any(|item| item.as_str() == source.trim()) {
            return None;
        }
        let listed: Vec<_> = known.iter().take(20).map(|item| format!("`{item}`")).collect();
        Some(format!(
            "unknown source `{}`; known sources include {}",
            escape::line(source),
            listed.join(", ")
        ))
    }
}

/// an invalid number of results becomes the default; a number above the maximum becomes
/// the maximum.
fn max_results(arguments: &Map<String, Value>) -> usize {
    let given = arguments.get("max_results");
    let number = given.and_then(|value| {
        value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
    });
    match number {
        Some(number) if number >= 1.0 => number.min(Query::MAX_LIMIT as f64) as usize,
        _ => Query::DEFAULT_LIMIT,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

//! Parses the search results of a remote gateway. Tolerant, because servers use different formats.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use toolscout_core::{RawJson, ToolOutput, escape};

/// Maximum size of a response; longer ones are not parsed.
const MAX_RESPONSE_BYTES: usize = 4 << 20;
/// Maximum size of a tool description; larger ones are left out.
pub(super) const MAX_TOOL_BYTES: usize = 64 * 1024;
/// Maximum number of characters quoted from an error message.
const MAX_QUOTED_CHARS: usize = 300;

/// A tool as the remote gateway describes it.
#[derive(Debug, PartialEq)]
pub(super) struct RemoteToolDescription {
    /// The name to use in calls.
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) input_schema: Option<RawJson>,
    pub(super) annotations: Option<RawJson>,
    /// The server's own digest of the definition.
    pub(super) digest: Option<String>,
    /// From 0 to 1.
    pub(super) score: f64,
}

/// The results, best first, up to the requested number; and the number of results that were too
/// large.
#[derive(Debug, PartialEq, Default)]
pub(super) struct RemoteSearchResponse {
    pub(super) items: Vec<RemoteToolDescription>,
    pub(super) too_large: usize,
}

#[derive(Deserialize)]
struct StructuredResult<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SearchResultList<'a> {
    #[serde(borrow, alias = "tools", alias = "hits", alias = "matches")]
    results: Vec<&'a RawValue>,
}

/// Parses a response; the error is a message for the user.
pub(super) fn parse(output: &ToolOutput, limit: usize) -> Result<RemoteSearchResponse, String> {
    let raw = output.raw().as_str();
    if raw.len() > MAX_RESPONSE_BYTES {
        return Err("its response is too long".to_owned());
    }
    let text = || {
        output
            .content()
            .iter()
            .find_map(|content| content["text"].as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    if output.is_error() {
        let message: String = escape::line(&text()).chars().take(MAX_QUOTED_CHARS).collect();
        return Err(format!("it returned an error: {message}"));
    }
    let structured = serde_json::from_str::<StructuredResult<'_>>(raw)
        .ok()
        .and_then(|result| parse_list(result.structured?.get()));
    if let Some(items) = structured {
        return Ok(take_items(&items, limit));
    }
    let text = text();
    match parse_list(&text) {
        Some(items) => Ok(take_items(&items, limit)),
        // A plain-text message instead of JSON: nothing was found.
        None if !text.trim_start().starts_with(['[', '{']) => Ok(RemoteSearchResponse::default()),
        None => Err("its response cannot be parsed".to_owned()),
    }
}

/// The entries of a list, or of the list in an object.
fn parse_list(text: &str) -> Option<Vec<&RawValue>> {
    let list = serde_json::from_str::<Vec<&RawValue>>(text).ok();
    list.or_else(|| {
        serde_json::from_str::<SearchResultList<'_>>(text).ok().map(|value| value.results)
    })
}

fn take_items(entries: &[&RawValue], limit: usize) -> RemoteSearchResponse {
    let mut response = RemoteSearchResponse::default();
    for (rank, entry) in entries.iter().take(limit).enumerate() {
        if entry.get().len() <= MAX_TOOL_BYTES {
            response.items.extend(parse_item(entry, rank))
        } else {
            response.too_large += 1
        }
    }
    response
}

fn parse_item(entry: &RawValue, rank: usize) -> Option<RemoteToolDescription> {
    let entry: HashMap<String, &RawValue> = serde_json::from_str(entry.get()).ok()?;
    let raw =
        |names: &[&str]| names.iter().find_map(|name| entry.get(*name)).map(|entry| entry.get());
    let text = |names: &[&str]| serde_json::from_str::<String>(raw(names)?).ok();
    let object = |names: &[&str]| {
        raw(names)
            .filter(|value| value.starts_with('{'))
            .and_then(|value| RawJson::parse(value).ok())
    };
    Some(RemoteToolDescription {
        name: text(&["id"]).or_else(|| text(&["name"])).filter(|value| !value.is_empty())?,
        title: text(&["title"]),
        description: text(&["description"]),
        input_schema: object(&["inputSchema", "input_schema", "parameters"]),
        annotations: object(&["annotations"]),
        digest: text(&["digest"]),
        score: raw(&["score"]).and_then(score).unwrap_or_else(|| score_by_rank(rank)),
    })
}

fn score(raw: &str) -> Option<f64> {
    let score = match serde_json::from_str(raw).ok()? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    score.filter(|score| score.is_finite()).map(|score| score.clamp(0.0, 1.0))
}

/// A score for servers that return none: the order of the results still expresses relevance.
fn score_by_rank(rank: usize) -> f64 {
    (0.9 - 0.1 * rank as f64).max(0.05)
}

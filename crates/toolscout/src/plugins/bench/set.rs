//! A query set: tools, and queries with their relevant tools.

use super::{built_in, lines};
use crate::AppError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use toolscout_core::escape;

const TOOL: &str =
    r#"{"id", "name", "description", "server"?, "server_description"?, "input_schema"?}"#;
const QUERY: &str = r#"{"id", "query", "relevant": [tool ids], "kind"?}"#;

/// Tools and queries.
pub(super) struct Set {
    /// The name in reports.
    pub(super) name: String,
    pub(super) tools: Vec<SetTool>,
    pub(super) queries: Vec<SetQuery>,
    /// Remarks about the files, for the user.
    pub(super) notes: Vec<String>,
}

/// A tool as written in its line.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct SetTool {
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    /// The server of the tool; a tool without one gets a source of its own.
    #[serde(default)]
    pub(super) server: Option<String>,
    #[serde(default)]
    pub(super) server_description: Option<String>,
    #[serde(default)]
    pub(super) input_schema: Option<Value>,
}

/// A query as written in its line.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct SetQuery {
    pub(super) id: String,
    pub(super) query: String,
    pub(super) relevant: Vec<String>,
    /// The kind of query, for a report by kinds.
    #[serde(default)]
    pub(super) kind: Option<String>,
}

impl SetTool {
    /// The name of the tool; its id if the line has no name.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&self.id)
    }
}

impl Set {
    /// The built-in set.
    pub(super) fn built_in() -> Result<Self, AppError> {
        let tools = lines::parse(built_in::TOOLS.as_bytes(), "tools.jsonl", TOOL)?;
        let queries = lines::parse(built_in::QUERIES.as_bytes(), "queries.jsonl", QUERY)?;
        Self::of("built-in", tools, queries)
    }

    /// The set in this folder.
    pub(super) fn read(folder: &Path) -> Result<Self, AppError> {
        let name = folder.canonicalize().unwrap_or(folder.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let queries = lines::find(folder, "queries").ok_or_else(|| missing(folder, "queries"))?;
        let tools = tools_of(folder).ok_or_else(|| missing(folder, "tools"))?;
        Self::of(&name, lines::read(&tools, TOOL)?, lines::read(&queries, QUERY)?)
    }

    /// Validates the set. A duplicate tool counts once; a query without relevant tools is dropped.
    fn of(
        name: &str,
        mut tools: Vec<SetTool>,
        mut queries: Vec<SetQuery>,
    ) -> Result<Self, AppError> {
        let mut notes = Vec::new();
        let mut known = HashMap::new();
        if let Some(nameless) = tools.iter().position(|tool| tool.id.is_empty()) {
            return Err(AppError::invalid(
                format!("tool {} has an empty id", nameless + 1),
                "give each tool an id",
            ));
        }
        tools.retain(|tool| {
            known.insert(tool.id.clone(), ()).is_none_or(|()| note_twice(&mut notes, &tool.id))
        });
        let (all, missing) = (queries.len(), unknown(&queries, &known));
        queries.retain(|query| !query.relevant.is_empty());
        queries.iter_mut().for_each(|query| dedup(&mut query.relevant));
        if queries.len() < all {
            notes.push(format!(
                "{} of {all} queries name no relevant tool and are skipped",
                all - queries.len()
            ));
        }
        notes.extend(missing);
        if tools.is_empty() || queries.is_empty() {
            let message =
                format!("`{name}` has {} tools and {} usable queries", tools.len(), queries.len());
            return Err(AppError::invalid(
                message,
                format!("tools are lines {TOOL}; queries {QUERY}"),
            ));
        }
        Ok(Self { name: name.to_owned(), tools, queries, notes })
    }
}

/// The tools file of the folder, or of the folder that its file `TOOLS` names.
fn tools_of(folder: &Path) -> Option<PathBuf> {
    let elsewhere = || {
        let text = fs::read_to_string(folder.join("TOOLS")).ok()?;
        let words = text.split_whitespace().map(|word| word.trim_matches(['`', '"', ',', ';']));
        let spelled = words
            .flat_map(|word| [word, word.trim_end_matches('.')])
            .filter(|item| item.contains('/'));
        spelled.into_iter().find_map(|spelled| lines::find(&folder.join(spelled), "tools"))
    };
    lines::find(folder, "tools").or_else(elsewhere)
}

fn missing(folder: &Path, name: &str) -> AppError {
    let message =
        format!("there is neither `{name}.jsonl` nor `{name}.jsonl.gz` in `{}`", folder.display());
    AppError::invalid(message, "omit --data to measure the built-in set")
}

/// Adds a note about a duplicate. Always returns false, for `retain`.
fn note_twice(notes: &mut Vec<String>, id: &str) -> bool {
    notes.push(format!("duplicate tool `{}`; the first one is used", escape::line(id)));
    false
}

fn unknown(queries: &[SetQuery], known: &HashMap<String, ()>) -> Option<String> {
    let mut named = queries
        .iter()
        .flat_map(|query| &query.relevant)
        .filter(|relevant| !known.contains_key(*relevant));
    let first = named.next()?;
    let count = 1 + named.count();
    Some(format!(
        "{count} relevant ids match no tool and count as not found; the first is `{}`",
        escape::line(first)
    ))
}

fn dedup(ids: &mut Vec<String>) {
    ids.sort();
    ids.dedup();
}

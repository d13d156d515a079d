//! Tools: which there are, and all there is to know about one.

use super::asked::Asked;
use super::{OperationError, Route};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolscout_core::{RawJson, SourceId, Status, Tool, ToolId, ToolName, Visibility};
use toolscout_gateway::policy::{LevelName, Policies};
use toolscout_gateway::{CatalogView, Snapshot};

/// Tools in one answer, where nobody says how many.
const USUAL: usize = 100;
/// And at most.
const MOST: usize = 1_000;

/// A tool in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Tool")]
pub struct Row {
    /// `source/name`.
    id: String,
    /// Whose tool it is.
    source: String,
    /// What its source calls it.
    name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// What it does; empty where nobody said.
    description: String,
    /// What may be done with it: `allow`, `ask`, `deny` or `disable`.
    policy: &'static str,
    /// `ready`, `held`, `unprobed` or `unavailable`.
    status: &'static str,
    /// `listed` or `searchable`.
    visibility: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Page {
    tools: Vec<Row>,
    /// How many there are in all pages.
    total: usize,
    /// Where the next page begins; missing on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Where they come from; on the first page only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Origin>,
}

/// Somewhere that tools come from.
#[derive(Serialize, JsonSchema)]
struct Origin {
    id: String,
    /// How many of those that were asked for.
    tools: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Only tools of this source.
    #[serde(default)]
    server: Option<String>,
    /// Only tools with this in their name, title or description.
    #[serde(default)]
    q: Option<String>,
    /// At most so many: 100 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// What the page before said.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    tool: Described,
}

/// All there is to know about a tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Described {
    #[serde(flatten)]
    row: Row,
    /// Of the complete definition.
    digest: String,
    /// Of its arguments, as written.
    #[schemars(with = "serde_json::Value")]
    input_schema: RawJson,
    /// Of its structured result, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    output_schema: Option<RawJson>,
    /// Hints of its author, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    annotations: Option<RawJson>,
    /// More words it is found by.
    keywords: Vec<String>,
    policies: Said,
}

/// What may be done with a tool, and who said so.
#[derive(Serialize, JsonSchema)]
struct Said {
    /// What holds.
    effective: &'static str,
    /// Why.
    because: String,
    /// Parents first.
    levels: Vec<LevelSaid>,
}

#[derive(Serialize, JsonSchema)]
struct LevelSaid {
    /// `global`, `project` or `session`.
    level: &'static str,
    /// What it says; missing where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    /// What it could say, given what its parents do.
    allowed: Vec<&'static str>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/tools", "Which tools there are, page by page", list).query::<Wanted>(),
        Route::get("/api/tools/{source}/{*name}", "All there is to know about a tool", one),
    ]
}

async fn list(asked: Asked) -> Result<Page, OperationError> {
    let wanted: Wanted = asked.query()?;
    let begin = match wanted.cursor.as_deref() {
        None | Some("") => 0,
        Some(cursor) => {
            cursor.parse().map_err(|_| OperationError::invalid("`cursor` is none that was given out here"))?
        }
    };
    let view = asked.view().await;
    let (snapshot, policies) = (snapshot(&asked, &view), asked.gateway().policies());
    let words = wanted.q.as_deref().unwrap_or_default().to_lowercase();
    let is_of = |it: &Tool| wanted.server.as_ref().is_none_or(|source| it.id.source.as_str() == source);
    let found: Vec<_> = snapshot.tools().filter(|it| is_of(it) && says(it, &words)).collect();
    let limit = wanted.limit.unwrap_or(USUAL).clamp(1, MOST);
    let tools: Vec<_> = found.iter().skip(begin).take(limit).map(|it| Row::new(it, &policies)).collect();
    let end = begin.saturating_add(tools.len());
    let next_cursor = (!tools.is_empty() && end < found.len()).then(|| end.to_string());
    let sources = if begin == 0 { origins(&found) } else { Vec::new() };
    Ok(Page { tools, total: found.len(), next_cursor, sources })
}

/// In the order of the tools, which stand together by where they come from.
fn origins(found: &[&Arc<Tool>]) -> Vec<Origin> {
    let mut origins: Vec<Origin> = Vec::new();
    for tool in found {
        match origins.last_mut() {
            Some(last) if last.id == tool.id.source.as_str() => last.tools += 1,
            _ => origins.push(Origin { id: tool.id.source.to_string(), tools: 1 }),
        }
    }
    origins
}

async fn one(asked: Asked) -> Result<One, OperationError> {
    let view = asked.view().await;
    let snapshot = snapshot(&asked, &view);
    let source = SourceId::new(asked.part("source")).ok();
    let id = source.zip(ToolName::new(asked.part("name")).ok()).map(|(source, name)| ToolId::new(source, name));
    let known = id.as_ref().and_then(|it| snapshot.tool(it)).ok_or_else(|| OperationError::not_found("Tool"))?;
    Ok(One { tool: Described::new(&known.tool, &asked.gateway().policies()) })
}

/// Who decides about tools sees those that are disabled, and what those say that are held.
fn snapshot(asked: &Asked, view: &CatalogView) -> Arc<Snapshot> {
    if asked.is_operator() { view.whole_snapshot() } else { view.snapshot() }
}

fn says(tool: &Tool, words: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(words);
    words.is_empty()
        || has(tool.id.name.as_str())
        || [&tool.title, &tool.description].into_iter().flatten().any(|it| has(it))
}

impl Row {
    fn new(tool: &Tool, policies: &Policies) -> Self {
        Self {
            id: tool.id.to_string(),
            source: tool.id.source.to_string(),
            name: tool.id.name.to_string(),
            title: tool.title.clone(),
            description: tool.description.clone().unwrap_or_default(),
            policy: policies.effective(tool).policy.word(),
            status: match &tool.status {
                // Its definition is complete as soon as that is needed.
                Status::Static => "ready",
                status => status.word(),
            },
            visibility: match tool.visibility {
                Visibility::Listed => "listed",
                Visibility::Searchable => "searchable",
            },
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

impl Described {
    fn new(tool: &Tool, policies: &Policies) -> Self {
        let decision = policies.effective(tool);
        let level = |level: LevelName| LevelSaid {
            level: level.word(),
            value: policies.value(level, &tool.id).map(|it| it.word()),
            allowed: policies.allowed_values(level, &tool.id).into_iter().map(|it| it.word()).collect(),
        };
        let levels = [LevelName::Global, LevelName::Project, LevelName::Session].map(level).into();
        Self {
            row: Row::new(tool, policies),
            digest: tool.digest().to_string(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
            annotations: tool.annotations.clone(),
            keywords: tool.keywords.clone(),
            policies: Said { effective: decision.policy.word(), because: decision.because, levels },
        }
    }
}

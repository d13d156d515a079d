//! `search`: find tools that match a query.

mod explain;
#[cfg(test)]
mod tests;

use crate::{Tools, Workspace};
use explain::{PartsView, ReadingView};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::cx::Role;
use toolscout_core::{Caller, Cx, Diagnostic, DiagnosticKind, SourceId, escape};
use toolscout_gateway::{
    CatalogView, Explanation, Gateway, Query, RankingProfile, SearchHit, SearchRequest,
};
use toolscout_surface::cli::nearest;
use toolscout_surface::operation::{
    ErrorCode, MetaTool, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::json as output;
use toolscout_surface::search::{FoundTools, HitView, search};

/// Find tools that match a query.
pub(crate) struct SearchTools;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchToolsInput {
    /// What the tool should do, in your own words; every tool fits an empty query.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"flag": "query", "positional": true}))]
    q: Vec<String>,
    /// How to rank tools.
    #[serde(default = "default_profile")]
    #[schemars(schema_with = "profile_schema")]
    profile: String,
    /// At most this many results, from 1 to 100: 10 if left out, or no number.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"short": "n", "value": "N"}))]
    limit: Option<String>,
    /// Only tools of this source; may be repeated.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "ID"}))]
    source: Vec<String>,
    /// Show how the query was read, and what each score is made of.
    #[serde(default)]
    explain: bool,
    /// By words alone, without embeddings.
    #[serde(default)]
    lexical: bool,
    /// The query is still being typed: it is not recorded, and nothing is learned from it. For operators only.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    typing: bool,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchResults {
    /// How the query was read; only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<ReadingView>,
    /// Best first.
    results: Vec<SearchResult>,
    /// Why little was found, and what to do about it.
    notes: Vec<String>,
    #[serde(skip)]
    hits: Vec<SearchHit>,
    #[serde(skip)]
    explanation: Option<Explanation>,
}

/// A tool that fits.
#[derive(Serialize, JsonSchema)]
struct SearchResult {
    #[serde(flatten)]
    hit: HitView,
    /// What the score is made of; only with `explain`, and only for tools of this gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<PartsView>,
}

impl Operation<Workspace> for SearchTools {
    type Input = SearchToolsInput;
    type Output = SearchResults;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Tools that are called after a search rank higher the next time: `toolscout search learned` shows this feedback, `toolscout search forget` erases it.",
        ],
        examples: &[
            "toolscout search count the words of a text",
            "toolscout search --source github --explain open an issue",
            "toolscout search --profile ladder email --json",
        ],
        meta_tool: Some(MetaTool::Search),
        ..OperationSpec::read("search", "Find tools that fit a query", "/api/search")
    };

    async fn run(
        workspace: &Workspace,
        input: SearchToolsInput,
        cx: &Cx,
    ) -> Result<SearchResults, OperationError> {
        let gateway = workspace.known(cx).await?;
        let view = gateway.view(cx).await;
        let sources = sources(&gateway, &view, &input.source)?;
        let text = input.q.join(" ");
        let limit = input.limit.as_deref().and_then(|limit| limit.trim().parse().ok());
        let request = SearchRequest {
            profile: input.profile.parse().unwrap_or_default(),
            limit: limit.unwrap_or(Query::DEFAULT_LIMIT),
            sources: sources.as_deref(),
            is_lexical: input.lexical,
            // Agents cannot prevent that their searches are recorded.
            is_passing: input.typing && cx.role == Role::Operator,
            ..SearchRequest::new(&text)
        };
        let mut found = search(&gateway, &view, &request, cx).await;
        if cx.caller == Caller::Cli {
            adapt_notes(workspace, &mut found, view.snapshot().len()).await?;
        }
        let explanation = input.explain.then(|| gateway.explain(&view, &request, &found.hits, cx));
        let mut parts = explanation.iter().flat_map(|explanation| &explanation.parts);
        let result = |hit: &SearchHit| SearchResult {
            hit: hit.into(),
            parts: parts.next().and_then(Option::as_ref).map(PartsView::from),
        };
        Ok(SearchResults {
            results: found.hits.iter().map(result).collect(),
            question: explanation.as_ref().map(|explanation| (&explanation.reading).into()),
            notes: [found.notes, found.reasons].concat(),
            hits: found.hits,
            explanation,
        })
    }

    fn text(output: &SearchResults, text: &Text) -> String {
        match &output.explanation {
            Some(explanation) => explain::explained_lines(&output.hits, explanation, text.width),
            None => explain::hit_lines(&output.hits, text.width),
        }
    }

    fn write_json(output: &SearchResults, writer: &mut dyn io::Write) -> io::Result<()> {
        match &output.question {
            Some(_) => output::write(writer, output),
            None => output::write(writer, &output.results),
        }
    }

    fn notes(output: &SearchResults) -> Vec<String> {
        output.notes.clone()
    }
}

fn default_profile() -> String {
    RankingProfile::default().to_string()
}

/// The names of all ranking profiles.
fn profile_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = RankingProfile::ALL.iter().map(ToString::to_string).collect();
    json_schema!({"type": "string", "enum": names})
}

/// The requested sources; `None` for all.
fn sources(
    gateway: &Gateway,
    view: &CatalogView,
    wanted: &[String],
) -> Result<Option<Vec<SourceId>>, OperationError> {
    let wanted: Vec<_> = wanted
        .iter()
        .flat_map(|ids| ids.split(','))
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .collect();
    let absent = gateway.absent();
    let known = || {
        let there = view.sources().iter().map(|source| source.id()).chain(view.delegates());
        there.chain(absent.iter().filter_map(|problem| problem.source.as_ref()))
    };
    let find = |id: &&str| {
        known().find(|known| known.as_str() == *id).cloned().ok_or_else(|| {
            let hint = match nearest(id, known().map(SourceId::as_str)) {
                Some(nearest) => format!("Did you mean `{nearest}`?"),
                None => format!(
                    "Known sources: {}.",
                    known().map(SourceId::as_str).collect::<Vec<_>>().join(", ")
                ),
            };
            let message = format!("there is no source `{}`", escape::line(id));
            OperationError::new(ErrorCode::ResourceNotFound, message).hint(hint)
        })
    };
    let found = wanted.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok((!wanted.is_empty()).then_some(found))
}

/// Adapts the notes for a command: adds the next step if there are no hits, and removes
/// diagnostics that discovery has already reported.
async fn adapt_notes(
    workspace: &Workspace,
    found: &mut FoundTools,
    known: usize,
) -> Result<(), OperationError> {
    if found.hits.is_empty() {
        found.notes.push(nothing_found(workspace, known));
    }
    if !found.reasons.is_empty() {
        let reported = reported(workspace).await?;
        found.reasons.retain(|reason| !reported.iter().any(|message| reason.starts_with(message)));
    }
    Ok(())
}

/// The diagnostics that discovery reported: all of them, unless too many sources have one.
async fn reported(workspace: &Workspace) -> Result<Vec<String>, OperationError> {
    let problems = workspace.tools.discover(|_| ()).await?;
    let is_of_source = |problem: &&Diagnostic| problem.kind == DiagnosticKind::Source;
    let are_many = problems.iter().filter(is_of_source).count() > Tools::SOURCES;
    let is_quiet = workspace.options.switch("quiet");
    let is_reported = |problem: &&Diagnostic| !(is_quiet || are_many && is_of_source(problem));
    Ok(problems
        .iter()
        .filter(is_reported)
        .map(|problem| escape::line(&problem.message).into_owned())
        .collect())
}

fn nothing_found(workspace: &Workspace, known: usize) -> String {
    if known > 0 {
        return format!(
            "No tools found. Try different keywords or a broader search term.\n  hint: {known} tools are known; `toolscout tools` lists them"
        );
    }
    let servers = if workspace.parts.servers {
        "; or use MCP servers: `toolscout import`, `toolscout server add ID -- COMMAND`"
    } else {
        ""
    };
    format!(
        "No tools found: there are none yet.\n  hint: put one into `tools/`, then `toolscout doctor`{servers}"
    )
}

//! `search`: find tools that match a query.

mod explain;
#[cfg(test)]
mod tests;

use super::no_tools;
use crate::Workspace;
use crate::workspace::background_index::index_rest;
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
    /// What the tool should do, in your own words; an empty query matches every tool
    #[serde(default)]
    #[schemars(extend("x-cli" = {"flag": "query", "positional": true}))]
    q: Vec<String>,
    /// The ranking profile
    #[serde(default = "default_profile")]
    #[schemars(schema_with = "profile_schema")]
    profile: String,
    /// The maximum number of results, from 1 to 100; 10 by default
    #[serde(default)]
    #[schemars(extend("x-cli" = {"short": "n", "value": "N"}))]
    limit: Option<String>,
    /// Search only this source; may be repeated
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "ID"}))]
    source: Vec<String>,
    /// Show how the query was parsed, and the parts of each score
    #[serde(default)]
    explain: bool,
    /// Search by keywords only, without embeddings
    #[serde(default)]
    lexical: bool,
    /// Mark the query as incomplete: it is neither recorded nor used as feedback; for operators only
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    typing: bool,
}

/// The results of a search.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchResults {
    /// How the query was parsed; only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<ReadingView>,
    /// The matching tools, best first.
    results: Vec<SearchResult>,
    /// Why results may be missing, and what to do about it.
    notes: Vec<String>,
    #[serde(skip)]
    hits: Vec<SearchHit>,
    #[serde(skip)]
    explanation: Option<Explanation>,
}

/// A matching tool.
#[derive(Serialize, JsonSchema)]
struct SearchResult {
    #[serde(flatten)]
    hit: HitView,
    /// The parts of the score; only with `explain`, and not for tools of a remote gateway.
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
        keeps_profile: true,
        ..OperationSpec::read("search", "Search for tools", "/api/search")
    };

    async fn run(
        workspace: &Workspace,
        input: SearchToolsInput,
        cx: &Cx,
    ) -> Result<SearchResults, OperationError> {
        let loading = workspace.wait_for_pending_servers(cx).await?;
        let gateway = workspace.discovered_gateway(cx).await?;
        let _loading = gateway.mark_loading(loading);
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
            index_rest(workspace, &gateway);
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
            query: explanation.as_ref().map(|explanation| (&explanation.reading).into()),
            notes: [found.notes, found.reasons].concat(),
            hits: found.hits,
            explanation,
        })
    }

    fn text(output: &SearchResults, text: &Text) -> String {
        match &output.explanation {
            Some(explanation) => explain::explained_lines(&output.hits, explanation, text),
            None => explain::hit_lines(&output.hits, text),
        }
    }

    fn write_json(output: &SearchResults, writer: &mut dyn io::Write) -> io::Result<()> {
        match &output.query {
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
    requested: &[String],
) -> Result<Option<Vec<SourceId>>, OperationError> {
    let requested: Vec<_> = requested
        .iter()
        .flat_map(|ids| ids.split(','))
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .collect();
    let absent = gateway.absent();
    let known = || {
        let ids = view.sources().iter().map(|source| source.id()).chain(view.remote_gateways());
        ids.chain(absent.iter().filter_map(|diagnostic| diagnostic.source.as_ref()))
    };
    let find = |id: &&str| {
        known().find(|known| known.as_str() == *id).cloned().ok_or_else(|| {
            let hint = match nearest(id, known().map(SourceId::as_str)) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!(
                    "known sources: {}",
                    known().map(SourceId::as_str).collect::<Vec<_>>().join(", ")
                ),
            };
            let message = format!("there is no source `{}`", escape::line(id));
            OperationError::new(ErrorCode::ResourceNotFound, message).hint(hint)
        })
    };
    let found = requested.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok((!requested.is_empty()).then_some(found))
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

/// The diagnostics that discovery reported: not the states of servers, except with `--verbose`.
async fn reported(workspace: &Workspace) -> Result<Vec<String>, OperationError> {
    let diagnostics = workspace.tools.discover(|_| ()).await?;
    let options = &workspace.options;
    let is_reported = |diagnostic: &&Diagnostic| {
        let is_about_source = diagnostic.kind == DiagnosticKind::Source;
        !options.switch("quiet") && (!is_about_source || options.switch("verbose"))
    };
    Ok(diagnostics
        .iter()
        .filter(is_reported)
        .map(|diagnostic| escape::line(&diagnostic.message).into_owned())
        .collect())
}

fn nothing_found(workspace: &Workspace, known: usize) -> String {
    if known > 0 {
        return format!(
            "No tools found. Try different keywords or a broader search term.\n  hint: run `toolscout tools` to list {}",
            if known == 1 { "the only tool".to_owned() } else { format!("all {known} tools") }
        );
    }
    no_tools(workspace)
}

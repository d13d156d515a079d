//! `tool_search` and `execute_tool`: two meta tools that give access to all others.
//!
//! Everything here is pure except [`search`], which queries the gateway: definitions from a catalog
//! ([`definitions`]), a result from hits ([`search_output`]), a call from the input of a model
//! ([`ExecuteRequest`]), and error messages ([`failure`]).

mod definitions;
mod example;
mod execute_request;
mod failure;
mod repair;
mod schema;
mod search_output;
mod search_request;
mod signature;
mod summary;
mod verbs;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(super) use definitions::{definitions, instructions};
pub(super) use execute_request::ExecuteRequest;
pub(super) use failure::{failure, not_found};

use super::result_storage::READ_RESULT;
use crate::operation::MetaTool;
use crate::tokens;
use search_request::Request;
use summary::summary;
use toolscout_core::event::ContextUse;
use toolscout_core::{Cx, RawJson, ToolOutput};
use toolscout_gateway::{CatalogView, Gateway, RankingProfile, SearchRequest};

pub(super) const SEARCH: &str = MetaTool::Search.name();
pub(super) const EXECUTE: &str = MetaTool::Execute.name();

/// The suffix after `Mcp-Param-` of the header in which proxies see the inner tool.
pub(super) const TOOL_HEADER: &str = "Tool";

/// Whether a name is reserved for the tools of this server.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, SEARCH | EXECUTE | READ_RESULT)
}

/// Runs `tool_search` on the view of this request. It starts no server, except one that searches
/// for itself if there are few other hits.
pub(super) async fn search(
    view: &CatalogView,
    gateway: &Gateway,
    arguments: Option<&RawJson>,
    ranking: RankingProfile,
    cx: &Cx,
) -> ToolOutput {
    let (request, mut notes) = Request::parse(arguments);
    let sources = request.sources();
    let search =
        SearchRequest { profile: ranking, sources: sources.as_deref(), ..request.search() };
    let found = crate::search::search(gateway, view, &search, cx).await;
    notes.extend(found.notes);
    notes.extend(request.unknown_source_note(view));
    notes.extend(found.reasons);
    search_output::render(&found.hits, request.detail, notes)
}

/// The context use of a `tool_search` result. Only its texts count; the structured content repeats
/// them for programs.
pub(super) fn context_use(output: &ToolOutput) -> ContextUse {
    let texts = output.content();
    let tokens = texts.iter().filter_map(|text| text["text"].as_str()).map(tokens::at_most).sum();
    let results = output
        .structured_content()
        .and_then(|structured_content| Some(structured_content.get("results")?.as_array()?.len()));
    ContextUse { form: "search", tools: results.unwrap_or_default(), tokens, catalog: None }
}

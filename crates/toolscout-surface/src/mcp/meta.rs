//! `tool_search` and `execute_tool`: two tools that stand for all others.
//!
//! Pure but for [`search`], which asks the gateway: definitions from a catalog ([`definitions`]), an answer from hits
//! ([`answer`]), a call from what a model wrote ([`ExecuteRequest`]), and words for what went wrong ([`failure`]).

mod answer;
mod definitions;
mod example;
mod execute_request;
mod failure;
mod repair;
mod schema;
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

/// The header in which devices on the way see the inner tool, behind `Mcp-Param-`.
pub(super) const HEADER: &str = "Tool";

/// Whether no other tool may be called this.
pub(super) fn is_ours(name: &str) -> bool {
    matches!(name, SEARCH | EXECUTE | READ_RESULT)
}

/// Answers `tool_search`, within what this request sees. Starts nothing but, where little else fits, a server that searches
/// for itself.
pub(super) async fn search(
    view: &CatalogView,
    gateway: &Gateway,
    arguments: Option<&RawJson>,
    ranking: RankingProfile,
    cx: &Cx,
) -> ToolOutput {
    let (request, mut said) = Request::read(arguments);
    let sources = request.sources();
    let search = SearchRequest { profile: ranking, sources: sources.as_deref(), ..request.search() };
    let found = crate::search::search(gateway, view, &search, cx).await;
    said.extend(found.notes);
    said.extend(request.doubts(view));
    said.extend(found.reasons);
    answer::answer(&found.hits, request.detail, said)
}

/// What an answer of `tool_search` puts before a model: its texts. What stands beside them for programs says the same again.
pub(super) fn shown(answer: &ToolOutput) -> ContextUse {
    let texts = answer.content();
    let tokens = texts.iter().filter_map(|it| it["text"].as_str()).map(tokens::at_most).sum();
    let results = answer.structured_content().and_then(|it| Some(it.get("results")?.as_array()?.len()));
    ContextUse { what: "search", tools: results.unwrap_or_default(), tokens, whole: None }
}

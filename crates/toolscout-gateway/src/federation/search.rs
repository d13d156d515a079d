//! Queries remote gateways, in addition to the search in the catalog.

use super::MAX_NAME_BYTES;
use super::definitions::RequesterKey;
use super::response::{self, RemoteSearchResponse};
use super::via::{MAX_GATEWAYS, forwarded_meta};
use crate::delegation;
use crate::{CatalogView, Error, Gateway, Query, SearchHit};
use futures_util::{StreamExt, stream};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use toolscout_catalog::findings::{self, ToolNameIndex};
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{
    BoxFuture, Cx, RawJson, Source, SourceError, SourceId, Tool, ToolCall, ToolId, ToolName,
    counted, escape,
};

/// Number of remote gateways queried at the same time.
const MAX_CONCURRENT_QUERIES: usize = 8;
/// Time limit for all of them together.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Reduction of the time limit for each gateway that has forwarded the search.
const TIME_LIMIT_STEP: Duration = Duration::from_millis(900);
/// If the best local score is lower than this, it is worth starting a server that may have a better
/// tool.
const WEAK_SCORE: f64 = 0.5;
/// Maximum number of characters quoted from a tool name.
const MAX_QUOTED_CHARS: usize = 80;

/// A source and its response. The error is a message for the user, if there is something to report.
type RemoteSearchOutcome = (Arc<dyn Source>, Result<RemoteSearchResponse, Option<String>>);

/// The results of one source.
pub(super) type RemoteHits = (Arc<dyn Source>, RemoteSearchResponse);

impl Gateway {
    /// Merges the hits of the catalog with those of remote gateways. Returns the best hits, and
    /// notes about sources that could not be queried.
    ///
    /// Running servers are always queried. Servers that would have to be started are queried only
    /// if the catalog has too few hits, or no good one. Cancel-safe: requests to servers are
    /// cancelled.
    pub async fn search_remote(
        &self,
        view: &CatalogView,
        query: &Query<'_>,
        local: Vec<SearchHit>,
        cx: &Cx,
    ) -> (Vec<SearchHit>, Vec<String>) {
        if view.remote_gateways().next().is_none() {
            return (local, Vec::new());
        }
        if cx.via.contains(&self.federation.name) {
            // The gateway that received the search first already has these tools.
            return (
                Vec::new(),
                vec![
                    "this gateway was reached through itself, so its tools are not listed again"
                        .to_owned(),
                ],
            );
        }
        if cx.via.len() >= MAX_GATEWAYS {
            return (
                local,
                vec![format!(
                    "no remote servers were searched: the request already passed through {MAX_GATEWAYS} gateways"
                )],
            );
        }
        let most =
            if query.limit == 0 { Query::DEFAULT_LIMIT } else { query.limit.min(Query::MAX_LIMIT) };
        let is_weak =
            local.len() < most || local.first().is_none_or(|local| local.score < WEAK_SCORE);
        let sources = sources_to_query(view, query.sources, is_weak).collect();
        let (remote, notes) = self.search_sources(view, sources, query.text, most, cx).await;
        (merged(local, remote, most), notes)
    }

    /// All tools that running remote gateways return for an empty query, sorted by id. Starts
    /// nothing.
    pub async fn list_remote(&self, view: &CatalogView, cx: &Cx) -> Vec<Arc<Tool>> {
        let sources = sources_to_query(view, None, false).collect();
        let (hits, _) = self.search_sources(view, sources, "", Query::MAX_LIMIT, cx).await;
        let all: BTreeMap<_, _> =
            hits.into_iter().map(|hit| (hit.tool.id.clone(), hit.tool)).collect();
        all.into_values().collect()
    }

    async fn search_sources(
        &self,
        view: &CatalogView,
        sources: Vec<Arc<dyn Source>>,
        query: &str,
        most: usize,
        cx: &Cx,
    ) -> (Vec<SearchHit>, Vec<String>) {
        let cx = cx.clone().within(time_limit(cx));
        let queries: Vec<_> = sources
            .into_iter()
            .map(|source| self.query_source(view, source, query, most, &cx))
            .collect();
        // The results stay in the order of the sources, independent of response times.
        let outcomes: Vec<_> =
            stream::iter(queries).buffered(MAX_CONCURRENT_QUERIES).collect().await;
        let (mut responses, mut notes) = (Vec::new(), Vec::new());
        for (source, outcome) in outcomes {
            match outcome {
                Ok(outcome) => responses.push((source, outcome)),
                Err(reason) => notes.extend(
                    reason.map(|reason| format!("could not search `{}`: {reason}", source.id())),
                ),
            }
        }
        let (hits, left_out) = self.accept_hits(view, responses, &self.requester_key(&cx));
        notes.extend(left_out);
        (hits, notes)
    }

    fn query_source<'a>(
        &'a self,
        view: &'a CatalogView,
        source: Arc<dyn Source>,
        query: &'a str,
        most: usize,
        cx: &'a Cx,
    ) -> BoxFuture<'a, RemoteSearchOutcome> {
        Box::pin(async move {
            let outcome = self.query_remote(view, &source, query, most, cx).await;
            (source, outcome)
        })
    }

    /// Queries one remote gateway. The error is a message for the user, if there is something to
    /// report.
    pub(super) async fn query_remote(
        &self,
        view: &CatalogView,
        source: &Arc<dyn Source>,
        query: &str,
        most: usize,
        cx: &Cx,
    ) -> Result<RemoteSearchResponse, Option<String>> {
        if cx.via.len() >= MAX_GATEWAYS || cx.via.contains(&self.federation.name) {
            return Err(None);
        }
        let id = delegation::id(source.id(), delegation::SEARCH).ok_or(None)?;
        let (meta_tool, _) = view.catalog.tool(&id).ok_or(None)?;
        let arguments = delegation::search_arguments(meta_tool, query, most);
        let meta = Some(forwarded_meta(None, &cx.via, &self.federation.name));
        let call = ToolCall { meta, ..ToolCall::new(id, arguments) };
        // A search must not prompt the user.
        let cx = Cx {
            progress: None,
            log: None,
            approval_prompt: None,
            reverse_channel: None,
            ..cx.clone()
        }
        .within(time_limit(cx));
        let query_run = self.run(view.clone().through_meta_tools(), call, cx.clone(), None);
        match crate::tasks::until_deadline(&cx, query_run).await {
            Some(Ok(output)) => response::parse(&output, most).map_err(Some),
            Some(Err(error)) => Err(error_note(&error)),
            None => Err(Some("it timed out".to_owned())),
        }
    }

    /// The hits that may be shown, cached for later calls; and notes about those left out.
    pub(super) fn accept_hits(
        &self,
        view: &CatalogView,
        responses: Vec<RemoteHits>,
        requester: &RequesterKey,
    ) -> (Vec<SearchHit>, Vec<String>) {
        let mut notes = Vec::new();
        let mut hits = Vec::new();
        for (source, response) in responses {
            if response.too_large > 0 {
                let tools = counted(response.too_large, "tool");
                notes.push(format!("{tools} of `{}` skipped: too large to show", source.id()));
            }
            let described = response
                .items
                .into_iter()
                .filter_map(|item| Some((tool(view, &source, &item)?, item.score, item.digest)));
            hits.extend(
                described
                    .map(|(tool, score, digest)| (source.clone(), Arc::new(tool), score, digest)),
            );
        }
        // Built only if there is a new definition to scan. A tool that mentions tools of its own
        // server does not try to control those of others.
        let names: OnceLock<ToolNameIndex> = OnceLock::new();
        let own: Vec<ToolId> = hits
            .iter()
            .flat_map(|(_, tool, ..)| [Some(tool.id.clone()), bare_id(&tool.id)])
            .flatten()
            .collect();
        let names = || {
            names.get_or_init(|| {
                ToolNameIndex::new(view.catalog.all.tools().map(|tool| &tool.id).chain(&own))
            })
        };
        let mut accepted = Vec::new();
        for (source, tool, score, digest) in hits {
            if !self.federation.definitions.has(requester, &source, &tool) {
                let findings = findings::scan(&tool, names());
                if let Some(worst) = findings::worst_severe(&findings) {
                    let name: String =
                        escape::line(&tool.id.to_string()).chars().take(MAX_QUOTED_CHARS).collect();
                    notes.push(format!("`{name}` is skipped: its definition has {}", worst.kind));
                    continue;
                }
            }
            self.federation.definitions.insert(requester, &source, tool.clone(), digest);
            let reason = vec![format!("found by {}", source.id())];
            accepted.push(SearchHit { tool, score, why: reason });
        }
        (accepted, notes)
    }
}

/// The best hits, best first, without duplicates. For equal scores, local hits come first, then
/// those of the source queried first, so the result is deterministic.
fn merged(local: Vec<SearchHit>, remote: Vec<SearchHit>, most: usize) -> Vec<SearchHit> {
    let mut all: Vec<_> = local.into_iter().chain(remote).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen = HashSet::new();
    all.retain(|hit| seen.insert(hit.tool.id.clone()));
    all.truncate(most);
    all
}

/// A search for another gateway has less time than that gateway, so that partial results arrive in
/// time.
fn time_limit(cx: &Cx) -> Duration {
    TIME_LIMIT.saturating_sub(TIME_LIMIT_STEP * cx.via.len() as u32)
}

/// The sources to query: only these, or all. Servers that are not running are included only if
/// `is_worth_starting`.
fn sources_to_query(
    view: &CatalogView,
    only: Option<&[SourceId]>,
    is_worth_starting: bool,
) -> impl Iterator<Item = Arc<dyn Source>> {
    let gateways = view
        .remote_gateways()
        .filter(move |gateway| only.is_none_or(|only| only.contains(gateway)));
    let sources = gateways.filter_map(|item| view.source(item)).cloned();
    sources.filter(move |source| {
        source.delegation().is_some_and(|delegation| delegation.is_running || is_worth_starting)
    })
}

/// The tool that an item describes; `None` if the catalog has it, it is disabled, or its name is
/// invalid.
fn tool(
    view: &CatalogView,
    source: &Arc<dyn Source>,
    item: &response::RemoteToolDescription,
) -> Option<Tool> {
    let name = &item.name;
    if name.len() > MAX_NAME_BYTES || delegation::names_meta_tool(name) {
        return None;
    }
    if delegation::forms(name).any(|form| super::listed(view, source, &form).is_some()) {
        return None;
    }
    let mut tool = Tool::new(ToolId::new(source.id().clone(), ToolName::new(name).ok()?));
    tool.title = item.title.clone();
    tool.description = item.description.clone();
    tool.input_schema = item.input_schema.clone().unwrap_or_else(any_object_schema);
    tool.annotations = item.annotations.clone();
    tool.provenance.trusted =
        view.catalog.tool(&delegation::id(source.id(), delegation::EXECUTE)?)?.0.provenance.trusted;
    (view.policy(&tool).policy != Policy::Disable).then_some(tool)
}

/// The input schema of a tool whose schema is unknown: it accepts any object.
pub(super) fn any_object_schema() -> RawJson {
    RawJson::from_value(&serde_json::json!({"type": "object"}))
}

fn bare_id(id: &ToolId) -> Option<ToolId> {
    Some(ToolId::new(id.source.clone(), ToolName::new(delegation::bare(id.name.as_str())).ok()?))
}

/// The message for an error. A disabled meta tool counts as absent, so it has none.
fn error_note(error: &Error) -> Option<String> {
    let reason = match error {
        Error::Refused(AuthorizationError::Disabled { .. }) => return None,
        Error::Source(SourceError::Unavailable { what, .. } | SourceError::Busy { what, .. }) => {
            what.clone()
        }
        error => error.to_string(),
    };
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    Some(escape::line(&format!("{reason}{hint}")).into_owned())
}

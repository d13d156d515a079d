//! Queries remote gateways, in addition to the search in the catalog.

use super::LONGEST_NAME;
use super::answer::{self, RemoteSearchResponse};
use super::definitions::RequesterKey;
use super::via::{DEEPEST, passed_on};
use crate::delegation;
use crate::{CatalogView, Error, Gateway, Query, SearchHit};
use futures_util::{StreamExt, stream};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use toolscout_catalog::findings::{self, Severity, ToolNameIndex};
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{
    BoxFuture, Cx, RawJson, Source, SourceError, SourceId, Tool, ToolCall, ToolId, ToolName, escape,
};

/// Number of remote gateways queried at the same time.
const TOGETHER: usize = 8;
/// Time limit for all of them together.
const PATIENCE: Duration = Duration::from_secs(3);
/// Reduction of the time limit for each gateway that has forwarded the search.
const LESS: Duration = Duration::from_millis(900);
/// If the best local score is lower than this, it is worth starting a server that may have a better
/// tool.
const WEAK: f64 = 0.5;
/// Maximum number of characters quoted from a tool name.
const TOLD: usize = 80;

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
        if view.delegates().next().is_none() {
            return (local, Vec::new());
        }
        if cx.via.contains(&self.federation.name) {
            // The gateway that received the search first already has these tools.
            return (Vec::new(), vec!["this gateway is asking itself, through others".to_owned()]);
        }
        if cx.via.len() >= DEEPEST {
            return (
                local,
                vec![format!(
                    "no further servers were searched: {DEEPEST} gateways have passed this on"
                )],
            );
        }
        let most =
            if query.limit == 0 { Query::DEFAULT_LIMIT } else { query.limit.min(Query::MAX_LIMIT) };
        let is_weak = local.len() < most || local.first().is_none_or(|it| it.score < WEAK);
        let asked = to_ask(view, query.sources, is_weak).collect();
        let (remote, notes) = self.search_sources(view, asked, query.text, most, cx).await;
        (merged(local, remote, most), notes)
    }

    /// All tools that running remote gateways return for an empty query, sorted by id. Starts
    /// nothing.
    pub async fn list_remote(&self, view: &CatalogView, cx: &Cx) -> Vec<Arc<Tool>> {
        let asked = to_ask(view, None, false).collect();
        let (found, _) = self.search_sources(view, asked, "", Query::MAX_LIMIT, cx).await;
        let all: BTreeMap<_, _> =
            found.into_iter().map(|it| (it.tool.id.clone(), it.tool)).collect();
        all.into_values().collect()
    }

    async fn search_sources(
        &self,
        view: &CatalogView,
        asked: Vec<Arc<dyn Source>>,
        query: &str,
        most: usize,
        cx: &Cx,
    ) -> (Vec<SearchHit>, Vec<String>) {
        let cx = cx.clone().within(patience(cx));
        let asking: Vec<_> =
            asked.into_iter().map(|it| self.asked(view, it, query, most, &cx)).collect();
        // The results stay in the order of the sources, independent of response times.
        let answers: Vec<_> = stream::iter(asking).buffered(TOGETHER).collect().await;
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for (source, answer) in answers {
            match answer {
                Ok(answer) => found.push((source, answer)),
                Err(why) => notes
                    .extend(why.map(|why| format!("could not search `{}`: {why}", source.id()))),
            }
        }
        let (hits, left_out) = self.vetted(view, found, &self.found_for(&cx));
        notes.extend(left_out);
        (hits, notes)
    }

    fn asked<'a>(
        &'a self,
        view: &'a CatalogView,
        source: Arc<dyn Source>,
        query: &'a str,
        most: usize,
        cx: &'a Cx,
    ) -> BoxFuture<'a, RemoteSearchOutcome> {
        Box::pin(async move {
            let answer = self.ask_remote(view, &source, query, most, cx).await;
            (source, answer)
        })
    }

    /// Queries one remote gateway. The error is a message for the user, if there is something to
    /// report.
    pub(super) async fn ask_remote(
        &self,
        view: &CatalogView,
        source: &Arc<dyn Source>,
        query: &str,
        most: usize,
        cx: &Cx,
    ) -> Result<RemoteSearchResponse, Option<String>> {
        if cx.via.len() >= DEEPEST || cx.via.contains(&self.federation.name) {
            return Err(None);
        }
        let id = delegation::id(source.id(), delegation::SEARCH).ok_or(None)?;
        let (meta_tool, _) = view.catalog.tool(&id).ok_or(None)?;
        let arguments = delegation::search_arguments(meta_tool, query, most);
        let meta = Some(passed_on(None, &cx.via, &self.federation.name));
        let call = ToolCall { meta, ..ToolCall::new(id, arguments) };
        // A search must not prompt the user.
        let cx = Cx { progress: None, asker: None, counterpart: None, ..cx.clone() }
            .within(patience(cx));
        let asking = self.run(view.clone().through_meta_tools(), call, cx.clone());
        match crate::tasks::until_deadline(&cx, asking).await {
            Some(Ok(output)) => answer::read(&output, most).map_err(Some),
            Some(Err(error)) => Err(told(&error)),
            None => Err(Some("it took too long".to_owned())),
        }
    }

    /// The hits that may be shown, cached for later calls; and notes about those left out.
    pub(super) fn vetted(
        &self,
        view: &CatalogView,
        found: Vec<RemoteHits>,
        whose: &RequesterKey,
    ) -> (Vec<SearchHit>, Vec<String>) {
        let mut notes = Vec::new();
        let mut hits = Vec::new();
        for (source, answer) in found {
            if answer.too_large > 0 {
                notes.push(format!(
                    "{} tools of `{}` are too large to be shown",
                    answer.too_large,
                    source.id()
                ));
            }
            let read = answer
                .items
                .into_iter()
                .filter_map(|it| Some((tool(view, &source, &it)?, it.score, it.digest)));
            hits.extend(
                read.map(|(tool, score, digest)| (source.clone(), Arc::new(tool), score, digest)),
            );
        }
        // Built only if there is a new definition to scan. A tool that mentions tools of its own
        // server does not try to control those of others.
        let names: OnceLock<ToolNameIndex> = OnceLock::new();
        let own: Vec<ToolId> = hits
            .iter()
            .flat_map(|(_, tool, ..)| [Some(tool.id.clone()), as_bare(&tool.id)])
            .flatten()
            .collect();
        let names = || {
            names.get_or_init(|| {
                ToolNameIndex::of(view.catalog.all.tools().map(|it| &it.id).chain(&own))
            })
        };
        let mut shown = Vec::new();
        for (source, tool, score, digest) in hits {
            if !self.federation.definitions.has(whose, &source, &tool) {
                let findings = findings::scan(&tool, names());
                if let Some(worst) = findings.iter().find(|it| it.severity == Severity::Severe) {
                    let name: String =
                        escape::line(&tool.id.to_string()).chars().take(TOLD).collect();
                    notes.push(format!("`{name}` is left out: {} in what it says", worst.kind));
                    continue;
                }
            }
            self.federation.definitions.keep(whose, &source, tool.clone(), digest);
            let why = vec![format!("found by {}", source.id())];
            shown.push(SearchHit { tool, score, why });
        }
        (shown, notes)
    }
}

/// The best hits, best first, without duplicates. For equal scores, local hits come first, then
/// those of the source queried first, so the result is deterministic.
fn merged(local: Vec<SearchHit>, remote: Vec<SearchHit>, most: usize) -> Vec<SearchHit> {
    let mut all: Vec<_> = local.into_iter().chain(remote).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(it.tool.id.clone()));
    all.truncate(most);
    all
}

/// A search for another gateway has less time than that gateway, so that partial results arrive in
/// time.
fn patience(cx: &Cx) -> Duration {
    PATIENCE.saturating_sub(LESS * cx.via.len() as u32)
}

/// The sources to query: only these, or all. Servers that are not running are included only if
/// `is_worth_starting`.
fn to_ask(
    view: &CatalogView,
    only: Option<&[SourceId]>,
    is_worth_starting: bool,
) -> impl Iterator<Item = Arc<dyn Source>> {
    let wanted = view.delegates().filter(move |it| only.is_none_or(|only| only.contains(it)));
    let sources = wanted.filter_map(|it| view.source(it)).cloned();
    sources.filter(move |it| it.delegation().is_some_and(|it| it.is_up || is_worth_starting))
}

/// The tool that an item describes; `None` if the catalog has it, it is disabled, or its name is
/// invalid.
fn tool(
    view: &CatalogView,
    source: &Arc<dyn Source>,
    item: &answer::RemoteToolDescription,
) -> Option<Tool> {
    let name = &item.name;
    if name.len() > LONGEST_NAME || delegation::names_meta_tool(name) {
        return None;
    }
    if delegation::forms(name).any(|it| super::listed(view, source, &it).is_some()) {
        return None;
    }
    let mut tool = Tool::new(ToolId::new(source.id().clone(), ToolName::new(name).ok()?));
    tool.title = item.title.clone();
    tool.description = item.description.clone();
    tool.input_schema = item.input_schema.clone().unwrap_or_else(anything);
    tool.annotations = item.annotations.clone();
    tool.provenance.trusted =
        view.catalog.tool(&delegation::id(source.id(), delegation::EXECUTE)?)?.0.provenance.trusted;
    (view.policy(&tool).policy != Policy::Disable).then_some(tool)
}

/// The input schema of a tool whose schema is unknown: it accepts any object.
pub(super) fn anything() -> RawJson {
    RawJson::from_value(&serde_json::json!({"type": "object"}))
}

fn as_bare(id: &ToolId) -> Option<ToolId> {
    Some(ToolId::new(id.source.clone(), ToolName::new(delegation::bare(id.name.as_str())).ok()?))
}

/// The message for an error. A disabled meta tool counts as absent, so it has none.
fn told(error: &Error) -> Option<String> {
    let why = match error {
        Error::Refused(AuthorizationError::Disabled { .. }) => return None,
        Error::Source(SourceError::Unavailable { what, .. } | SourceError::Busy { what, .. }) => {
            what.clone()
        }
        error => error.to_string(),
    };
    let hint = error.hint().map(|it| format!(" ({it})")).unwrap_or_default();
    Some(escape::line(&format!("{why}{hint}")).into_owned())
}

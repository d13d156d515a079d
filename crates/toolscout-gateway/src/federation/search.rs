//! Asks those who search for themselves, beside the search in the catalog.

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
use toolscout_core::{BoxFuture, Cx, RawJson, Source, SourceError, SourceId, Tool, ToolCall, ToolId, ToolName, escape};

/// So many are asked at the same time.
const TOGETHER: usize = 8;
/// So long they all have together.
const PATIENCE: Duration = Duration::from_secs(3);
/// By so much less for each gateway that has passed the question on.
const LESS: Duration = Duration::from_millis(900);
/// Where the best hit here is worth less, it is worth it to start a server that may know better.
const WEAK: f64 = 0.5;
/// Characters of a name that are repeated.
const TOLD: usize = 80;

/// Who was asked, and what came of it; the error says why nothing did, where that is to be said.
type RemoteSearchOutcome = (Arc<dyn Source>, Result<RemoteSearchResponse, Option<String>>);

/// What one source has found.
pub(super) type RemoteHits = (Arc<dyn Source>, RemoteSearchResponse);

impl Gateway {
    /// What was found in the catalog, and what sources have found that search for themselves: the best of it, and what
    /// there is to say about who could not be asked.
    ///
    /// Who is up is always asked; who would have to be started only where the catalog has too few hits, or none that fits
    /// well. Cancel-safe: whoever is being asked is told that nobody waits any more.
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
            // Whoever asked first has all of this already.
            return (Vec::new(), vec!["this gateway is asking itself, through others".to_owned()]);
        }
        if cx.via.len() >= DEEPEST {
            return (local, vec![format!("no further servers were searched: {DEEPEST} gateways have passed this on")]);
        }
        let most = if query.limit == 0 { Query::DEFAULT_LIMIT } else { query.limit.min(Query::MAX_LIMIT) };
        let is_weak = local.len() < most || local.first().is_none_or(|it| it.score < WEAK);
        let asked = to_ask(view, query.sources, is_weak).collect();
        let (remote, notes) = self.search_sources(view, asked, query.text, most, cx).await;
        (merged(local, remote, most), notes)
    }

    /// All that sources list that search for themselves and are up, as far as they show it to who asks for everything; by
    /// their ids. Starts nothing.
    pub async fn list_remote(&self, view: &CatalogView, cx: &Cx) -> Vec<Arc<Tool>> {
        let asked = to_ask(view, None, false).collect();
        let (found, _) = self.search_sources(view, asked, "", Query::MAX_LIMIT, cx).await;
        let all: BTreeMap<_, _> = found.into_iter().map(|it| (it.tool.id.clone(), it.tool)).collect();
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
        let asking: Vec<_> = asked.into_iter().map(|it| self.asked(view, it, query, most, &cx)).collect();
        // In the order in which they are known, however fast they are.
        let answers: Vec<_> = stream::iter(asking).buffered(TOGETHER).collect().await;
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for (source, answer) in answers {
            match answer {
                Ok(answer) => found.push((source, answer)),
                Err(why) => notes.extend(why.map(|why| format!("could not search `{}`: {why}", source.id()))),
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

    /// What one source finds. The error says why it could not be asked, where that is to be said.
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
        // Nobody is asked anything in the middle of a search.
        let cx = Cx { progress: None, asker: None, counterpart: None, ..cx.clone() }.within(patience(cx));
        let asking = self.run(view.clone().through_meta_tools(), call, cx.clone());
        match crate::tasks::until_deadline(&cx, asking).await {
            Some(Ok(output)) => answer::read(&output, most).map_err(Some),
            Some(Err(error)) => Err(told(&error)),
            None => Err(Some("it took too long".to_owned())),
        }
    }

    /// The hits that may be shown, remembered for who calls them; and what was left out.
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
                notes.push(format!("{} tools of `{}` are too large to be shown", answer.too_large, source.id()));
            }
            let read = answer.items.into_iter().filter_map(|it| Some((tool(view, &source, &it)?, it.score, it.digest)));
            hits.extend(read.map(|(tool, score, digest)| (source.clone(), Arc::new(tool), score, digest)));
        }
        // Gathered when something new has to be looked through. Who mentions tools of its own server gives no orders about
        // those of others.
        let names: OnceLock<ToolNameIndex> = OnceLock::new();
        let own: Vec<ToolId> =
            hits.iter().flat_map(|(_, tool, ..)| [Some(tool.id.clone()), as_bare(&tool.id)]).flatten().collect();
        let names = || names.get_or_init(|| ToolNameIndex::of(view.catalog.all.tools().map(|it| &it.id).chain(&own)));
        let mut shown = Vec::new();
        for (source, tool, score, digest) in hits {
            if !self.federation.definitions.has(whose, &source, &tool) {
                let findings = findings::scan(&tool, names());
                if let Some(worst) = findings.iter().find(|it| it.severity == Severity::Severe) {
                    let name: String = escape::line(&tool.id.to_string()).chars().take(TOLD).collect();
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

/// The best of all, best first, no tool twice. Among equals local ones come first, then those of the source that
/// was asked first, so the same lists always make the same one.
fn merged(local: Vec<SearchHit>, remote: Vec<SearchHit>, most: usize) -> Vec<SearchHit> {
    let mut all: Vec<_> = local.into_iter().chain(remote).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(it.tool.id.clone()));
    all.truncate(most);
    all
}

/// Who asks for another gateway has less time than that one, so that what was found until then gets through.
fn patience(cx: &Cx) -> Duration {
    PATIENCE.saturating_sub(LESS * cx.via.len() as u32)
}

/// Who is asked: these, or all; and of those that would have to be started only where it is worth it.
fn to_ask(
    view: &CatalogView,
    only: Option<&[SourceId]>,
    is_worth_starting: bool,
) -> impl Iterator<Item = Arc<dyn Source>> {
    let wanted = view.delegates().filter(move |it| only.is_none_or(|only| only.contains(it)));
    let sources = wanted.filter_map(|it| view.source(it)).cloned();
    sources.filter(move |it| it.delegation().is_some_and(|it| it.is_up || is_worth_starting))
}

/// The tool that an item describes; none where the catalog has it, where it is disabled, or where it cannot be one.
fn tool(view: &CatalogView, source: &Arc<dyn Source>, item: &answer::RemoteToolDescription) -> Option<Tool> {
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

/// Of whom nobody knows what they take, they take everything.
pub(super) fn anything() -> RawJson {
    RawJson::from_value(&serde_json::json!({"type": "object"}))
}

fn as_bare(id: &ToolId) -> Option<ToolId> {
    Some(ToolId::new(id.source.clone(), ToolName::new(delegation::bare(id.name.as_str())).ok()?))
}

/// What is disabled is as good as not there; all else is said.
fn told(error: &Error) -> Option<String> {
    let why = match error {
        Error::Refused(AuthorizationError::Disabled { .. }) => return None,
        Error::Source(SourceError::Unavailable { what, .. } | SourceError::Busy { what, .. }) => what.clone(),
        error => error.to_string(),
    };
    let hint = error.hint().map(|it| format!(" ({it})")).unwrap_or_default();
    Some(escape::line(&format!("{why}{hint}")).into_owned())
}

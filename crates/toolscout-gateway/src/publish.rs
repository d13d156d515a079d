//! The one place where what the gateway knows is replaced.

use crate::approvals::ReviewRun;
use crate::delegation;
use crate::policy::Policies;
use crate::published::PublishedCatalog;
use crate::registered;
use crate::scope::{Scope, Scopes};
use crate::search::SearchEngine;
use crate::shadowing;
use crate::sources::SourceSet;
use crate::{Approvals, DuplicateSource, RefreshOutcome};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use toolscout_catalog::findings::{self, Finding, FindingKind, ToolNameIndex};
use toolscout_catalog::{Snapshot, SourceDiscovery};
use toolscout_core::{Diagnostic, ReviewMode, Source, SourceError, SourceId, Status, Tool};

/// What is known now, with what is needed to replace it.
pub(crate) struct CatalogPublisher {
    pub(crate) approvals: Approvals,
    published: ArcSwap<PublishedCatalog>,
    scopes: ArcSwap<Scopes>,
    /// The catalogs of named scopes, each with the moment it was made of; at most one for each scope.
    scoped: Mutex<HashMap<Arc<str>, Arc<PublishedCatalog>>>,
    /// Whoever has this is the one writer. Readers never wait.
    state: Mutex<PublisherState>,
    tickets: AtomicU64,
    /// Counts how often what is shown became something else.
    pub(crate) changes: watch::Sender<u64>,
    /// Counts how often sources came or went.
    pub(crate) comings: watch::Sender<u64>,
}

/// What came of asking one source.
pub(crate) type DiscoveryResult = (Arc<dyn Source>, Result<SourceDiscovery, SourceError>);

/// Says who began to ask first. Sources may be asked by several at a time; who began later has seen more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

#[derive(Default)]
struct PublisherState {
    /// What sources under review found, before anything was held.
    unreviewed: BTreeMap<SourceId, (ReviewMode, Arc<SourceDiscovery>)>,
    /// Of the newest discovery of each source that was published.
    tickets: HashMap<SourceId, Ticket>,
}

impl PublisherState {
    /// What is decided until the source is asked is decided on its terms.
    fn review_on_terms_of(&mut self, source: &Arc<dyn Source>) {
        match (source.review(), self.unreviewed.get_mut(source.id())) {
            (ReviewMode::Unneeded, _) => drop(self.unreviewed.remove(source.id())),
            (review, Some((terms, _))) => *terms = review,
            (_, None) => {}
        }
    }

    fn forget(&mut self, source: &SourceId) {
        self.unreviewed.remove(source);
        self.tickets.remove(source);
    }
}

impl CatalogPublisher {
    pub(crate) fn new(approvals: Approvals, policies: Policies, sources: SourceSet, searching: SearchEngine) -> Self {
        Self {
            approvals,
            published: ArcSwap::from_pointee(PublishedCatalog::first(policies, sources, searching)),
            scopes: ArcSwap::default(),
            scoped: Mutex::default(),
            state: Mutex::default(),
            tickets: AtomicU64::new(0),
            changes: watch::Sender::new(0),
            comings: watch::Sender::new(0),
        }
    }

    pub(crate) fn now(&self) -> Arc<PublishedCatalog> {
        self.published.load_full()
    }

    /// The scope of this name.
    pub(crate) fn scope(&self, name: &str) -> Option<Arc<Scope>> {
        self.scopes.load().named.get(name).cloned()
    }

    /// What is known now within a scope. It is made once for each moment and scope.
    pub(crate) fn within(&self, scope: Option<&str>) -> Arc<PublishedCatalog> {
        let now = self.now();
        let Some(name) = scope else { return now };
        let Some(scope) = self.scope(name) else {
            return Arc::new(PublishedCatalog::within(now, Arc::new(Scope::nothing())));
        };
        let mut scoped = self.scoped.lock();
        if let Some(cached) = scoped.get(name).filter(|it| it.is_within(&now, &scope)) {
            return cached.clone();
        }
        let made = Arc::new(PublishedCatalog::within(now, scope));
        scoped.insert(name.into(), made.clone());
        made
    }

    /// Replaces the scopes.
    pub(crate) fn set_scopes(&self, scopes: Scopes) {
        let _state = self.state.lock();
        let is_other = scopes.named != self.scopes.load().named;
        let now = self.now();
        let everything = scopes.everything.clone();
        self.scoped.lock().retain(|name, _| scopes.named.contains_key(name));
        self.scopes.store(Arc::new(scopes));
        if everything != now.scope {
            self.show(everything, now.all.clone(), now.policies.clone(), now.sources.clone());
        }
        if is_other {
            self.changes.send_modify(|count| *count += 1);
        }
    }

    /// Replaces all sources at once: what is gone is gone from lists and searches, what is new is known after a refresh.
    pub(crate) fn set_sources(&self, all: Vec<Arc<dyn Source>>) -> Result<(), DuplicateSource> {
        let mut state = self.state.lock();
        let now = self.now();
        let all = SourceSet::of(all)?;
        let stays = now.sources.all().iter().filter_map(|it| all.by_id(it.id()));
        let comes = all.all().iter().filter(|it| now.sources.by_id(it.id()).is_none());
        let sources = SourceSet::of(stays.chain(comes).cloned().collect())?;
        let mut known = (*now.all).clone();
        for gone in now.sources.all().iter().filter(|it| sources.by_id(it.id()).is_none()) {
            state.forget(gone.id());
            known = known.without(gone.id());
        }
        sources.all().iter().for_each(|source| state.review_on_terms_of(source));
        self.show(now.scope.clone(), Arc::new(known), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        Ok(())
    }

    /// To be drawn before anybody is asked.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed))
    }

    /// Reviews what was found, and shows it. What a source says that is gone by now, or that somebody has asked again
    /// since, is not news.
    pub(crate) fn publish(&self, found: Vec<DiscoveryResult>, ticket: Ticket) -> RefreshOutcome {
        let mut refreshed = RefreshOutcome::default();
        let mut state = self.state.lock();
        let before = self.now();
        let mut discoveries = Vec::new();
        for (source, found) in found {
            let id = source.id().clone();
            let discovery = match found {
                _ if !before.sources.has(&source) || state.tickets.get(&id) > Some(&ticket) => continue,
                Ok(discovery) => Arc::new(discovery),
                Err(error) => {
                    refreshed.failed.push((id, error));
                    continue;
                }
            };
            refreshed.problems.extend(discovery.problems.iter().cloned());
            state.tickets.insert(id.clone(), ticket);
            match source.review() {
                ReviewMode::Unneeded => state.unreviewed.remove(&id),
                review => state.unreviewed.insert(id, (review, discovery.clone())),
            };
            discoveries.push(discovery);
        }
        let found: Vec<_> = discoveries.iter().map(|it| it.source.clone()).collect();
        let (next, shadowed) = before.all.merge(discoveries);
        let (next, news) = self.reviewed(next, &state, &found);
        registered::log(&next, &refreshed.failed);
        self.show(before.scope.clone(), Arc::new(next), before.policies.clone(), before.sources.clone());
        refreshed.problems.extend(shadowed.into_iter().map(|it| shadowing::told(it, &before.policies)));
        refreshed.problems.extend(news);
        refreshed
    }

    /// One more source, of which nothing is known yet.
    pub(crate) fn add(&self, source: Arc<dyn Source>) -> Result<(), DuplicateSource> {
        let _state = self.state.lock();
        let now = self.now();
        let sources = (*now.sources).clone().with(source)?;
        self.show(now.scope.clone(), now.all.clone(), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        Ok(())
    }

    /// Without this source, and without all that is known of it.
    pub(crate) fn remove(&self, id: &SourceId) -> bool {
        let mut state = self.state.lock();
        let now = self.now();
        let Some(sources) = now.sources.without(id) else { return false };
        state.forget(id);
        self.show(now.scope.clone(), Arc::new(now.all.without(id)), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        true
    }

    /// Another source in the place of the one of its id; gives that one.
    pub(crate) fn replace(&self, source: Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        let mut state = self.state.lock();
        let now = self.now();
        let old = now.sources.by_id(source.id())?.clone();
        state.review_on_terms_of(&source);
        let sources = (*now.sources).clone().replacing(source)?;
        self.show(now.scope.clone(), now.all.clone(), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        Some(old)
    }

    /// Reviews one source again, after a person has decided something.
    pub(crate) fn review_again(&self, source: &SourceId) {
        let state = self.state.lock();
        let now = self.now();
        let found: Vec<_> = state.unreviewed.get(source).map(|(_, it)| it.clone()).into_iter().collect();
        let (next, _) = self.reviewed(now.all.merge(found).0, &state, std::slice::from_ref(source));
        self.show(now.scope.clone(), Arc::new(next), now.policies.clone(), now.sources.clone());
    }

    /// Other policies hold from now on.
    pub(crate) fn change_policies(&self, change: impl FnOnce(&Policies) -> Policies) {
        let _state = self.state.lock();
        let now = self.now();
        self.show(now.scope.clone(), now.all.clone(), Arc::new(change(&now.policies)), now.sources.clone());
    }

    /// What a source under review was found to have, before anything was held, and its terms.
    pub(crate) fn found(&self, source: &SourceId) -> Option<(ReviewMode, Vec<Arc<Tool>>)> {
        self.state.lock().unreviewed.get(source).map(|(review, discovery)| (review.clone(), discovery.tools.clone()))
    }

    /// The sources under review.
    pub(crate) fn under_review(&self) -> Vec<SourceId> {
        self.state.lock().unreviewed.keys().cloned().collect()
    }

    /// Looks through definitions beside all others that are known now.
    pub(crate) fn scanner(&self) -> impl Fn(&Tool) -> Vec<Finding> {
        let now = self.now();
        scanner(now.all.clone(), now.sources.clone())
    }

    /// The snapshot, which has what these sources were found to have, with what nobody has approved held.
    fn reviewed(&self, next: Snapshot, state: &PublisherState, sources: &[SourceId]) -> (Snapshot, Vec<Diagnostic>) {
        let under_review: Vec<_> = sources.iter().filter_map(|it| state.unreviewed.get(it)).collect();
        if under_review.is_empty() {
            return (next, Vec::new());
        }
        let next = Arc::new(next);
        let scan = scanner(next.clone(), self.now().sources.clone());
        let mut reviews = self.approvals.reviews();
        let (mut reasons, mut news) = (HashMap::new(), Vec::new());
        for (review, discovery) in under_review {
            let checked = reviews.review(&discovery.source, review, &discovery.tools, &scan);
            news.extend(checked.problems);
            if !checked.held.is_empty() {
                reasons.insert(&discovery.source, checked.held);
            }
        }
        reviews.keep();
        let reason = |tool: &Tool| reasons.get(&tool.id.source)?.get(tool.id.name.as_str());
        (next.each(|it| Some(held_for(it, reason(it)))), news)
    }

    /// Replaces what is known.
    fn show(&self, scope: Arc<Scope>, all: Arc<Snapshot>, policies: Arc<Policies>, sources: Arc<SourceSet>) {
        let before = self.now();
        let next = PublishedCatalog::after(&before, scope, all, policies, sources);
        let is_other = !next.shown.is_like(&before.shown);
        self.published.store(Arc::new(next));
        if is_other {
            self.changes.send_modify(|it| *it += 1);
        }
    }
}

/// What was found, with what nobody has approved held; and what is new about that.
pub(crate) fn held(
    reviews: &mut ReviewRun<'_>,
    terms: &ReviewMode,
    found: &SourceDiscovery,
    scan: impl Fn(&Tool) -> Vec<Finding>,
) -> (SourceDiscovery, Vec<Diagnostic>) {
    let checked = reviews.review(&found.source, terms, &found.tools, scan);
    let reason = |tool: &Tool| checked.held.get(tool.id.name.as_str());
    (found.each(|it| Some(held_for(it, reason(it)))), checked.problems)
}

/// The tool, held where there is a reason.
fn held_for(tool: &Arc<Tool>, reason: Option<&String>) -> Arc<Tool> {
    match reason {
        Some(reason) => Arc::new(Tool { status: Status::Quarantined(reason.clone()), ..Tool::clone(tool) }),
        None => tool.clone(),
    }
}

/// The names are gathered when something has to be looked through; mostly nothing has. A source that a person wants to be
/// asked to search may have the tools for it.
pub(crate) fn scanner(all: Arc<Snapshot>, sources: Arc<SourceSet>) -> impl Fn(&Tool) -> Vec<Finding> {
    let names: OnceLock<ToolNameIndex> = OnceLock::new();
    let is_wanted = move |tool: &Tool| {
        let delegation = || sources.by_id(&tool.id.source)?.delegation();
        delegation::is_meta_tool(tool.id.name.as_str()) && delegation().is_some_and(|it| it.is_wanted)
    };
    move |tool| {
        let mut found = findings::scan(tool, names.get_or_init(|| ToolNameIndex::of(all.tools().map(|it| &it.id))));
        found.retain(|it| it.kind != FindingKind::OwnName || !is_wanted(tool));
        found
    }
}

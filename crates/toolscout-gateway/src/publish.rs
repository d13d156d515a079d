//! Publishes catalogs: the only place that replaces the current one.

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
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use toolscout_catalog::findings::{self, Finding, FindingKind, ToolNameIndex};
use toolscout_catalog::{Snapshot, SourceDiscovery};
use toolscout_core::{Diagnostic, ReviewMode, Source, SourceId, Status, Tool};

/// The current catalog, with everything needed to replace it.
pub(crate) struct CatalogPublisher {
    pub(crate) approvals: Approvals,
    published: ArcSwap<PublishedCatalog>,
    scopes: ArcSwap<Scopes>,
    /// The catalogs of named scopes, at most one per scope. Each contains the catalog it was
    /// derived from.
    scoped: Mutex<HashMap<Arc<str>, Arc<PublishedCatalog>>>,
    /// Held by the one writer. Readers never wait.
    state: Mutex<PublisherState>,
    tickets: AtomicU64,
    /// Counts changes of the shown tools.
    pub(crate) changes: watch::Sender<u64>,
    /// Counts added, removed and replaced sources.
    pub(crate) source_changes: watch::Sender<u64>,
}

/// The outcome of discovery for one source.
pub(crate) type DiscoveryResult = (Arc<dyn Source>, Result<SourceDiscovery, SourceError>);

/// The start order of discoveries. Several discoveries of a source may run at a time; the one that
/// started later has newer data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

#[derive(Default)]
struct PublisherState {
    /// The discoveries of sources under review, before quarantine.
    unreviewed: BTreeMap<SourceId, (ReviewMode, Arc<SourceDiscovery>)>,
    /// The ticket of the newest published discovery of each source.
    tickets: HashMap<SourceId, Ticket>,
}

impl PublisherState {
    /// Uses the review mode of a new source for decisions until its first discovery.
    fn update_review_mode(&mut self, source: &Arc<dyn Source>) {
        match (source.review(), self.unreviewed.get_mut(source.id())) {
            (ReviewMode::Unneeded, _) => drop(self.unreviewed.remove(source.id())),
            (review, Some((mode, _))) => *mode = review,
            (_, None) => {}
        }
    }

    fn forget(&mut self, source: &SourceId) {
        self.unreviewed.remove(source);
        self.tickets.remove(source);
    }
}

impl CatalogPublisher {
    pub(crate) fn new(
        approvals: Approvals,
        policies: Policies,
        sources: SourceSet,
        engine: SearchEngine,
    ) -> Self {
        Self {
            approvals,
            published: ArcSwap::from_pointee(PublishedCatalog::first(policies, sources, searching)),
            scopes: ArcSwap::default(),
            scoped: Mutex::default(),
            state: Mutex::default(),
            tickets: AtomicU64::new(0),
            changes: watch::Sender::new(0),
            source_changes: watch::Sender::new(0),
        }
    }

    pub(crate) fn now(&self) -> Arc<PublishedCatalog> {
        self.published.load_full()
    }

    /// The scope of this name.
    pub(crate) fn scope(&self, name: &str) -> Option<Arc<Scope>> {
        self.scopes.load().named.get(name).cloned()
    }

    /// The current catalog within a scope. Built once for each generation and scope.
    pub(crate) fn within(&self, scope: Option<&str>) -> Arc<PublishedCatalog> {
        let now = self.now();
        let Some(name) = scope else { return now };
        let Some(scope) = self.scope(name) else {
            return Arc::new(PublishedCatalog::within(now, Arc::new(Scope::nothing())));
        };
        let mut scoped = self.scoped.lock();
        if let Some(cached) = scoped.get(name).filter(|scoped| scoped.is_within(&now, &scope)) {
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

    /// Replaces all sources at once. Tools of removed sources disappear immediately; tools of new
    /// sources appear after a refresh.
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

    /// To be taken before the discovery starts.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed))
    }

    /// Reviews and publishes discoveries. Ignores those of sources that were removed, or that a
    /// later discovery has already published.
    pub(crate) fn publish(&self, found: Vec<DiscoveryResult>, ticket: Ticket) -> RefreshOutcome {
        let mut refreshed = RefreshOutcome::default();
        let mut state = self.state.lock();
        let before = self.now();
        let mut discoveries = Vec::new();
        for (source, found) in found {
            let id = source.id().clone();
            let discovery = match result {
                _ if !parts.sources.has(&source) || state.tickets.get(&id) > Some(&ticket) => {
                    continue;
                }
                Ok(discovery) => Arc::new(discovery),
                Err(error) => {
                    refreshed.failed.push((id, error));
                    continue;
                }
            };
            refreshed.diagnostics.extend(discovery.diagnostics.iter().cloned());
            state.tickets.insert(id.clone(), ticket);
            match source.review() {
                ReviewMode::Unneeded => state.unreviewed.remove(&id),
                review => state.unreviewed.insert(id, (review, discovery.clone())),
            };
            discoveries.push(discovery);
        }
        let updated: Vec<_> =
            discoveries.iter().map(|discovery| discovery.source.clone()).collect();
        let (next, shadowed) = parts.all.merge(discoveries);
        let (next, quarantine_diagnostics) = self.reviewed(next, state, &updated, &parts.sources);
        registered::log(&next, &refreshed.failed);
        self.show(
            before.scope.clone(),
            Arc::new(next),
            before.policies.clone(),
            before.sources.clone(),
        );
        refreshed
            .problems
            .extend(shadowed.into_iter().map(|it| shadowing::told(it, &before.policies)));
        refreshed.problems.extend(news);
        refreshed
    }

    /// Adds a source, with no tools yet.
    pub(crate) fn add(&self, source: Arc<dyn Source>) -> Result<(), DuplicateSource> {
        let _state = self.state.lock();
        let now = self.now();
        let sources = (*now.sources).clone().with(source)?;
        self.show(now.scope.clone(), now.all.clone(), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        Ok(())
    }

    /// Removes a source and its tools.
    pub(crate) fn remove(&self, id: &SourceId) -> bool {
        let mut state = self.state.lock();
        let now = self.now();
        let Some(sources) = now.sources.without(id) else { return false };
        state.forget(id);
        self.show(
            now.scope.clone(),
            Arc::new(now.all.without(id)),
            now.policies.clone(),
            Arc::new(sources),
        );
        self.comings.send_modify(|it| *it += 1);
        true
    }

    /// Replaces the source with the same id. Returns the old one.
    pub(crate) fn replace(&self, source: Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        let mut state = self.state.lock();
        let now = self.now();
        let old = now.sources.by_id(source.id())?.clone();
        state.update_review_mode(&source);
        let sources = (*now.sources).clone().replacing(source)?;
        self.show(now.scope.clone(), now.all.clone(), now.policies.clone(), Arc::new(sources));
        self.comings.send_modify(|it| *it += 1);
        Some(old)
    }

    /// Reviews one source again, after a decision of the operator.
    pub(crate) fn review_again(&self, source: &SourceId) {
        let state = self.state.lock();
        let now = self.now();
        let found: Vec<_> =
            state.unreviewed.get(source).map(|(_, it)| it.clone()).into_iter().collect();
        let (next, _) = self.reviewed(now.all.merge(found).0, &state, std::slice::from_ref(source));
        self.show(now.scope.clone(), Arc::new(next), now.policies.clone(), now.sources.clone());
    }

    /// Replaces the policies.
    pub(crate) fn change_policies(&self, change: impl FnOnce(&Policies) -> Policies) {
        let _state = self.state.lock();
        let now = self.now();
        self.show(
            now.scope.clone(),
            now.all.clone(),
            Arc::new(change(&now.policies)),
            now.sources.clone(),
        );
    }

    /// The discovered tools of a source under review, before quarantine, and its review mode.
    pub(crate) fn unreviewed_tools(
        &self,
        source: &SourceId,
    ) -> Option<(ReviewMode, Vec<Arc<Tool>>)> {
        self.state
            .lock()
            .unreviewed
            .get(source)
            .map(|(review, discovery)| (review.clone(), discovery.tools.clone()))
    }

    /// The sources under review.
    pub(crate) fn under_review(&self) -> Vec<SourceId> {
        self.state.lock().unreviewed.keys().cloned().collect()
    }

    /// A function that scans a definition in the context of all current tools.
    pub(crate) fn scanner(&self) -> impl Fn(&Tool) -> Vec<Finding> {
        let now = self.now();
        scanner(now.all.clone(), now.sources.clone())
    }

    /// The snapshot with all unapproved tools of these sources quarantined.
    fn reviewed(
        &self,
        snapshot: Snapshot,
        state: &PublisherState,
        sources: &[SourceId],
    ) -> (Snapshot, Vec<Diagnostic>) {
        let under_review: Vec<_> =
            updated.iter().filter_map(|source| state.unreviewed.get(source)).collect();
        if under_review.is_empty() {
            return (snapshot, Vec::new());
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
        reviews.store();
        let reason = |tool: &Tool| reasons.get(&tool.id.source)?.get(tool.id.name.as_str());
        (
            snapshot.filter_map_tools(|tool| Some(with_quarantine(tool, reason(tool)))),
            quarantine_diagnostics,
        )
    }

    /// Replaces the current catalog.
    fn show(
        &self,
        scope: Arc<Scope>,
        all: Arc<Snapshot>,
        policies: Arc<Policies>,
        sources: Arc<SourceSet>,
    ) {
        let before = self.now();
        let next = PublishedCatalog::after(&before, scope, all, policies, sources);
        let is_other = !next.shown.is_like(&before.shown);
        self.published.store(Arc::new(next));
        if is_changed {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}

/// The discovery with unapproved tools quarantined; and diagnostics about newly quarantined tools.
pub(crate) fn quarantine_unapproved(
    reviews: &mut ReviewRun<'_>,
    mode: &ReviewMode,
    discovery: &SourceDiscovery,
    scan: impl Fn(&Tool) -> Vec<Finding>,
) -> (SourceDiscovery, Vec<Diagnostic>) {
    let checked = reviews.review(&found.source, terms, &found.tools, scan);
    let reason = |tool: &Tool| checked.held.get(tool.id.name.as_str());
    (found.each(|it| Some(held_for(it, reason(it)))), checked.problems)
}

/// The tool, quarantined if there is a reason.
fn with_quarantine(tool: &Arc<Tool>, reason: Option<&String>) -> Arc<Tool> {
    match reason {
        Some(reason) => {
            Arc::new(Tool { status: Status::Quarantined(reason.clone()), ..Tool::clone(tool) })
        }
        None => tool.clone(),
    }
}

/// The name index is built only if a definition has to be scanned, which is rare. A source that the
/// operator has configured as a remote gateway may have the two meta tools.
pub(crate) fn scanner(
    all: Arc<Snapshot>,
    sources: Arc<SourceSet>,
) -> impl Fn(&Tool) -> Vec<Finding> {
    let names: OnceLock<ToolNameIndex> = OnceLock::new();
    let is_configured_gateway = move |tool: &Tool| {
        let delegation = || sources.by_id(&tool.id.source)?.delegation();
        delegation::is_meta_tool(tool.id.name.as_str())
            && delegation().is_some_and(|delegation| delegation.is_enabled)
    };
    move |tool| {
        let mut findings = findings::scan(
            tool,
            names.get_or_init(|| ToolNameIndex::new(all.tools().map(|tool| &tool.id))),
        );
        findings
            .retain(|finding| finding.kind != FindingKind::OwnName || !is_configured_gateway(tool));
        findings
    }
}

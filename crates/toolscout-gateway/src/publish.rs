//! Publishes catalogs: the only place that replaces the current one.

mod reconfigure;

pub use reconfigure::Reconfiguration;

use crate::approvals::ReviewRun;
use crate::delegation;
use crate::discover::DiscoveryResult;
use crate::policy::Policies;
use crate::published::{CatalogParts, PublishedCatalog};
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
    /// The catalogs of named scopes, at most one per scope. Each contains the catalog it was
    /// derived from.
    scoped: Mutex<HashMap<Arc<str>, Arc<PublishedCatalog>>>,
    /// Held by the one writer. Readers never wait.
    state: Mutex<PublisherState>,
    tickets: AtomicU64,
    /// Sources whose discoveries are ignored until the next reconfiguration.
    pub(crate) paused: ArcSwap<HashSet<SourceId>>,
    /// Counts changes of the shown tools.
    pub(crate) changes: watch::Sender<u64>,
    /// Counts added, removed and replaced sources.
    pub(crate) source_changes: watch::Sender<u64>,
}

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
            published: ArcSwap::from_pointee(PublishedCatalog::first(policies, sources, engine)),
            scoped: Mutex::default(),
            state: Mutex::default(),
            tickets: AtomicU64::new(0),
            paused: ArcSwap::default(),
            changes: watch::Sender::new(0),
            source_changes: watch::Sender::new(0),
        }
    }

    pub(crate) fn now(&self) -> Arc<PublishedCatalog> {
        self.published.load_full()
    }

    /// The current catalog within a scope. Built once for each generation and scope.
    pub(crate) fn within(&self, scope: Option<&str>) -> Arc<PublishedCatalog> {
        let now = self.now();
        let Some(name) = scope else { return now };
        let Some(scope) = now.scopes.named.get(name).cloned() else {
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
        let now = self.now();
        if scopes != *now.scopes {
            self.replace_catalog(CatalogParts { scopes: Arc::new(scopes), ..now.to_parts() });
        }
    }

    /// Replaces all sources at once. Tools of removed sources disappear immediately; tools of new
    /// sources appear after a refresh.
    pub(crate) fn set_sources(&self, all: Vec<Arc<dyn Source>>) -> Result<(), DuplicateSource> {
        let mut state = self.state.lock();
        let now = self.now();
        let all = SourceSet::new(all)?;
        let sources = all.in_order_of(&now.sources);
        let mut snapshot = (*now.all).clone();
        for removed in now.sources.all().iter().filter(|item| sources.by_id(item.id()).is_none()) {
            state.forget(removed.id());
            snapshot = snapshot.without(removed.id());
        }
        sources.all().iter().for_each(|source| state.update_review_mode(source));
        self.replace_catalog(CatalogParts {
            all: Arc::new(snapshot),
            sources: Arc::new(sources),
            ..now.to_parts()
        });
        self.source_changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// To be taken before the discovery starts.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed))
    }

    /// Reviews and publishes discoveries. Ignores those of sources that were removed, or that a
    /// later discovery has already published.
    pub(crate) fn publish(&self, results: Vec<DiscoveryResult>, ticket: Ticket) -> RefreshOutcome {
        let mut state = self.state.lock();
        let parts = self.now().to_parts();
        self.publish_parts(&mut state, parts, results, ticket)
    }

    /// Publishes these parts together with the discoveries, in one step.
    fn publish_parts(
        &self,
        state: &mut PublisherState,
        parts: CatalogParts,
        results: Vec<DiscoveryResult>,
        ticket: Ticket,
    ) -> RefreshOutcome {
        let mut refreshed = RefreshOutcome::default();
        let (mut discoveries, paused) = (Vec::new(), self.paused.load());
        for (source, result) in results {
            let id = source.id().clone();
            let discovery = match result {
                _ if !parts.sources.has(&source) || state.tickets.get(&id) > Some(&ticket) => {
                    continue;
                }
                _ if paused.contains(&id) => continue,
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
        let policies = parts.policies.clone();
        self.replace_catalog(CatalogParts { all: Arc::new(next), ..parts });
        let adapt = |shadowed| shadowing::adapt_diagnostic(shadowed, &policies);
        refreshed.diagnostics.extend(shadowed.into_iter().map(adapt));
        refreshed.diagnostics.extend(quarantine_diagnostics);
        refreshed
    }

    /// Adds a source, with no tools yet.
    pub(crate) fn add(&self, source: Arc<dyn Source>) -> Result<(), DuplicateSource> {
        let _state = self.state.lock();
        let now = self.now();
        let sources = (*now.sources).clone().with(source)?;
        self.replace_catalog(CatalogParts { sources: Arc::new(sources), ..now.to_parts() });
        self.source_changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Removes a source and its tools.
    pub(crate) fn remove(&self, id: &SourceId) -> bool {
        let mut state = self.state.lock();
        let now = self.now();
        let Some(sources) = now.sources.without(id) else { return false };
        state.forget(id);
        self.replace_catalog(CatalogParts {
            all: Arc::new(now.all.without(id)),
            sources: Arc::new(sources),
            ..now.to_parts()
        });
        self.source_changes.send_modify(|count| *count += 1);
        true
    }

    /// Replaces the source with the same id. Returns the old one.
    pub(crate) fn replace(&self, source: Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        let mut state = self.state.lock();
        let now = self.now();
        let old = now.sources.by_id(source.id())?.clone();
        state.update_review_mode(&source);
        let sources = (*now.sources).clone().replacing(source)?;
        self.replace_catalog(CatalogParts { sources: Arc::new(sources), ..now.to_parts() });
        self.source_changes.send_modify(|count| *count += 1);
        Some(old)
    }

    /// Reviews one source again, after a decision of the operator.
    pub(crate) fn review_again(&self, source: &SourceId) {
        self.review_sources_again(&self.state.lock(), std::slice::from_ref(source));
    }

    /// Reviews all sources again, after decisions of other processes.
    pub(crate) fn review_all_again(&self) {
        let state = self.state.lock();
        let sources: Vec<_> = state.unreviewed.keys().cloned().collect();
        self.review_sources_again(&state, &sources);
    }

    fn review_sources_again(&self, state: &PublisherState, sources: &[SourceId]) {
        let now = self.now();
        let found = sources.iter().filter_map(|source| state.unreviewed.get(source));
        let found: Vec<_> = found.map(|(_, discovery)| discovery.clone()).collect();
        let merged = now.all.merge(found).0;
        let (next, _) = self.reviewed(merged, state, sources, &now.sources);
        self.replace_catalog(CatalogParts { all: Arc::new(next), ..now.to_parts() });
    }

    /// Replaces the policies.
    pub(crate) fn change_policies(&self, change: impl FnOnce(&Policies) -> Policies) {
        let _state = self.state.lock();
        let now = self.now();
        self.replace_catalog(CatalogParts {
            policies: Arc::new(change(&now.policies)),
            ..now.to_parts()
        });
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
            .map(|(review, discovery)| (review.clone(), defined_tools(discovery)))
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
        updated: &[SourceId],
        sources: &Arc<SourceSet>,
    ) -> (Snapshot, Vec<Diagnostic>) {
        let under_review: Vec<_> =
            updated.iter().filter_map(|source| state.unreviewed.get(source)).collect();
        if under_review.is_empty() {
            return (snapshot, Vec::new());
        }
        let snapshot = Arc::new(snapshot);
        let scan = scanner(snapshot.clone(), sources.clone());
        let mut reviews = self.approvals.start_reviews();
        let (mut reasons, mut quarantine_diagnostics) = (HashMap::new(), Vec::new());
        let is_undiscovered = |discovery: &SourceDiscovery| {
            discovery.tools.iter().any(|tool| tool.provenance.placeholder)
        };
        // A source with placeholders has no definitions yet.
        let discovered = under_review.into_iter().filter(|(_, found)| !is_undiscovered(found));
        for (review, discovery) in discovered {
            let review = reviews.review(&discovery.source, review, &discovery.tools, &scan);
            quarantine_diagnostics.extend(review.diagnostics);
            if !review.quarantined.is_empty() {
                reasons.insert(&discovery.source, review.quarantined);
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
    fn replace_catalog(&self, parts: CatalogParts) {
        let before = self.now();
        let next = PublishedCatalog::after(&before, parts);
        let is_changed =
            !next.shown.is_same_as(&before.shown) || next.scopes.named != before.scopes.named;
        self.scoped.lock().retain(|name, _| next.scopes.named.contains_key(name));
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
    let review = reviews.review(&discovery.source, mode, &defined_tools(discovery), scan);
    let reason = |tool: &Tool| review.quarantined.get(tool.id.name.as_str());
    (
        discovery.filter_map_tools(|tool| Some(with_quarantine(tool, reason(tool)))),
        review.diagnostics,
    )
}

/// The tools with a definition.
fn defined_tools(discovery: &SourceDiscovery) -> Vec<Arc<Tool>> {
    discovery.tools.iter().filter(|tool| !tool.provenance.placeholder).cloned().collect()
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

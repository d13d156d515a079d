//! Everything the gateway knows at one moment, and the one place where that is replaced.

use crate::policy::Policies;
use crate::{Approvals, Refreshed};
use arc_swap::ArcSwap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use toolscout_catalog::findings::{self, Finding, Names};
use toolscout_catalog::{Discovery, Snapshot};
use toolscout_core::door::Policy;
use toolscout_core::{Problem, Review, SourceError, SourceId, Status, Tool};
use toolscout_index::Index;

/// What is known now, with what is needed to replace it.
pub(crate) struct Board {
    pub(crate) approvals: Approvals,
    published: ArcSwap<Published>,
    /// What sources under review found, before anything was held; whoever has this is the one writer. Readers never wait.
    unreviewed: Mutex<Unreviewed>,
}

/// What came of asking one source, with its terms.
pub(crate) type Asked = (Review, Result<Discovery, (SourceId, SourceError)>);

type Unreviewed = BTreeMap<SourceId, (Review, Discovery)>;

/// One moment: consistent in itself, never changed.
#[derive(Default)]
pub(crate) struct Published {
    /// Every tool, disabled ones too.
    pub(crate) all: Arc<Snapshot>,
    /// What is shown: all but what is disabled, and of what is held no more than its name and the reason.
    pub(crate) shown: Arc<Snapshot>,
    pub(crate) policies: Arc<Policies>,
    /// Made when somebody first searches.
    index: OnceLock<Index>,
}

impl Board {
    pub(crate) fn new(approvals: Approvals, policies: Policies) -> Self {
        let published = Published { policies: Arc::new(policies), ..Published::default() };
        Self { approvals, published: ArcSwap::from_pointee(published), unreviewed: Mutex::default() }
    }

    pub(crate) fn now(&self) -> Arc<Published> {
        self.published.load_full()
    }

    /// Reviews what was found, and shows it.
    pub(crate) fn publish(&self, found: Vec<Asked>) -> Refreshed {
        let mut refreshed = Refreshed::default();
        let mut unreviewed = self.writer();
        let mut discoveries = Vec::new();
        for (review, found) in found {
            match found {
                Ok(discovery) => {
                    refreshed.problems.extend(discovery.problems.iter().cloned());
                    if review != Review::Unneeded {
                        unreviewed.insert(discovery.source.clone(), (review, discovery.clone()));
                    }
                    discoveries.push(discovery);
                }
                Err(failed) => refreshed.failed.push(failed),
            }
        }
        let found: Vec<_> = discoveries.iter().map(|it| it.source.clone()).collect();
        let (next, shadowed) = self.now().all.merge(discoveries);
        let (next, news) = self.reviewed(next, &unreviewed, &found);
        tracing::debug!(event = "tools_registered", tools = next.len(), failed = refreshed.failed.len());
        self.show(Arc::new(next), self.now().policies.clone());
        refreshed.problems.extend(shadowed);
        refreshed.problems.extend(news);
        refreshed
    }

    /// Reviews one source again, after a person has decided something.
    pub(crate) fn review_again(&self, source: &SourceId) {
        let unreviewed = self.writer();
        let (next, _) = self.reviewed((*self.now().all).clone(), &unreviewed, std::slice::from_ref(source));
        self.show(Arc::new(next), self.now().policies.clone());
    }

    /// Other policies hold from now on.
    pub(crate) fn change_policies(&self, change: impl FnOnce(&Policies) -> Policies) {
        let _writer = self.writer();
        let now = self.now();
        self.show(now.all.clone(), Arc::new(change(&now.policies)));
    }

    /// What a source under review was found to have, before anything was held, and its terms.
    pub(crate) fn found(&self, source: &SourceId) -> Option<(Review, Vec<Arc<Tool>>)> {
        self.writer().get(source).map(|(review, discovery)| (review.clone(), discovery.tools.clone()))
    }

    /// The sources under review.
    pub(crate) fn sources(&self) -> Vec<SourceId> {
        self.writer().keys().cloned().collect()
    }

    /// Looks through definitions beside all others that are known now.
    pub(crate) fn scanner(&self) -> impl Fn(&Tool) -> Vec<Finding> {
        scanner(self.now().all.clone())
    }

    /// The snapshot with these sources' tools held where they are.
    fn reviewed(&self, next: Snapshot, unreviewed: &Unreviewed, sources: &[SourceId]) -> (Snapshot, Vec<Problem>) {
        let under_review: Vec<_> = sources.iter().filter_map(|it| unreviewed.get(it)).collect();
        if under_review.is_empty() {
            return (next, Vec::new());
        }
        let next = Arc::new(next);
        let scan = scanner(next.clone());
        let (mut discoveries, mut news) = (Vec::new(), Vec::new());
        for (review, discovery) in under_review {
            let checked = self.approvals.review(&discovery.source, review, &discovery.tools, &scan);
            news.extend(checked.problems);
            let mut discovery = discovery.clone();
            for tool in &mut discovery.tools {
                if let Some(reason) = checked.held.get(tool.id.name.as_str()) {
                    Arc::make_mut(tool).status = Status::Held(reason.clone());
                }
            }
            discoveries.push(discovery);
        }
        (next.merge(discoveries).0, news)
    }

    fn show(&self, all: Arc<Snapshot>, policies: Arc<Policies>) {
        let is_disabled = |it: &Tool| policies.effective(it).policy == Policy::Disable;
        let shown = match all.tools().any(|it| is_held(it) || is_disabled(it)) {
            true => Arc::new(all.each(|it| (!is_disabled(it)).then(|| veiled(it)))),
            false => all.clone(),
        };
        self.published.store(Arc::new(Published { all, shown, policies, index: OnceLock::new() }));
    }

    fn writer(&self) -> MutexGuard<'_, Unreviewed> {
        self.unreviewed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Published {
    /// Over everything that can be found: what is held cannot.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(self.shown.tools().filter(|it| !is_held(it)).map(AsRef::as_ref)))
    }
}

fn is_held(tool: &Tool) -> bool {
    matches!(tool.status, Status::Held(_))
}

/// A tool as anybody may see it. What a held one says about itself is for who reviews it: whoever else reads it, a model
/// for one, might do what it says.
fn veiled(tool: &Arc<Tool>) -> Arc<Tool> {
    if !is_held(tool) {
        return tool.clone();
    }
    let (visibility, status, provenance) = (tool.visibility, tool.status.clone(), tool.provenance.clone());
    Arc::new(Tool { visibility, status, provenance, ..Tool::new(tool.id.clone()) })
}

/// The names are gathered when something has to be looked through; mostly nothing has.
fn scanner(all: Arc<Snapshot>) -> impl Fn(&Tool) -> Vec<Finding> {
    let names: OnceLock<Names> = OnceLock::new();
    move |tool| findings::scan(tool, names.get_or_init(|| Names::of(all.tools().map(|it| &it.id))))
}

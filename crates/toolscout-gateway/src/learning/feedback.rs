//! Writes feedback records on a thread of its own, so that neither a search nor a call waits for
//! the store.

use super::cache::LearnedCache;
use super::owner::FeedbackOwner;
use super::recent::{RecentSearch, RecentSearches};
use super::store::FeedbackStore;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{BatchLimits, BatchWriter, BoundedCache, Moment, StoreError, ToolId};

const LIMITS: BatchLimits = BatchLimits {
    name: "learning",
    capacity: 1_024,
    batch: 1_024,
    delay: Duration::from_millis(250),
};
/// Number of conversations whose recent searches are in memory.
const MAX_CONVERSATIONS: usize = 512;
/// How long the end of a process waits for a slow store.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// An item of feedback.
pub(super) enum Feedback {
    /// A search with its hits.
    Searched(FeedbackOwner, RecentSearch),
    /// A successful call.
    Called(FeedbackOwner, SuccessfulCall),
    /// The recent searches of this owner are deleted.
    Forgotten(FeedbackOwner),
}

/// A successful call.
pub(super) struct SuccessfulCall {
    pub(super) tool: ToolId,
    /// The project the tool belongs to; empty for tools of servers.
    pub(super) project: Arc<str>,
    pub(super) at: Moment,
}

/// Queues feedback and writes it in batches. The thread starts with the first.
pub(super) struct FeedbackWriter(BatchWriter<Feedback>);

impl FeedbackWriter {
    pub(super) fn new(feedback_store: Arc<FeedbackStore>, cache: Arc<LearnedCache>) -> Self {
        let mut learner =
            Learner { feedback_store, cache, recent: BoundedCache::new(MAX_CONVERSATIONS) };
        Self(BatchWriter::new(LIMITS, move |batch, _| learner.learn(batch)))
    }

    /// Never blocks. Feedback that does not fit into the queue is dropped.
    pub(super) fn push(&self, feedback: Feedback) {
        self.0.push(feedback);
        self.0.start();
    }

    /// Whether no feedback was queued yet.
    pub(super) fn is_idle(&self) -> bool {
        !self.0.is_started()
    }

    pub(super) fn flush(&self) {
        self.0.flush_within(FLUSH_TIMEOUT);
    }
}

struct Learner {
    feedback_store: Arc<FeedbackStore>,
    cache: Arc<LearnedCache>,
    /// Recent searches, by conversation.
    recent: BoundedCache<Arc<str>, RecentSearches>,
}

impl Learner {
    fn learn(&mut self, batch: Vec<Feedback>) {
        let mut by_tenant: HashMap<Arc<str>, Vec<(RecentSearch, SuccessfulCall)>> = HashMap::new();
        for feedback in batch {
            match feedback {
                Feedback::Searched(owner, search) => self.record_search(&owner, search),
                Feedback::Called(owner, call) => {
                    if let Some(search) = self.find_search(&owner, &call) {
                        by_tenant.entry(owner.tenant).or_default().push((search, call));
                    }
                }
                Feedback::Forgotten(owner) => drop(self.recent.remove(&owner.conversation)),
            }
        }
        for (tenant, pairs) in by_tenant {
            report(self.feedback_store.change_records(&tenant, |records| {
                for (search, call) in &pairs {
                    records.add(search.clone(), &call.tool, &call.project, call.at);
                }
            }));
            self.cache.invalidate(&tenant);
        }
    }

    fn record_search(&mut self, owner: &FeedbackOwner, search: RecentSearch) {
        if owner.is_at_terminal {
            return report(
                self.feedback_store
                    .change_recent(&owner.conversation, |recent| recent.add(search.clone())),
            );
        }
        match self.recent.get(&owner.conversation) {
            Some(recent) => recent.add(search),
            None => {
                let mut recent = RecentSearches::default();
                recent.add(search);
                self.recent.insert(owner.conversation.clone(), recent);
            }
        }
    }

    /// The search that the call follows.
    fn find_search(
        &mut self,
        owner: &FeedbackOwner,
        call: &SuccessfulCall,
    ) -> Option<RecentSearch> {
        if !owner.is_at_terminal {
            return self.recent.get(&owner.conversation)?.take(&call.tool, call.at);
        }
        let taken = self
            .feedback_store
            .change_recent(&owner.conversation, |recent| recent.take(&call.tool, call.at));
        taken.unwrap_or_else(|error| {
            report(Err(error));
            None
        })
    }
}

/// A failing store stops nothing; the feedback is lost.
fn report(written: Result<(), StoreError>) {
    if let Err(error) = written {
        tracing::debug!(event = "feedback_not_stored", error = %error);
    }
}

//! Relevance feedback: learns which tool matches which query, from searches and the calls that
//! follow them.
//!
//! Each search is recorded with its hits. If a call succeeds, and a search of the same owner found
//! its tool in the last ten minutes, the pair becomes a feedback record; similar queries of the
//! same tenant then rank that tool higher. No text of a tool enters the records: only queries of
//! clients and successful calls count.
//!
//! A background thread writes the records, in [`feedback`]: neither a search nor a call waits for
//! the store. The limits on stored data are in [`records`] and [`recent`].

mod cache;
mod feedback;
mod owner;
mod recent;
mod records;
mod row;
mod store;

#[cfg(test)]
mod tests;

pub use records::FeedbackRecord;

pub(crate) use owner::FeedbackOwner;

use crate::{CatalogView, Error, Gateway, SearchHit};
use cache::LearnedCache;
use feedback::{Feedback, FeedbackWriter, SuccessfulCall};
use recent::RecentSearch;
use std::sync::Arc;
use store::FeedbackStore;
use toolscout_core::{
    Caller, Cx, MemoryStore, Moment, SourceKind, Store, StoreError, ToolId, ToolOutput,
};
use toolscout_index::{LearnedQueries, Query};

/// Relevance feedback, and whether it is enabled. Cloning is cheap: clones share their records.
#[derive(Clone)]
pub struct Learning {
    store: Arc<FeedbackStore>,
    cache: Arc<LearnedCache>,
    feedback: Arc<FeedbackWriter>,
    is_on: bool,
}

impl Learning {
    /// The relevance feedback of this installation. Tools of servers are the same in every project;
    /// all other tools belong to the project identified by `partition`.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<Arc<str>>) -> Self {
        Self::with_store(FeedbackStore {
            store,
            partition: partition.into(),
            now: Arc::new(Moment::now),
        })
    }

    /// Relevance feedback that lasts only as long as the process.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::default()), "memory")
    }

    /// Replaces the clock.
    pub fn by_clock(self, now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        let FeedbackStore { store, partition, .. } = &*self.store;
        let feedback_store = FeedbackStore {
            store: store.clone(),
            partition: partition.clone(),
            now: Arc::new(now),
        };
        Self { is_on: self.is_on, ..Self::with_store(feedback_store) }
    }

    /// Disables relevance feedback: nothing is recorded, and existing records do not affect
    /// searches.
    pub fn off(self) -> Self {
        Self { is_on: false, ..self }
    }

    fn with_store(feedback_store: FeedbackStore) -> Self {
        let (feedback_store, cache) = (Arc::new(feedback_store), Arc::new(LearnedCache::default()));
        let feedback = Arc::new(FeedbackWriter::new(feedback_store.clone(), cache.clone()));
        Self { store: feedback_store, cache, feedback, is_on: true }
    }

    pub(crate) fn partition(&self) -> &str {
        &self.store.partition
    }

    /// Whether there is nothing to flush.
    pub fn is_idle(&self) -> bool {
        self.feedback.is_idle()
    }

    /// Waits until all queued feedback is written, for example at the end of a process.
    pub fn flush(&self) {
        self.feedback.flush();
    }

    fn record_search(
        &self,
        owner: &FeedbackOwner,
        query: &Query<'_>,
        space: &str,
        hits: &[SearchHit],
    ) {
        let text = recent::to_stored_query(query.text);
        if text.is_empty() || hits.is_empty() {
            return;
        }
        let search = RecentSearch {
            text,
            embedding: query.embedding.map(|embedding| (row::space(space), embedding.vector())),
            hits: hits.iter().map(|hit| hit.tool.id.clone()).collect(),
            searched_at: self.store.now(),
        };
        self.feedback.push(Feedback::Searched(owner.clone(), search));
    }

    pub(crate) fn delete(
        &self,
        owner: &FeedbackOwner,
        selects: impl Fn(&ToolId) -> bool,
    ) -> Result<usize, StoreError> {
        self.flush();
        let mut deleted = 0;
        self.store.change_records(&owner.tenant, |store| deleted = store.delete(&selects))?;
        self.store.change_recent(&owner.conversation, |store| store.delete(&selects))?;
        self.feedback.push(Feedback::Forgotten(owner.clone()));
        self.cache.invalidate(&owner.tenant);
        Ok(deleted)
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self::in_memory().off()
    }
}

impl Gateway {
    /// The feedback records of the caller, newest first.
    pub fn feedback_records(&self, cx: &Cx) -> Result<Vec<FeedbackRecord>, Error> {
        let learning = &self.learning;
        learning.flush();
        let (records, _) = learning.store.records(&self.owner(cx).tenant)?;
        Ok(records.shown(&learning.store.partition))
    }

    /// The relevance feedback of this gateway.
    pub fn learning(&self) -> &Learning {
        &self.learning
    }

    /// The feedback that applies to a search of this owner. `space` is the id of the encoder of its
    /// embedding.
    pub(crate) fn learned(
        &self,
        owner: &FeedbackOwner,
        space: &str,
    ) -> Option<Arc<LearnedQueries>> {
        let Learning { store: feedback_store, cache, is_on, .. } = &self.learning;
        is_on
            .then(|| cache.learned(feedback_store, &owner.tenant, row::space(space)))
            .filter(|value| !value.is_empty())
    }

    /// Records the hits of a search, to attribute the next call to it.
    pub(crate) fn record_search(
        &self,
        owner: &FeedbackOwner,
        query: &Query<'_>,
        space: &str,
        hits: &[SearchHit],
    ) {
        if self.learning.is_on {
            self.learning.record_search(owner, query, space, hits);
        }
    }

    /// The attempt to learn from a call; `None` if feedback is off, or no search was recorded that
    /// the call could follow. For remote tools, their own gateway learns.
    pub(crate) fn feedback_attempt(
        &self,
        view: &CatalogView,
        tool: &ToolId,
        cx: &Cx,
    ) -> Option<Attempt> {
        let may_span_processes = cx.caller == Caller::Cli;
        if !self.learning.is_on
            || view.remote_tool().is_some()
            || (self.learning.is_idle() && !may_span_processes)
        {
            return None;
        }
        let is_of_server =
            view.source(&tool.source).is_some_and(|source| source.kind() == SourceKind::Mcp);
        Some(Attempt { owner: self.owner(cx), tool: tool.clone(), is_of_server })
    }

    /// Learns from a call, if it succeeded.
    pub(crate) fn record_feedback(&self, attempt: Option<Attempt>, output: &ToolOutput) {
        let Some(Attempt { owner, tool, is_of_server }) = attempt else { return };
        if output.is_error() || output.wants_input() {
            return;
        }
        let feedback_store = &self.learning.store;
        if self.learning.is_idle() && !feedback_store.has_recent(&owner.conversation) {
            return;
        }
        let project = if is_of_server { "".into() } else { feedback_store.partition.clone() };
        self.learning.feedback.push(Feedback::Called(
            owner,
            SuccessfulCall { tool, project, at: feedback_store.now() },
        ));
    }
}

/// A call in progress.
pub(crate) struct Attempt {
    owner: FeedbackOwner,
    tool: ToolId,
    is_of_server: bool,
}

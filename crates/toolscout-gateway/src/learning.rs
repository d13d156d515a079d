//! Learns which tool answers which question, from what clients ask and then call.
//!
//! A question is noted with what it found. A call that works, of a tool that a question of the same owner has found in the
//! last ten minutes, is a lesson; whoever of the same tenant asks something alike finds that tool sooner. Nothing that a tool
//! says of itself gets here: only questions of clients count, and calls that worked.
//!
//! All is written by a thread of its own, in [`feedback`]: neither a search nor a call waits for the store. What is kept has
//! limits, all of them in [`lessons`] and [`recent`].

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
use toolscout_core::{Caller, Cx, MemoryStore, Moment, SourceKind, Store, StoreError, ToolId, ToolOutput};
use toolscout_index::{LearnedQueries, Query};

/// What was learned, and whether it counts. Cloning is cheap: clones learn together.
#[derive(Clone)]
pub struct Learning {
    store: Arc<FeedbackStore>,
    cache: Arc<LearnedCache>,
    feedback: Arc<FeedbackWriter>,
    is_on: bool,
}

impl Learning {
    /// What this installation learned. Tools of servers are the same in every project; all others are those of the project
    /// that `partition` stands for.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<Arc<str>>) -> Self {
        Self::of(FeedbackStore { store, partition: partition.into(), now: Arc::new(Moment::now) })
    }

    /// What is learned ends with the process.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::default()), "memory")
    }

    /// The same, by another clock.
    pub fn by_clock(self, now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        let FeedbackStore { store, partition, .. } = &*self.store;
        let ledger = FeedbackStore { store: store.clone(), partition: partition.clone(), now: Arc::new(now) };
        Self { is_on: self.is_on, ..Self::of(ledger) }
    }

    /// The same; nothing is noted, and what was learned does not count.
    pub fn off(self) -> Self {
        Self { is_on: false, ..self }
    }

    fn of(ledger: FeedbackStore) -> Self {
        let (ledger, cache) = (Arc::new(ledger), Arc::new(LearnedCache::default()));
        let feedback = Arc::new(FeedbackWriter::new(ledger.clone(), cache.clone()));
        Self { store: ledger, cache, feedback, is_on: true }
    }

    pub(crate) fn partition(&self) -> &str {
        &self.store.partition
    }

    /// Whether there is nothing to wait for.
    pub fn is_idle(&self) -> bool {
        self.feedback.is_idle()
    }

    /// Waits until all that was noted is written, as at the end of a process.
    pub fn settle(&self) {
        self.feedback.flush();
    }

    fn note(&self, owner: &FeedbackOwner, query: &Query<'_>, space: &str, hits: &[SearchHit]) {
        let text = recent::fit(query.text);
        if text.is_empty() || hits.is_empty() {
            return;
        }
        let question = RecentSearch {
            text,
            meaning: query.meaning.map(|it| (row::space(space), it.vector())),
            hits: hits.iter().map(|it| it.tool.id.clone()).collect(),
            asked: self.store.now(),
        };
        self.feedback.push(Feedback::Asked(owner.clone(), question));
    }

    pub(crate) fn forget(
        &self,
        owner: &FeedbackOwner,
        is_meant: impl Fn(&ToolId) -> bool,
    ) -> Result<usize, StoreError> {
        self.settle();
        let mut gone = 0;
        self.store.change_lessons(&owner.whose, |it| gone = it.forget(&is_meant))?;
        self.store.change_recent(&owner.talk, |it| it.forget(&is_meant))?;
        self.feedback.push(Feedback::Forgotten(owner.clone()));
        self.cache.let_go(&owner.whose);
        Ok(gone)
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self::in_memory().off()
    }
}

impl Gateway {
    /// What was learned from the requests of whoever this one is of, the newest first.
    pub fn lessons(&self, cx: &Cx) -> Result<Vec<FeedbackRecord>, Error> {
        let learning = &self.learning;
        learning.settle();
        let (lessons, _) = learning.store.lessons(&self.owner(cx).whose)?;
        Ok(lessons.shown(&learning.store.partition))
    }

    /// What is learned here.
    pub fn learning(&self) -> &Learning {
        &self.learning
    }

    /// What counts for a question of this owner. `space` names who made its vector.
    pub(crate) fn learned(&self, owner: &FeedbackOwner, space: &str) -> Option<Arc<LearnedQueries>> {
        let Learning { store: ledger, cache, is_on, .. } = &self.learning;
        is_on.then(|| cache.learned(ledger, &owner.whose, row::space(space))).filter(|it| !it.is_empty())
    }

    /// Notes what a question has found, should one of it be called next.
    pub(crate) fn note_question(&self, owner: &FeedbackOwner, query: &Query<'_>, space: &str, hits: &[SearchHit]) {
        if self.learning.is_on {
            self.learning.note(owner, query, space, hits);
        }
    }

    /// What a call was of, for who may learn from it; none where nobody does, since nobody has asked. Tools beyond the catalog
    /// are learned about by whoever has them.
    pub(crate) fn lesson_of(&self, view: &CatalogView, tool: &ToolId, cx: &Cx) -> Option<Attempt> {
        let is_asked_elsewhere = cx.caller == Caller::Cli;
        if !self.learning.is_on || view.far().is_some() || (self.learning.is_idle() && !is_asked_elsewhere) {
            return None;
        }
        let is_of_server = view.source(&tool.source).is_some_and(|it| it.origin() == SourceKind::Mcp);
        Some(Attempt { owner: self.owner(cx), tool: tool.clone(), is_of_server })
    }

    /// Learns from a call, if it has worked.
    pub(crate) fn learn(&self, attempt: Option<Attempt>, output: &ToolOutput) {
        let Some(Attempt { owner, tool, is_of_server }) = attempt else { return };
        if output.is_error() || output.wants_input() {
            return;
        }
        let ledger = &self.learning.store;
        if self.learning.is_idle() && !ledger.has_recent(&owner.talk) {
            return;
        }
        let project = if is_of_server { "".into() } else { ledger.partition.clone() };
        self.learning.feedback.push(Feedback::Called(owner, SuccessfulCall { tool, project, at: ledger.now() }));
    }
}

/// A call that is under way.
pub(crate) struct Attempt {
    owner: FeedbackOwner,
    tool: ToolId,
    is_of_server: bool,
}

//! Sources whose tools are still loading, and requests that wait for them.

use crate::Gateway;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use toolscout_core::SourceId;

/// The sources whose tools are loading, each with the number of its marks.
pub(crate) struct LoadingSources(watch::Sender<BTreeMap<SourceId, usize>>);

impl Default for LoadingSources {
    fn default() -> Self {
        Self(watch::Sender::new(BTreeMap::new()))
    }
}

/// Marks sources as loading until they are finished, or this is dropped.
pub struct LoadingMark {
    loading: Arc<LoadingSources>,
    ids: Vec<SourceId>,
}

impl Gateway {
    /// Marks sources whose tools are being loaded. They need not be sources of this gateway yet.
    pub fn mark_loading(&self, ids: impl IntoIterator<Item = SourceId>) -> LoadingMark {
        let ids: Vec<_> = ids.into_iter().collect();
        self.loading.0.send_modify(|loading| {
            ids.iter().for_each(|id| *loading.entry(id.clone()).or_default() += 1);
        });
        LoadingMark { loading: self.loading.clone(), ids }
    }

    /// The sources of this handle's scope whose tools are being loaded. A source that is being
    /// prepared for a new configuration is not one of them: until then the previous one serves.
    pub fn loading(&self) -> Vec<SourceId> {
        let loading: Vec<_> = self.loading.0.borrow().keys().cloned().collect();
        if loading.is_empty() {
            return loading;
        }
        let (catalog, paused) = (self.catalog(), self.publisher.paused.load());
        let is_published =
            |id: &SourceId| catalog.sources.by_id(id).is_some() && !paused.contains(id);
        loading.into_iter().filter(is_published).collect()
    }

    /// Waits until no source of this handle's scope is loading, at most this long. Returns the
    /// sources that are still loading then. Cancel-safe.
    pub async fn wait_until_loaded(&self, limit: Duration) -> Vec<SourceId> {
        let mut changes = self.loading.0.subscribe();
        let loaded =
            async { while !self.loading().is_empty() && changes.changed().await.is_ok() {} };
        let _ = timeout(limit, loaded).await;
        self.loading()
    }
}

impl LoadingMark {
    /// Ends the mark of the sources that do not pass.
    pub fn retain(&mut self, passes: impl Fn(&SourceId) -> bool) {
        let (kept, finished) = std::mem::take(&mut self.ids).into_iter().partition(passes);
        self.ids = kept;
        self.unmark(finished);
    }

    /// Ends the mark of this source.
    pub fn finish(&mut self, id: &SourceId) {
        self.retain(|other| other != id);
    }

    fn unmark(&self, ids: Vec<SourceId>) {
        self.loading.0.send_modify(|loading| {
            for id in ids {
                if let Some(marks) = loading.get_mut(&id) {
                    *marks -= 1;
                }
            }
            loading.retain(|_, marks| *marks > 0);
        });
    }
}

impl Drop for LoadingMark {
    fn drop(&mut self) {
        self.retain(|_| false);
    }
}

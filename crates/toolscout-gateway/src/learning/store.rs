//! The rows in the store: one row of feedback records per tenant, and one row of recent searches
//! per conversation at a terminal.

use super::recent::RecentSearches;
use super::records::FeedbackRecords;
use std::sync::Arc;
use toolscout_core::{Moment, Namespace, Store, StoreError};

/// Maximum number of tenants. Those with the oldest newest record are evicted first.
const MAX_TENANTS: usize = 1_000;
/// Additional tenants evicted in one sweep, since finding them requires reading all rows.
const SWEEP_EXTRA: usize = 100;
const ATTEMPTS: usize = 64;

/// Access to the stored feedback.
pub(super) struct FeedbackStore {
    pub(super) store: Arc<dyn Store>,
    pub(super) partition: Arc<str>,
    pub(super) now: Arc<dyn Fn() -> Moment + Send + Sync>,
}

impl FeedbackStore {
    pub(super) fn now(&self) -> Moment {
        (self.now)()
    }

    /// The raw bytes of a tenant's row.
    pub(super) fn row(&self, tenant: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.read(Namespace::Feedback, tenant)
    }

    pub(super) fn records(
        &self,
        tenant: &str,
    ) -> Result<(FeedbackRecords, Option<Vec<u8>>), StoreError> {
        let row = self.row(tenant)?;
        Ok((row.as_deref().map(FeedbackRecords::from_bytes).unwrap_or_default(), row))
    }

    /// Changes the records of a tenant, and retries on concurrent writes.
    pub(super) fn change_records(
        &self,
        tenant: &str,
        mut change: impl FnMut(&mut FeedbackRecords),
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let (before, row) = self.records(tenant)?;
            let mut records = before.clone();
            change(&mut records);
            if records == before {
                return Ok(());
            }
            let next = (records.len() > 0).then(|| records.to_bytes());
            if self.store.swap(Namespace::Feedback, tenant, row.as_deref(), next.as_deref())? {
                return if row.is_none() { self.sweep() } else { Ok(()) };
            }
        }
        Err(StoreError {
            what: "the feedback records change faster than they can be read".to_owned(),
            cause: None,
        })
    }

    /// Whether there are recent searches in this conversation. Returns `true` if the store fails.
    pub(super) fn has_recent(&self, conversation: &str) -> bool {
        !matches!(self.store.read(Namespace::RecentSearch, conversation), Ok(None))
    }

    pub(super) fn change_recent<T: Default>(
        &self,
        conversation: &str,
        mut change: impl FnMut(&mut RecentSearches) -> T,
    ) -> Result<T, StoreError> {
        for _ in 0..ATTEMPTS {
            let row = self.store.read(Namespace::RecentSearch, conversation)?;
            let mut recent = row.as_deref().map(RecentSearches::from_bytes).unwrap_or_default();
            recent.expire(self.now());
            let out = change(&mut recent);
            let next = (!recent.is_empty()).then(|| recent.to_bytes());
            if row == next
                || self.store.swap(
                    Namespace::RecentSearch,
                    conversation,
                    row.as_deref(),
                    next.as_deref(),
                )?
            {
                return Ok(out);
            }
        }
        Ok(T::default())
    }

    /// Evicts tenants after a new one was added. Also removes expired searches.
    fn sweep(&self) -> Result<(), StoreError> {
        let keys = self.store.keys(Namespace::Feedback)?;
        if keys.len() > MAX_TENANTS {
            let newest = |text: &String| Ok((self.records(text)?.0.newest(), text.clone()));
            let mut all = keys.iter().map(newest).collect::<Result<Vec<_>, StoreError>>()?;
            all.sort();
            for (_, tenant) in all.iter().take(keys.len() - MAX_TENANTS + SWEEP_EXTRA) {
                self.store.remove(Namespace::Feedback, tenant)?;
            }
        }
        for conversation in self.store.keys(Namespace::RecentSearch)? {
            self.change_recent(&conversation, |_| ())?;
        }
        Ok(())
    }
}

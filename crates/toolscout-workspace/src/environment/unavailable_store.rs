//! The store of a run that cannot open one: it reads as empty, and writing fails with the reason.

use toolscout_core::{Lease, Namespace, Store, StoreError};

pub(super) struct UnavailableStore {
    /// Why the store cannot be opened.
    pub(super) reason: String,
}

impl Store for UnavailableStore {
    fn read(&self, _: Namespace, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn write(&self, _: Namespace, _: &str, _: &[u8]) -> Result<(), StoreError> {
        Err(StoreError { what: self.reason.clone(), cause: None })
    }

    fn remove(&self, _: Namespace, _: &str) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn keys(&self, _: Namespace) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn swap(
        &self,
        _: Namespace,
        _: &str,
        _: Option<&[u8]>,
        _: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        Err(StoreError { what: self.reason.clone(), cause: None })
    }

    /// No other process shares this store.
    fn lease(&self, _: &str) -> Result<Option<Lease>, StoreError> {
        Ok(Some(Lease::new(())))
    }

    fn is_leased(&self, _: &str) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        Err(StoreError { what: self.reason.clone(), cause: None })
    }
}

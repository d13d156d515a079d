//! Seals rows with a MAC, so that rows written to the store by other programs are not accepted.

use serde::{Deserialize, Serialize};
use toolscout_core::{RawJson, Store, StoreError};

/// Never changes: a program that cannot check the seal cannot check the version either. The version
/// of the contents is in the body.
const VERSION: u32 = 1;

/// Writes and reads sealed rows. Each seal is bound to the purpose and the key of the row, so that
/// rows cannot be exchanged for each other.
pub(crate) struct RowSeal {
    key: [u8; 32],
}

/// The row was not written with this seal, or was modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrokenSeal;

#[derive(Serialize, Deserialize)]
struct SealedRow {
    version: u32,
    mac: String,
    body: RawJson,
}

impl RowSeal {
    /// The seal of this store, for one purpose.
    pub(crate) fn new(store: &dyn Store, purpose: &str) -> Result<Self, StoreError> {
        Ok(Self { key: blake3::derive_key(purpose, &store.key()?) })
    }

    /// A keyed hash, which cannot be computed without the store's secret.
    pub(crate) fn hash(&self, what: impl AsRef<[u8]>) -> blake3::Hash {
        blake3::keyed_hash(&self.key, what.as_ref())
    }

    pub(crate) fn seal(&self, key: &str, body: &impl Serialize) -> Result<Vec<u8>, StoreError> {
        let body = serde_json::value::to_raw_value(body).map_err(unwritable)?;
        let body = RawJson::parse(body.get()).map_err(unwritable)?;
        let row = SealedRow {
            version: VERSION,
            mac: self.mac(key, body.as_str()).to_hex().to_string(),
            body,
        };
        serde_json::to_vec(&row).map_err(unwritable)
    }

    pub(crate) fn open(&self, key: &str, bytes: &[u8]) -> Result<RawJson, BrokenSeal> {
        let row: SealedRow = serde_json::from_slice(bytes).map_err(|_| BrokenSeal)?;
        let mac = blake3::Hash::from_hex(&row.mac).map_err(|_| BrokenSeal)?;
        // Hashes are compared in constant time.
        (row.version == VERSION && mac == self.mac(key, row.body.as_str()))
            .then_some(row.body)
            .ok_or(BrokenSeal)
    }

    fn mac(&self, key: &str, body: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&(key.len() as u64).to_le_bytes())
            .update(key.as_bytes())
            .update(body.as_bytes());
        hasher.finalize()
    }
}

fn unwritable(cause: serde_json::Error) -> StoreError {
    StoreError { what: "the record cannot be serialized".to_owned(), cause: Some(cause.into()) }
}

//! The formats of stored rows, which replicas of different versions share.
//!
//! A row names its major version in `version`. Within a major version, a later program only adds
//! fields that an earlier one may ignore. An earlier program reads such a row, and keeps the
//! fields when it writes the row again. Any other change needs a new major version: an earlier
//! program neither reads nor replaces the row.

use crate::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields of a stored row that this version of the program does not know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnknownFields(Map<String, Value>);

impl UnknownFields {
    /// The other fields, without this one.
    pub fn without(mut self, field: &str) -> Self {
        self.0.shift_remove(field);
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether the row, an object in JSON, has a later major version than this one.
pub fn is_newer_row(row: &[u8], version: u32) -> bool {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    serde_json::from_slice(row).is_ok_and(|row: Versioned| row.version > version)
}

impl StoreError {
    /// The error of a row with a later major version; `what` is the row.
    pub fn newer_row(what: &str) -> Self {
        let what = format!("{what}: written by a newer toolscout; upgrade this one");
        Self { what, cause: None }
    }
}

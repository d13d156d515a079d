//! The cache of the last scan of a root, in a namespace of the store.

use super::{InspectedFile, ScanCounts};
use crate::described::FileInspection;
use crate::file_in_root::FileInRoot;
use crate::inspect::{self, InspectionMode};
use crate::matcher::Matcher;
use crate::roots::Root;
use crate::stamp::{ScanStamp, nanos_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::SystemTime;
use toolscout_core::{Digest, Namespace, Store};

/// Increment when the shape of the record changes, or when the inspection of a file changes.
const VERSION: u32 = 4;

/// The cached inspections of a root, during a scan.
pub(super) struct ScanCache<'a> {
    store: Option<&'a dyn Store>,
    key: String,
    written: i64,
    files: HashMap<String, (ScanStamp, FileInspection)>,
    counts: ScanCounts,
    changed: bool,
}

/// Contains owned files when read, borrowed files when written.
#[derive(Serialize, Deserialize)]
struct ScanRecord<File> {
    version: u32,
    written: i64,
    files: Vec<File>,
}

impl<'a> ScanCache<'a> {
    /// Reads the cached record. An unreadable record counts as empty.
    pub(super) fn open(root: &Root, matcher: &Matcher, store: Option<&'a dyn Store>) -> Self {
        let key = key(root, matcher);
        let bytes = store.and_then(|store| store.read(Namespace::Scan, &key).ok().flatten());
        let record: Option<ScanRecord<(String, ScanStamp, FileInspection)>> =
            bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let record = record.filter(|record| record.version == VERSION);
        let (written, files) =
            record.map_or((0, Vec::new()), |record| (record.written, record.files));
        let files = files
            .into_iter()
            .map(|(path, stamp, inspection)| (path, (stamp, inspection)))
            .collect();
        Self { store, key, written, files, counts: ScanCounts::default(), changed: false }
    }

    /// A cache that stores nothing.
    pub(super) fn none() -> Self {
        let (key, files) = (String::new(), HashMap::new());
        Self { store: None, key, written: 0, files, counts: ScanCounts::default(), changed: false }
    }

    /// The inspection of a file: from the cache if its stamp is unchanged, else from the file.
    pub(super) fn inspect(
        &mut self,
        file: &FileInRoot<'_>,
        stamp: &ScanStamp,
        mode: InspectionMode,
    ) -> FileInspection {
        let known = self.files.remove(file.relative).filter(|(old, _)| old == stamp);
        match known {
            Some((_, inspection)) if stamp.is_settled_at(self.written) => {
                self.counts.hits += 1;
                inspection
            }
            known => {
                self.changed = true;
                let inspection = inspect::inspect(file, stamp, mode);
                let same = known.is_some_and(|(_, old)| old == inspection);
                *(if same { &mut self.counts.hits } else { &mut self.counts.misses }) += 1;
                inspection
            }
        }
    }

    pub(super) fn counts(&self) -> ScanCounts {
        self.counts
    }

    /// The record to write, if it differs from the stored one.
    pub(super) fn to_write<'s>(
        &self,
        inspected: impl Iterator<Item = &'s InspectedFile>,
    ) -> Option<PendingScanWrite<'a>> {
        // Entries left in `files` were not found by this scan: their files are gone.
        if !self.changed && self.files.is_empty() {
            return None;
        }
        let store = self.store?;
        let cacheable = inspected.filter(|file| !file.inspection.is_transient);
        let record = ScanRecord {
            version: VERSION,
            written: nanos_of(SystemTime::now()),
            files: cacheable
                .map(|inspected| {
                    (inspected.file.relative.as_str(), &inspected.file.stamp, &inspected.inspection)
                })
                .collect(),
        };
        Some(PendingScanWrite {
            store,
            key: self.key.clone(),
            bytes: serde_json::to_vec(&record).ok()?,
        })
    }
}

/// A serialized record that is not yet written to the store.
pub(super) struct PendingScanWrite<'a> {
    store: &'a dyn Store,
    key: String,
    bytes: Vec<u8>,
}

impl PendingScanWrite<'_> {
    /// Writes the record. A failed write only makes the next scan slower.
    pub(super) fn write(self) {
        if let Err(err) = self.store.write(Namespace::Scan, &self.key, &self.bytes) {
            tracing::debug!(event = "discovery.scan.not_cached", error = %err);
        }
    }
}

fn key(root: &Root, matcher: &Matcher) -> String {
    let (patterns, ignore) = &matcher.patterns;
    let all =
        serde_json::json!([VERSION, root.path, format!("{:?}", root.layout), patterns, ignore]);
    Digest::of_bytes(all.to_string().as_bytes()).to_string()
}

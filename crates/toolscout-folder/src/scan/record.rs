//! What the last scan of a root saw, kept on a namespace of the store.

use super::{InspectedFile, ScanCounts};
use crate::described::FileInspection;
use crate::inspect::{self, InspectionMode};
use crate::matcher::Matcher;
use crate::place::FileInRoot;
use crate::roots::Root;
use crate::stamp::{ScanStamp, nanos_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::SystemTime;
use toolscout_core::{Digest, Namespace, Store};

/// Changes with the shape of the record, and with what a look sees in a file.
const VERSION: u32 = 2;

/// What is remembered of a root, while it is searched.
pub(super) struct ScanCache<'a> {
    store: Option<&'a dyn Store>,
    key: String,
    written: i64,
    files: HashMap<String, (ScanStamp, FileInspection)>,
    counts: ScanCounts,
    changed: bool,
}

/// Of owned files when it is read, of borrowed ones when it is written.
#[derive(Serialize, Deserialize)]
struct ScanRecord<File> {
    version: u32,
    written: i64,
    files: Vec<File>,
}

impl<'a> ScanCache<'a> {
    /// Reads what is remembered. Anything that cannot be read is as good as nothing.
    pub(super) fn open(root: &Root, matcher: &Matcher, store: Option<&'a dyn Store>) -> Self {
        let key = key(root, matcher);
        let bytes = store.and_then(|it| it.read(Namespace::Scan, &key).ok().flatten());
        let record: Option<ScanRecord<(String, ScanStamp, FileInspection)>> =
            bytes.and_then(|it| serde_json::from_slice(&it).ok());
        let record = record.filter(|it| it.version == VERSION);
        let (written, files) = record.map_or((0, Vec::new()), |it| (it.written, it.files));
        let files = files.into_iter().map(|(path, stamp, look)| (path, (stamp, look))).collect();
        Self { store, key, written, files, counts: ScanCounts::default(), changed: false }
    }

    /// Remembers nothing.
    pub(super) fn none() -> Self {
        let (key, files) = (String::new(), HashMap::new());
        Self { store: None, key, written: 0, files, counts: ScanCounts::default(), changed: false }
    }

    /// What the file says: from memory where its stamp is the same, else from the file.
    pub(super) fn inspect(
        &mut self,
        place: &FileInRoot<'_>,
        stamp: &ScanStamp,
        manner: InspectionMode,
    ) -> FileInspection {
        let known = self.files.remove(place.relative).filter(|(old, _)| old == stamp);
        match known {
            Some((_, look)) if stamp.is_settled_at(self.written) => {
                self.counts.hits += 1;
                look
            }
            known => {
                self.changed = true;
                let look = inspect::look(place, stamp, manner);
                let same = known.is_some_and(|(_, old)| old == look);
                *(if same { &mut self.counts.hits } else { &mut self.counts.misses }) += 1;
                look
            }
        }
    }

    pub(super) fn counts(&self) -> ScanCounts {
        self.counts
    }

    /// What is to be kept, where it differs from what is kept already.
    pub(super) fn close<'s>(&self, sights: impl Iterator<Item = &'s InspectedFile>) -> Option<PendingScanWrite<'a>> {
        // What is still here was not met again: its file is gone.
        if !self.changed && self.files.is_empty() {
            return None;
        }
        let store = self.store?;
        let lasting = sights.filter(|it| !it.inspection.is_passing);
        let record = ScanRecord {
            version: VERSION,
            written: nanos_of(SystemTime::now()),
            files: lasting.map(|it| (it.file.relative.as_str(), &it.file.stamp, &it.inspection)).collect(),
        };
        Some(PendingScanWrite { store, key: self.key.clone(), bytes: serde_json::to_vec(&record).ok()? })
    }
}

/// A record, written down but not yet on its namespace.
pub(super) struct PendingScanWrite<'a> {
    store: &'a dyn Store,
    key: String,
    bytes: Vec<u8>,
}

impl PendingScanWrite<'_> {
    /// Puts it on its namespace. A store that cannot be written costs the next scan some time, nothing else.
    pub(super) fn keep(self) {
        if let Err(err) = self.store.write(Namespace::Scan, &self.key, &self.bytes) {
            tracing::debug!(event = "discovery.scan.unkept", error = %err);
        }
    }
}

fn key(root: &Root, matcher: &Matcher) -> String {
    let (patterns, ignore) = &matcher.made_of;
    let all = serde_json::json!([VERSION, root.path, format!("{:?}", root.layout), patterns, ignore]);
    Digest::of_bytes(all.to_string().as_bytes()).to_string()
}

//! How far a process has applied the changes of other replicas.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use toolscout_core::Namespace;

/// The revisions that parts of this process have applied, by number of the follower.
///
/// A row of the copy is in force as soon as it is read from there for each use. A part that derives
/// something from the rows follows their namespace, and reports when it has.
#[derive(Default)]
pub(crate) struct AppliedRevisions {
    pub(crate) next: AtomicU64,
    pub(crate) followed: Mutex<BTreeMap<u64, (Namespace, i64)>>,
}

impl AppliedRevisions {
    /// The applied revisions as JSON, for these revisions of the copy.
    pub(crate) fn of(&self, mut positions: BTreeMap<String, i64>) -> String {
        for (namespace, applied) in self.followed.lock().values() {
            if let Some(position) = positions.get_mut(namespace.as_str()) {
                *position = (*position).min(*applied);
            }
        }
        serde_json::to_string(&positions).unwrap_or_else(|_| "{}".to_owned())
    }
}

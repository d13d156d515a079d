//! File metadata that is available without opening the file.

use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::path::Path;

/// Detects whether a file has changed, and records who may write it.
///
/// Serialized as a plain list, because the scan record contains one per file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScanStamp(u64, i64, i64, u64, u32, u32);

impl ScanStamp {
    #[cfg(unix)]
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanos =
            |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        Self(
            metadata.size(),
            nanos(metadata.mtime(), metadata.mtime_nsec()),
            nanos(metadata.ctime(), metadata.ctime_nsec()),
            metadata.ino(),
            metadata.mode(),
            metadata.uid(),
        )
    }

    #[cfg(not(unix))]
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map(nanos_of).unwrap_or(0);
        Self(metadata.len(), modified, modified, 0, 0, 0)
    }

    pub(super) fn size(&self) -> u64 {
        self.0
    }

    /// Whether the content last changed long enough before `moment` that any later change must
    /// alter the stamp. Two changes within one clock tick can share a stamp. File systems with
    /// second resolution get a margin of two seconds, others 100 ms, because they tick every few
    /// milliseconds.
    pub(super) fn is_settled_at(&self, moment: i64) -> bool {
        const SECOND: i64 = 1_000_000_000;
        let counts_seconds = self.1 % SECOND == 0;
        let tick = if counts_seconds { 2 * SECOND } else { SECOND / 10 };
        self.1 < moment.saturating_sub(tick)
    }

    pub(super) fn is_executable(&self) -> bool {
        self.4 & 0o111 != 0
    }

    /// Whether the file is world-writable. A sticky folder (`/tmp`) protects its entries.
    pub(super) fn is_world_writable(&self) -> bool {
        self.4 & 0o002 != 0 && self.4 & 0o1000 == 0
    }

    /// Whether it is setuid or setgid, so that it runs with the rights of its owner or group.
    fn is_setuid_or_setgid(&self) -> bool {
        self.4 & 0o6000 != 0
    }

    pub(super) fn owner(&self) -> u32 {
        self.5
    }
}

/// Nanoseconds since 1970.
pub(super) fn nanos_of(time: std::time::SystemTime) -> i64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The owners whose files may run: root, the current user, and the owner of the root folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owners {
    current: u32,
    root: u32,
}

impl Owners {
    pub(super) fn new(root: &Path) -> Self {
        let current = current_user();
        Self {
            current,
            root: std::fs::metadata(root)
                .map_or(current, |metadata| ScanStamp::from_metadata(&metadata).owner()),
        }
    }

    /// The reason why a file must not run, if another user could have written it.
    pub(super) fn refusal_reason(&self, file: &ScanStamp) -> Option<&'static str> {
        if file.is_world_writable() {
            Some("this file is world-writable, so it is not run")
        } else if file.is_setuid_or_setgid() {
            Some("this file is setuid or setgid, so it is not run")
        } else if ![0, self.current, self.root].contains(&file.owner()) {
            Some("this file belongs to another user, so it is not run")
        } else {
            None
        }
    }
}

#[cfg(unix)]
fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn current_user() -> u32 {
    0
}

//! A control group that limits the number of processes of one server.
//!
//! The limit of the system (`RLIMIT_NPROC`) counts all processes of the user, and does not apply to
//! root. A control group counts one server, but needs write access to its parent group, which root
//! and many desktop sessions have.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The prefix of the folders of our groups; the rest is the process that made it, and a number.
const PREFIX: &str = "toolscout-";
const MOUNT: &str = "/sys/fs/cgroup";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A control group, which is removed on drop. Its processes must have ended by then.
#[derive(Debug)]
pub(in super::super) struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Makes a group with this limit; `None` if this process may not.
    pub(super) fn create(max_processes: u64) -> Option<Self> {
        parents().into_iter().find_map(|parent| Self::create_in(&parent, max_processes))
    }

    /// Whether this process may make groups.
    pub(in super::super) fn is_supported() -> bool {
        Self::create(1).is_some()
    }

    fn create_in(parent: &Path, max_processes: u64) -> Option<Self> {
        remove_abandoned(parent);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        fs::write(group.0.join("pids.max"), max_processes.to_string()).ok()?;
        Some(group)
    }

    /// The file that moves a process into the group.
    pub(super) fn entrance(&self) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.0.join("cgroup.procs"))
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Fails while a process is left; then the next toolscout process removes it.
        let _ = fs::remove_dir(&self.0);
    }
}

/// The folders in which a group with a limit of processes can be made, if they are writable.
fn parents() -> Vec<PathBuf> {
    let Ok(memberships) = fs::read_to_string("/proc/self/cgroup") else { return Vec::new() };
    let mut parents = Vec::new();
    for line in memberships.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|controller| controller == "pids") {
            parents.push(Path::new(MOUNT).join("pids").join(path));
        } else if controllers.is_empty() {
            // A group of version 2 with processes cannot have groups with limits below it, so
            // ours is beside that of this process.
            let own = Path::new(MOUNT).join(path);
            let enables_pids = |folder: &&Path| {
                fs::read_to_string(folder.join("cgroup.subtree_control"))
                    .is_ok_and(|text| text.split_whitespace().any(|word| word == "pids"))
            };
            let beside = own.ancestors().take_while(|folder| folder.starts_with(MOUNT));
            parents.extend(beside.filter(enables_pids).map(Path::to_owned));
        }
    }
    parents
}

/// Removes groups of toolscout processes that are gone.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let is_gone =
            |owner: &str| owner.parse::<u32>().is_ok() && !Path::new("/proc").join(owner).exists();
        if owner.is_some_and(is_gone) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

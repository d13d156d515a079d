//! Sessions over standard input and output, recorded for other processes of the same project.
//!
//! A record is a file that is locked by its writer. The lock ends with the process, so a record
//! that can be locked is outdated.

use crate::RunCx;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use toolscout_mcp_client::partition;
use toolscout_surface::mcp::SessionInfo;

/// The maximum number of records that are read.
const MOST: usize = 1_000;
/// The maximum size of a record in bytes.
const LARGEST: u64 = 4 << 10;

/// The record of a session; removed when this is dropped.
pub(super) struct SessionRecord {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

#[derive(Serialize, Deserialize)]
struct StoredSession {
    id: String,
    client: Option<String>,
    created: String,
}

/// Records a session; `None` if that fails, which only omits the session from lists.
pub(super) fn record(cx: &RunCx, session: &SessionInfo) -> Option<SessionRecord> {
    let folder = folder(cx)?;
    let path = folder.join(format!("{}{}", prefix(cx), session.id));
    fs::create_dir_all(&folder).ok()?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(open(&path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let SessionInfo { id, client, created, .. } = session.clone();
    file.write_all(&serde_json::to_vec(&StoredSession { id, client, created }).ok()?).ok()?;
    Some(SessionRecord { path, _file: file })
}

impl Drop for SessionRecord {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The sessions of other processes of this project. Outdated records are removed.
pub(super) fn of_other_processes(cx: &RunCx) -> Vec<SessionInfo> {
    let prefix = prefix(cx);
    let is_ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
    };
    let entries =
        folder(cx).and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(is_ours)
        .take(MOST)
        .filter_map(|path| read(&path))
        .collect()
}

fn read(path: &Path) -> Option<SessionInfo> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(open(path, flags, Mode::empty()).ok()?);
    if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        let _ = fs::remove_file(path);
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    let StoredSession { id, client, created } = serde_json::from_str(&text).ok()?;
    let (project, owner) = (None, None);
    Some(SessionInfo { id, kind: "stdio", client, created, project, owner, is_local: false })
}

fn folder(cx: &RunCx) -> Option<PathBuf> {
    Some(cx.environment().state_dir()?.join("conversations"))
}

fn prefix(cx: &RunCx) -> String {
    let project = cx.request().project;
    format!(
        "{}-",
        partition(project.as_deref().map_or(Path::new("."), |project| project.as_path()))
    )
}

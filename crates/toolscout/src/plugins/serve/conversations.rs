//! Who talks to us over pipes, noted where other processes of the same project see it, for as long as they talk.
//!
//! A note is a file that is locked by who wrote it: a lock ends with its process, so a note that can be locked is of nobody any more.

use crate::RunCx;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use toolscout_mcp_client::partition;
use toolscout_surface::mcp::SessionInfo;

/// Notes that are looked at.
const MOST: usize = 1_000;
/// Bytes of one.
const LARGEST: u64 = 4 << 10;

/// A note about a conversation; gone with this.
pub(super) struct Noted {
    path: PathBuf,
    /// Locked.
    _file: File,
}

#[derive(Serialize, Deserialize)]
struct Note {
    id: String,
    client: Option<String>,
    created: String,
}

/// Notes who talks to us. Where that cannot be written, nobody sees it, which is no reason not to talk.
pub(super) fn note(cx: &RunCx, session: &SessionInfo) -> Option<Noted> {
    let folder = folder(cx)?;
    let path = folder.join(format!("{}{}", prefix(cx), session.id));
    fs::create_dir_all(&folder).ok()?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(open(&path, flags, Mode::RUSR | Mode::WUSR).ok()?);
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let SessionInfo { id, client, created, .. } = session.clone();
    file.write_all(&serde_json::to_vec(&Note { id, client, created }).ok()?).ok()?;
    Some(Noted { path, _file: file })
}

impl Drop for Noted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Who talks to other processes of this project over pipes. Notes of those who are gone are taken away.
pub(super) fn elsewhere(cx: &RunCx) -> Vec<SessionInfo> {
    let prefix = prefix(cx);
    let is_ours = |it: &PathBuf| it.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&prefix));
    let entries = folder(cx).and_then(|it| fs::read_dir(it).ok()).into_iter().flatten().flatten();
    entries.map(|it| it.path()).filter(is_ours).take(MOST).filter_map(|it| read(&it)).collect()
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
    let Note { id, client, created } = serde_json::from_str(&text).ok()?;
    Some(SessionInfo { id, kind: "stdio", client, created, owner: None, is_here: false })
}

fn folder(cx: &RunCx) -> Option<PathBuf> {
    Some(cx.environment().state_dir()?.join("conversations"))
}

fn prefix(cx: &RunCx) -> String {
    let project = cx.request().project;
    format!("{}-", partition(project.as_deref().map_or(Path::new("."), |it| it.as_path())))
}

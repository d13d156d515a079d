//! Recognizes in the output of a program what its sandbox has denied, and names the grant.
//!
//! The kernel reports denials only to the program itself, so this reads its error messages.

use super::{NetworkAccess, SandboxSettings, support};
use std::path::{Path, PathBuf};

/// The most denials that are read from one text.
const MAX_DENIALS: usize = 3;

/// Words of error messages about a missing permission.
const MARKS: [&str; 6] = [
    "EACCES",
    "EPERM",
    "permission denied",
    "Permission denied",
    "Operation not permitted",
    "operation not permitted",
];

/// Words of error messages about changes.
const CHANGES: [&str; 8] =
    ["mkdir", "unlink", "rename", "rmdir", "copyfile", "truncate", "write", "create"];

/// Something that a program tried and its sandbox denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    Read(PathBuf),
    Write(PathBuf),
    /// A connection to this port.
    Connect(u16),
}

impl Denial {
    /// The denials that a text reports, such as an error message or the end of stderr.
    pub fn find(text: &str) -> Vec<Self> {
        let mut found = Vec::new();
        if !support().files {
            return found;
        }
        for line in text.lines().filter(|line| MARKS.iter().any(|mark| line.contains(mark))) {
            if let Some(denial) = Self::in_line(line).filter(|denial| !found.contains(denial)) {
                found.push(denial);
            }
        }
        found.truncate(MAX_DENIALS);
        found
    }

    fn in_line(line: &str) -> Option<Self> {
        if line.contains("connect") {
            return line.split_whitespace().find_map(port).map(Self::Connect);
        }
        let path = path_in(line)?;
        // The program wrote this text, and an operator may paste the path into a shell.
        let is_plain = |it: char| it.is_alphanumeric() || "/._-+@~ ".contains(it);
        path.to_str().filter(|path| path.chars().all(is_plain))?;
        let changes = CHANGES.iter().any(|word| line.contains(word));
        if changes || !path.exists() {
            // A new file needs its folder.
            let folder = path.ancestors().find(|folder| folder.is_dir())?;
            let target = if path.exists() { path.as_path() } else { folder };
            return may_access(target, true).then(|| Self::Write(target.to_owned()));
        }
        may_access(&path, false).then_some(Self::Read(path))
    }

    /// Whether these settings grant it by now.
    pub fn is_granted_by(&self, settings: &SandboxSettings) -> bool {
        let SandboxSettings { allow_read, allow_write, network, .. } = settings;
        let is_below =
            |path: &PathBuf, grants: &[PathBuf]| grants.iter().any(|grant| path.starts_with(grant));
        match (self, network) {
            (Self::Read(path), _) => is_below(path, allow_read) || is_below(path, allow_write),
            (Self::Write(path), _) => is_below(path, allow_write),
            (Self::Connect(_), Some(NetworkAccess::All)) => true,
            (Self::Connect(port), Some(NetworkAccess::Ports(ports))) => ports.contains(port),
            (Self::Connect(_), None | Some(NetworkAccess::None)) => false,
        }
    }

    /// The sentence for users, with the command that grants it to this server.
    pub fn hint(&self, server: &str) -> String {
        let argument = |path: &Path| {
            let path = path.display().to_string();
            if path.contains(' ') { format!("'{path}'") } else { path }
        };
        let (what, flag) = match self {
            Self::Read(path) => (
                format!("does not let it read `{}`", path.display()),
                format!("--allow-read {}", argument(path)),
            ),
            Self::Write(path) => (
                format!("does not let it write `{}`", path.display()),
                format!("--allow-write {}", argument(path)),
            ),
            Self::Connect(port) => {
                let network = format!("--network 80,443,{port}");
                (format!("does not let it connect to port {port}"), network)
            }
        };
        format!(
            "the sandbox of `{server}` {what}; to allow it, run `toolscout server update {server} {flag}`"
        )
    }
}

/// The first absolute path of a line, without quotes and punctuation around it.
fn path_in(line: &str) -> Option<PathBuf> {
    let start = line.char_indices().find(|(index, character)| {
        let before = line[..*index].chars().next_back();
        *character == '/' && before.is_none_or(|it| it.is_whitespace() || "'\"`(=:[".contains(it))
    })?;
    let rest = &line[start.0..];
    let quote = line[..start.0].chars().next_back().filter(|it| "'\"`".contains(*it));
    let end = match quote {
        Some(quote) => rest.find(quote),
        None => rest.find(|it: char| it.is_whitespace() || ":,;)'\"".contains(it)),
    };
    Some(PathBuf::from(&rest[..end.unwrap_or(rest.len())]))
}

/// The port of `127.0.0.1:5432` or `[::1]:5432,`.
fn port(word: &str) -> Option<u16> {
    let word = word.trim_matches(|it: char| !it.is_ascii_alphanumeric());
    let (host, port) = word.rsplit_once(':')?;
    port.parse().ok().filter(|_| !host.is_empty())
}

/// Whether this process has the permission, so that only the sandbox can have denied it.
#[cfg(unix)]
fn may_access(path: &Path, writes: bool) -> bool {
    use rustix::fs::{Access, access};
    access(path, if writes { Access::WRITE_OK } else { Access::READ_OK }).is_ok()
}

#[cfg(not(unix))]
fn may_access(_path: &Path, _writes: bool) -> bool {
    false
}

//! Finds the prompts of a project, and reports the files that should be prompts but are invalid.

use super::super::inspect;
use super::{Prompt, folder};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind};

/// The maximum size of a file in bytes. Users and models read prompts, and neither handles longer
/// ones well.
const LARGEST: u64 = 256 << 10;
/// The maximum number of prompts in a project; a client shows them all in one menu.
const MOST: usize = 256;

/// All prompts of a project, in the order of their names, and a diagnostic for each file that
/// should be a prompt but is invalid. The path of the root is real. Blocks on the file system.
pub(crate) fn find(root: &Path) -> Vec<Result<Prompt, Diagnostic>> {
    let folder = folder(root);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(err)
            if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Vec::new();
        }
        Err(err) => return vec![Err(unreadable(&err).at(folder))],
    };
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|it| it.ok())
        .filter_map(|it| Some((name(&it.file_name())?, it.path())))
        .collect();
    files.sort();
    let too_many = files.len().checked_sub(MOST).filter(|it| *it > 0).map(|more| {
        let message =
            format!("there are {more} prompts more than the {MOST} that a project may have");
        Err(Diagnostic::warning(DiagnosticKind::Limit, message).at(&folder))
    });
    files.truncate(MOST);
    let found =
        files.into_iter().map(|(name, path)| read(root, &name, &path).map_err(|it| it.at(path)));
    found.chain(too_many).collect()
}

/// The name of the prompt in a file; `None` for files that are not Markdown, for hidden and private
/// files, and for the README.
fn name(file: &std::ffi::OsStr) -> Option<String> {
    let name = file.to_str()?.strip_suffix(".md")?;
    let is_meant =
        !name.is_empty() && !name.starts_with(['.', '_']) && !name.eq_ignore_ascii_case("readme");
    is_meant.then(|| name.to_owned())
}

fn read(root: &Path, name: &str, path: &Path) -> Result<Prompt, Diagnostic> {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    if !name.bytes().all(is_plain) || name.len() > 64 {
        let message = "is no name for a prompt; use at most 64 letters, digits, `_`, `-` and `.`";
        return Err(Diagnostic::warning(DiagnosticKind::Forbidden, message));
    }
    let real = fs::canonicalize(path).map_err(|err| unreadable(&err))?;
    if !real.starts_with(root) {
        return Err(Diagnostic::warning(DiagnosticKind::Forbidden, "leads out of the project"));
    }
    let bytes = bytes(&real).map_err(|err| unreadable(&err))?;
    if bytes.len() as u64 > LARGEST {
        let message =
            format!("has more than {} KiB, which is too much for a prompt", LARGEST >> 10);
        return Err(Diagnostic::warning(DiagnosticKind::Limit, message));
    }
    Prompt::read(name, &bytes).map_err(|reason| Diagnostic::warning(DiagnosticKind::Broken, reason))
}

/// The content, up to one byte more than is allowed, so that the caller can detect a larger file.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    inspect::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(err: &io::Error) -> Diagnostic {
    Diagnostic::warning(DiagnosticKind::Unavailable, format!("cannot be read: {err}"))
}

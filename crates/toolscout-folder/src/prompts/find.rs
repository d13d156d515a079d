//! Finds the prompts of a project, and reports the files that should be prompts but are invalid.

use super::super::inspect;
use super::{Prompt, folder};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind};

/// The maximum size of a file in bytes. Users and models read prompts, and neither handles longer
/// ones well.
const MAX_BYTES: u64 = 256 << 10;
/// The maximum number of prompts in a project; a client shows them all in one menu.
const MAX_PROMPTS: usize = 256;

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
        Err(err) => return vec![Err(unreadable(&err).with_path(folder))],
    };
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| entry.ok())
        .filter_map(|entry| Some((name(&entry.file_name())?, entry.path())))
        .collect();
    files.sort();
    let too_many = files.len().checked_sub(MAX_PROMPTS).filter(|more| *more > 0).map(|more| {
        let message =
            format!("{more} prompts are skipped: a project can have at most {MAX_PROMPTS}");
        Err(Diagnostic::warning(DiagnosticKind::Limit, message).with_path(&folder))
    });
    files.truncate(MAX_PROMPTS);
    let found = files
        .into_iter()
        .map(|(name, path)| read(root, &name, &path).map_err(|error| error.with_path(path)));
    found.chain(too_many).collect()
}

/// The name of the prompt in a file; `None` for files that are not Markdown, for hidden and private
/// files, and for the README.
fn name(file: &std::ffi::OsStr) -> Option<String> {
    let name = file.to_str()?.strip_suffix(".md")?;
    let is_prompt =
        !name.is_empty() && !name.starts_with(['.', '_']) && !name.eq_ignore_ascii_case("readme");
    is_prompt.then(|| name.to_owned())
}

fn read(root: &Path, name: &str, path: &Path) -> Result<Prompt, Diagnostic> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if !name.bytes().all(is_plain) || name.len() > 64 {
        let message = "the file name is not a valid prompt name; use at most 64 letters, digits, `_`, `-` and `.`";
        return Err(Diagnostic::warning(DiagnosticKind::Forbidden, message));
    }
    let real = fs::canonicalize(path).map_err(|err| unreadable(&err))?;
    if !real.starts_with(root) {
        return Err(Diagnostic::warning(DiagnosticKind::Forbidden, "it is outside the project"));
    }
    let bytes = bytes(&real).map_err(|err| unreadable(&err))?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("it is larger than {} KiB, the limit for a prompt", MAX_BYTES >> 10);
        return Err(Diagnostic::warning(DiagnosticKind::Limit, message));
    }
    Prompt::read(name, &bytes).map_err(|reason| Diagnostic::warning(DiagnosticKind::Broken, reason))
}

/// The content, up to one byte more than is allowed, so that the caller can detect a larger file.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    inspect::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(err: &io::Error) -> Diagnostic {
    Diagnostic::warning(DiagnosticKind::Unavailable, format!("it cannot be read: {err}"))
}

//! The list of phrases that are right where they are.

use anyhow::{Context, ensure};
use std::cell::Cell;

/// Entries of `prose_allowed.txt`: a path, a phrase, and the reason, separated by `|`.
pub(super) struct AllowList {
    entries: Vec<AllowedPhrase>,
}

struct AllowedPhrase {
    line: usize,
    path: String,
    phrase: String,
    is_used: Cell<bool>,
}

impl AllowList {
    /// Empty lines and lines that start with `#` are skipped.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fields: Vec<&str> = line.splitn(3, '|').map(str::trim).collect();
            let [path, phrase, reason] = fields[..] else {
                return None.with_context(|| format!("expected `path | phrase | reason`: {line}"));
            };
            ensure!(!reason.is_empty(), "a reason is missing: {line}");
            let (path, phrase) = (path.to_owned(), phrase.to_owned());
            entries.push(AllowedPhrase {
                line: index + 1,
                path,
                phrase,
                is_used: Cell::new(false),
            });
        }
        Ok(Self { entries })
    }

    /// Whether the phrase is right in this file. `*` stands for all phrases, and a path that ends
    /// with `/` for all files below it.
    pub(super) fn permits(&self, file: &str, phrase: &str) -> bool {
        let entry = self.entries.iter().find(|entry| {
            let is_below = entry.path.ends_with('/') && file.starts_with(&entry.path);
            (is_below || entry.path == file) && (entry.phrase == "*" || entry.phrase == phrase)
        });
        entry.inspect(|entry| entry.is_used.set(true)).is_some()
    }

    /// The entries that permitted nothing, as `line: path, phrase`.
    pub(super) fn unused(&self) -> impl Iterator<Item = String> {
        let unused = self.entries.iter().filter(|entry| !entry.is_used.get());
        unused.map(|entry| format!("{}: `{} | {}`", entry.line, entry.path, entry.phrase))
    }
}

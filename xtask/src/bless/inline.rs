//! Writes new inline snapshots into the source, from insta's pending files.

#[cfg(test)]
mod tests;

use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The new text of each snapshot, by the first line of its assertion, starting at 1.
type Notes = BTreeMap<usize, String>;

/// `.rank.rs.pending-snap` belongs to `rank.rs`.
pub(super) fn source_of(notes: &Path) -> Option<PathBuf> {
    let name = notes.file_name()?.to_str()?.strip_prefix('.')?.strip_suffix(".pending-snap")?;
    Some(notes.with_file_name(name))
}

/// Parses insta's pending file: one JSON object per line; one without a new text confirms the old
/// one.
pub(super) fn notes(text: &str) -> anyhow::Result<Notes> {
    let mut notes = Notes::new();
    for line in text.lines() {
        let note: Value = serde_json::from_str(line)?;
        let at = note["line"].as_u64().context("a pending snapshot without a line")?;
        if let Some(snapshot) = note["new"]["snapshot"].as_str() {
            notes.insert(usize::try_from(at)?, snapshot.to_owned());
        }
    }
    Ok(notes)
}

/// The source with every pending snapshot replaced; from the end, so that earlier lines do not
/// move.
pub(super) fn apply(source: &str, notes: &Notes) -> anyhow::Result<String> {
    let mut source = source.to_owned();
    for (line, snapshot) in notes.iter().rev() {
        let start = offset(&source, *line).with_context(|| format!("there is no line {line}"))?;
        let (from, to) = literal_after_at(&source, start)
            .with_context(|| format!("no snapshot after line {line}"))?;
        let indent: String = source[start..].chars().take_while(|c| *c == ' ').collect();
        source.replace_range(from..to, &literal(snapshot, &indent));
    }
    Ok(source)
}

fn offset(source: &str, line: usize) -> Option<usize> {
    Some(source.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum())
}

/// The range of the first literal after an `@`; an `@` inside of other literals is skipped.
fn literal_after_at(source: &str, start: usize) -> anyhow::Result<(usize, usize)> {
    let mut at = start;
    let mut expected = false;
    while let Some(next) = source[at..].chars().next() {
        if let Some(end) = literal_end(source, at) {
            if expected {
                return Ok((at, end));
            }
            at = end;
            continue;
        }
        expected = next == '@' || (expected && next.is_whitespace());
        at += next.len_utf8();
    }
    bail!("the file ends first")
}

/// The end of the string literal that starts here, plain or raw; a quote as a character literal
/// counts as one.
fn literal_end(source: &str, at: usize) -> Option<usize> {
    let rest = &source[at..];
    if rest.starts_with("'\"'") {
        return Some(at + 3);
    }
    if let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let body = raw[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(at + 1 + hashes + 1 + body.find(&close)? + close.len());
    }
    let body = rest.strip_prefix('"')?;
    let mut escaped = false;
    for (index, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1 + index + 1),
            _ => {}
        }
    }
    None
}

/// The snapshot as a literal: raw if necessary, over several lines if it has several.
fn literal(snapshot: &str, indent: &str) -> String {
    let is_raw = snapshot.contains(['"', '\\']);
    let hashes = (0..)
        .map(|index| "#".repeat(index))
        .find(|item| !snapshot.contains(&format!("\"{item}")))
        .unwrap_or_default();
    let (open, close) = if is_raw {
        (format!("r{hashes}\""), format!("\"{hashes}"))
    } else {
        ("\"".into(), "\"".into())
    };
    let body =
        if snapshot.contains('\n') { laid_out(snapshot, indent) } else { snapshot.to_owned() };
    format!("{open}{body}{close}")
}

fn laid_out(snapshot: &str, indent: &str) -> String {
    let mut body = String::from("\n");
    for line in snapshot.trim_matches('\n').lines() {
        body.push_str(if line.is_empty() { "" } else { indent });
        body.push_str(line);
        body.push('\n');
    }
    body + indent
}

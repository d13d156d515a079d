//! The files of a journal: numbered segments, the head, and an incomplete line that was set aside.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The path of a segment.
pub(super) fn segment(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:06}.jsonl"))
}

pub(super) fn head(dir: &Path) -> PathBuf {
    dir.join("head")
}

/// The path for an incomplete line that a killed process left behind.
pub(super) fn partial_line(dir: &Path) -> PathBuf {
    dir.join("half")
}

/// The numbers of all existing segments, in order; empty if there is no journal.
pub(super) fn segments(dir: &Path) -> io::Result<Vec<u32>> {
    let entries = match fs::read_dir(dir) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut numbers: Vec<u32> =
        entries.flatten().filter_map(|entry| parse_number(entry.file_name().to_str()?)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn parse_number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".jsonl")?;
    digits.parse().ok().filter(|number| name == format!("{number:06}.jsonl"))
}

//! The files of a journal: numbered segments, the head, and what was set aside.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The file with this part of the journal.
pub(super) fn segment(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:06}.jsonl"))
}

pub(super) fn head(dir: &Path) -> PathBuf {
    dir.join("head")
}

/// Where half a line goes that a process has left.
pub(super) fn half(dir: &Path) -> PathBuf {
    dir.join("half")
}

/// The numbers of all segments there are, in order; none where there is no journal.
pub(super) fn segments(dir: &Path) -> io::Result<Vec<u32>> {
    let entries = match fs::read_dir(dir) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut numbers: Vec<u32> = entries.flatten().filter_map(|it| number(it.file_name().to_str()?)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".jsonl")?;
    digits.parse().ok().filter(|it| name == format!("{it:06}.jsonl"))
}

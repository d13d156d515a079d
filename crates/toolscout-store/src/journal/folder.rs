//! The files of a journal: numbered segments, the head, and what was set aside.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_would_name_so_is_a_segment() {
        assert_eq!(number("000012.jsonl"), Some(12));
        assert_eq!(number("1000000.jsonl"), Some(1_000_000));
        for other in ["12.jsonl", "000012.jsonl~", "half", "0000012.jsonl", "-00001.jsonl", "+00001.jsonl"] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}

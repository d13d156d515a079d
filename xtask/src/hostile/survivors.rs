//! Finds processes that should have ended.

use std::fs;
use std::time::{Duration, Instant};

/// The time that a killed process may take to disappear from the process list.
const GRACE: Duration = Duration::from_secs(1);

/// The number of processes with this mark in their command line; always zero without `/proc`.
pub(super) fn count(mark: &str) -> usize {
    let end = Instant::now() + GRACE;
    loop {
        let left = now(mark);
        if left == 0 || Instant::now() > end {
            return left;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn now(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|process| {
            fs::read(process.path().join("cmdline")).is_ok_and(|bytes| has(&bytes, mark.as_bytes()))
        })
        .count()
}

/// Whether one of the arguments is the mark; not a part of one, because `met-1-1` is part of
/// `met-1-12`.
pub(super) fn has(command_line: &[u8], mark: &[u8]) -> bool {
    command_line.split(|byte| *byte == 0).any(|part| part == mark)
}

//! Processes that should be gone.

use std::fs;
use std::time::{Duration, Instant};

/// How long a killed process may take to be gone from the list.
const GRACE: Duration = Duration::from_secs(1);

/// How many processes still have this mark in their command line; always none where there is no `/proc`.
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
    processes.filter(|it| fs::read(it.path().join("cmdline")).is_ok_and(|it| has(&it, mark.as_bytes()))).count()
}

/// One of the words is the mark; not part of a word, because `met-1-1` is part of `met-1-12`.
pub(super) fn has(command_line: &[u8], mark: &[u8]) -> bool {
    command_line.split(|it| *it == 0).any(|it| it == mark)
}

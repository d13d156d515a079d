//! Finds processes that should have ended.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A process, identified by its number and start time, because numbers are reused.
pub(super) struct Process {
    number: u32,
    started: u64,
}

/// The child processes of this process that it has not reaped. Empty without `/proc`.
pub(super) fn children(parent: u32) -> Vec<Process> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers = lists.flat_map(|list| {
        list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u32>>()
    });
    numbers.filter_map(|number| Some(Process { number, started: started(number)? })).collect()
}

/// Waits until none of these processes, and no process with one of the marks as an argument, is
/// left; returns the command lines of those that remain after that time.
pub(super) fn left(marks: &[&str], known: &[Process], patience: Duration) -> Vec<String> {
    let end = Instant::now() + patience;
    let mut looks = 0;
    loop {
        let left = now(marks, known);
        looks = if left.is_empty() { looks + 1 } else { 0 };
        // A process has no command line for a moment while it starts.
        if looks == 2 || (looks == 0 && Instant::now() > end) {
            return left;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

fn now(marks: &[&str], known: &[Process]) -> Vec<String> {
    let known = known
        .iter()
        .filter(|item| started(item.number) == Some(item.started))
        .map(|item| item.number);
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let marked = processes.filter_map(|process| {
        let number = process.file_name().to_str()?.parse::<u32>().ok()?;
        let words = fs::read(process.path().join("cmdline")).ok()?;
        let is_marked = words
            .split(|byte| *byte == 0)
            .any(|word| marks.iter().any(|mark| mark.as_bytes() == word));
        is_marked.then_some(number)
    });
    let mut numbers: Vec<u32> = known.chain(marked).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(command_line).collect()
}

fn command_line(number: u32) -> String {
    let words =
        fs::read(Path::new("/proc").join(number.to_string()).join("cmdline")).unwrap_or_default();
    let shown: String =
        String::from_utf8_lossy(&words).replace('\0', " ").chars().take(200).collect();
    format!("{number} {}", shown.replace('\n', " "))
}

/// The start time in ticks since boot; `None` if the process is gone or a zombie.
fn started(number: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

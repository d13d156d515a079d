//! Distinguishes busy child processes from idle ones.
//!
//! The information comes from `/proc`, if the system has one. A child counts together with all its
//! descendants: a shell or a package runner that starts a server is idle while the server works.

use std::collections::HashMap;
use std::fs;

/// A child must be idle in this many consecutive checks; one idle check may fall between two steps.
const IDLE_CHECKS: u32 = 2;
/// The maximum number of processes that are checked per child.
const MAX_PROCESSES: usize = 64;

/// The last observation of each child.
#[derive(Default)]
pub(super) struct Children(HashMap<u32, ChildActivity>);

#[derive(Clone, Copy, Default)]
struct ChildActivity {
    /// The processor time of the child and its descendants so far, in the system's unit, which is
    /// about 10 ms.
    ticks: u64,
    idle_checks: u32,
}

impl Children {
    /// The number of busy children; `None` if the system does not provide this.
    pub(super) fn count_busy(&mut self) -> Option<usize> {
        let threads = fs::read_dir("/proc/self/task").ok()?;
        let lists =
            threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
        let lists: Vec<String> = lists.collect::<Result<_, _>>().ok()?;
        let children: Vec<u32> = lists.iter().flat_map(|list| numbers(list)).collect();
        Some(self.count_busy_among(&children))
    }

    /// The number of busy processes among these; all others are forgotten.
    pub(super) fn count_busy_among(&mut self, children: &[u32]) -> usize {
        let before = std::mem::take(&mut self.0);
        self.0 = children
            .iter()
            .map(|child| (*child, observe(*child, before.get(child).copied())))
            .collect();
        self.0.values().filter(|value| value.idle_checks < IDLE_CHECKS).count()
    }
}

/// Checks a child and all its descendants.
fn observe(child: u32, before: Option<ChildActivity>) -> ChildActivity {
    let mut processes = vec![child];
    let (mut ticks, mut is_running) = (0, false);
    let mut at = 0;
    while at < processes.len() {
        let process = processes[at];
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if let Some((state, time)) = state_and_ticks(&stat) {
            ticks += time;
            is_running |= matches!(state, "R" | "D");
        }
        let children_list = fs::read_to_string(format!("/proc/{process}/task/{process}/children"))
            .unwrap_or_default();
        processes.extend(numbers(&children_list));
        processes.truncate(MAX_PROCESSES);
        at += 1;
    }
    match before {
        Some(before) if !is_running && before.ticks == ticks => {
            ChildActivity { ticks, idle_checks: before.idle_checks + 1 }
        }
        _ => ChildActivity { ticks, idle_checks: 0 },
    }
}

/// Parses a line such as `12 (name) S 1 …`; the name may contain any character.
pub(super) fn state_and_ticks(stat: &str) -> Option<(&str, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((fields.first()?, time(11)? + time(12)?))
}

fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split_whitespace().filter_map(|word| word.parse().ok())
}

//! Distinguishes busy child processes from idle ones.
//!
//! The information comes from `/proc`, if the system has one. A child counts together with all its
//! descendants: a shell or a package runner that starts a server is idle while the server works.

use std::collections::HashMap;
use std::fs;

/// A child must be idle in this many consecutive checks; one idle check may fall between two steps.
const CALM: u32 = 2;
/// The maximum number of processes that are checked per child.
const MOST: usize = 64;

/// The last observation of each child.
#[derive(Default)]
pub(super) struct Children(HashMap<u32, ChildActivity>);

#[derive(Clone, Copy, Default)]
struct ChildActivity {
    /// The processor time of the child and its descendants so far, in the system's unit, which is
    /// about 10 ms.
    ticks: u64,
    calm: u32,
}

impl Children {
    /// The number of busy children; `None` if the system does not provide this.
    pub(super) fn at_work(&mut self) -> Option<usize> {
        let threads = fs::read_dir("/proc/self/task").ok()?;
        let lists = threads.flatten().map(|it| fs::read_to_string(it.path().join("children")));
        let lists: Vec<String> = lists.collect::<Result<_, _>>().ok()?;
        let children: Vec<u32> = lists.iter().flat_map(|it| numbers(it)).collect();
        Some(self.at_work_of(&children))
    }

    /// The number of busy processes among these; all others are forgotten.
    pub(super) fn at_work_of(&mut self, children: &[u32]) -> usize {
        let before = std::mem::take(&mut self.0);
        self.0 = children.iter().map(|it| (*it, look(*it, before.get(it).copied()))).collect();
        self.0.values().filter(|it| it.calm < CALM).count()
    }
}

/// Checks a child and all its descendants.
fn look(child: u32, before: Option<ChildActivity>) -> ChildActivity {
    let mut family = vec![child];
    let (mut ticks, mut is_running) = (0, false);
    let mut at = 0;
    while at < family.len() {
        let process = family[at];
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if let Some((state, time)) = state_and_ticks(&stat) {
            ticks += time;
            is_running |= matches!(state, "R" | "D");
        }
        let below = fs::read_to_string(format!("/proc/{process}/task/{process}/children"))
            .unwrap_or_default();
        family.extend(numbers(&below));
        family.truncate(MOST);
        at += 1;
    }
    match before {
        Some(before) if !is_running && before.ticks == ticks => {
            ChildActivity { ticks, calm: before.calm + 1 }
        }
        _ => ChildActivity { ticks, calm: 0 },
    }
}

/// Parses a line such as `12 (name) S 1 …`; the name may contain any character.
pub(super) fn state_and_ticks(stat: &str) -> Option<(&str, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((fields.first()?, time(11)? + time(12)?))
}

fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split_whitespace().filter_map(|it| it.parse().ok())
}

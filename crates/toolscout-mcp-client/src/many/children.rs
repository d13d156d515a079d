//! Which of our children are at work, and which only wait.
//!
//! The system says so in `/proc`, where there is one. A child is taken with all that it has started itself: who starts
//! a server through a shell or a package runner waits, too, while the server works.

use std::collections::HashMap;
use std::fs;

/// So often in a row a child must be seen at rest; once may be a moment between two steps.
const CALM: u32 = 2;
/// More processes below one child are not looked at.
const MOST: usize = 64;

/// The last observation of each child.
#[derive(Default)]
pub(super) struct Children(HashMap<u32, ChildActivity>);

#[derive(Clone, Copy, Default)]
struct ChildActivity {
    /// Processor time of the whole family so far, in the system's unit, which is about 10 ms.
    ticks: u64,
    calm: u32,
}

impl Children {
    /// How many are at work. None where the system does not say.
    pub(super) fn at_work(&mut self) -> Option<usize> {
        let threads = fs::read_dir("/proc/self/task").ok()?;
        let lists = threads.flatten().map(|it| fs::read_to_string(it.path().join("children")));
        let lists: Vec<String> = lists.collect::<Result<_, _>>().ok()?;
        let children: Vec<u32> = lists.iter().flat_map(|it| numbers(it)).collect();
        Some(self.at_work_of(&children))
    }

    /// How many of these are at work; all others are forgotten.
    pub(super) fn at_work_of(&mut self, children: &[u32]) -> usize {
        let before = std::mem::take(&mut self.0);
        self.0 = children.iter().map(|it| (*it, look(*it, before.get(it).copied()))).collect();
        self.0.values().filter(|it| it.calm < CALM).count()
    }
}

/// Looks at a child and all below it.
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
        let below = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
        family.extend(numbers(&below));
        family.truncate(MOST);
        at += 1;
    }
    match before {
        Some(before) if !is_running && before.ticks == ticks => ChildActivity { ticks, calm: before.calm + 1 },
        _ => ChildActivity { ticks, calm: 0 },
    }
}

/// Of a line such as `12 (name) S 1 …`; the name may hold anything.
pub(super) fn state_and_ticks(stat: &str) -> Option<(&str, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((fields.first()?, time(11)? + time(12)?))
}

fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split_whitespace().filter_map(|it| it.parse().ok())
}

//! When a command is killed.

use super::place::{CrashProject, wait_until};
use crate::random::SplitMix64;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

/// How long after a sign at most.
const SOON: Duration = Duration::from_millis(2);
/// A command that has not given its sign after this time gives none any more.
const LIMIT: Duration = Duration::from_secs(2);

/// Half of all kills are left to the clock. Most of a command's time is spent on reading, though, and what can go wrong
/// goes wrong while it writes; so the other half are aimed at that.
pub(super) enum KillMoment {
    /// So long after the start.
    After(Duration),
    /// So long after something has happened to a file for this many times: it was made, it grew, it is gone. What the
    /// command says goes to a file, and so does what its servers do.
    Sign(usize, Duration),
}

/// How the waiting went.
pub(super) struct Waited {
    /// The exit code, if the command came to its end.
    pub(super) code: Option<i32>,
    /// How many signs were seen, where they were looked for.
    pub(super) signs: usize,
}

impl KillMoment {
    /// One for a command that takes this time and gives so many signs.
    pub(super) fn within(usual: Duration, signs: usize, chance: &mut SplitMix64) -> Self {
        match chance.below(2) {
            0 => Self::After(chance.within(usual)),
            _ => Self::Sign(1 + chance.below(signs.max(1)), chance.within(SOON)),
        }
    }

    /// Waits for it, or for the command's end.
    pub(super) fn wait(&self, place: &CrashProject, child: &mut Child) -> io::Result<Waited> {
        match self {
            Self::After(time) => Ok(Waited { code: wait_until(child, Instant::now() + *time)?, signs: 0 }),
            Self::Sign(number, more) => {
                let signs = count_signs(place, child, *number)?;
                let more = if signs == *number { *more } else { Duration::ZERO };
                Ok(Waited { code: wait_until(child, Instant::now() + more)?, signs })
            }
        }
    }
}

/// Waits for so many signs; gives how many came before the command's end.
fn count_signs(place: &CrashProject, child: &mut Child, number: usize) -> io::Result<usize> {
    let mut last = signs(place);
    let end = Instant::now() + LIMIT;
    let mut count = 0;
    while count < number && Instant::now() < end && child.try_wait()?.is_none() {
        let now = signs(place);
        count += usize::from(now != last);
        last = now;
    }
    Ok(count)
}

/// Everything that shows from outside when a command writes.
fn signs(place: &CrashProject) -> Vec<(OsString, u64, Option<SystemTime>)> {
    let mut signs = Vec::new();
    for folder in place.written() {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        signs.extend(files.filter_map(|it| {
            let about = it.metadata().ok().filter(|it| it.is_file())?;
            Some((it.file_name(), about.len(), about.modified().ok()))
        }));
    }
    signs
}

impl fmt::Display for KillMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(time) => write!(f, "after {time:?}"),
            Self::Sign(number, more) => write!(f, "{more:?} after sign {number}"),
        }
    }
}

//! The moment at which a command is killed.

use super::place::{CrashProject, wait_until};
use crate::random::SplitMix64;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

/// The maximum delay after a sign.
const SOON: Duration = Duration::from_millis(2);
/// A command without a sign after this time gives no more.
const LIMIT: Duration = Duration::from_secs(2);

/// Half of all kills are timed. A command spends most of its time reading, but failures happen
/// while it writes; so the other half are aimed at writes.
pub(super) enum KillMoment {
    /// This long after the start.
    After(Duration),
    /// This long after the given number of file changes: a file was created, grew, or was deleted.
    /// The output of the command and the log of its servers are files, too.
    Sign(usize, Duration),
}

/// The result of waiting.
pub(super) struct Waited {
    /// The exit code, if the command has ended.
    pub(super) code: Option<i32>,
    /// The number of observed signs, if they were counted.
    pub(super) signs: usize,
}

impl KillMoment {
    /// A random moment for a command with this duration and number of signs.
    pub(super) fn within(usual: Duration, signs: usize, chance: &mut SplitMix64) -> Self {
        match chance.below(2) {
            0 => Self::After(chance.within(usual)),
            _ => Self::Sign(1 + chance.below(signs.max(1)), chance.within(SOON)),
        }
    }

    /// Waits for the moment, or for the end of the command.
    pub(super) fn wait(&self, place: &CrashProject, child: &mut Child) -> io::Result<Waited> {
        match self {
            Self::After(time) => {
                Ok(Waited { code: wait_until(child, Instant::now() + *time)?, signs: 0 })
            }
            Self::Sign(number, more) => {
                let signs = count_signs(place, child, *number)?;
                let more = if signs == *number { *more } else { Duration::ZERO };
                Ok(Waited { code: wait_until(child, Instant::now() + more)?, signs })
            }
        }
    }
}

/// Waits for this many signs; returns how many came before the end of the command.
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

/// The externally visible traces of writes.
fn signs(place: &CrashProject) -> Vec<(OsString, u64, Option<SystemTime>)> {
    let mut signs = Vec::new();
    for folder in place.written() {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        signs.extend(files.filter_map(|file| {
            let about = file.metadata().ok().filter(|metadata| metadata.is_file())?;
            Some((file.file_name(), about.len(), about.modified().ok()))
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

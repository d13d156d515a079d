//! When a command is killed.

use super::chance::Chance;
use super::place::{Place, wait_until};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

/// Signs up to this one are waited for; most commands give fewer.
const SIGNS: usize = 6;
/// How long after a sign at most.
const SOON: Duration = Duration::from_millis(2);
/// A command that gives no sign for so long gives none any more.
const LIMIT: Duration = Duration::from_secs(5);

/// Half of all kills are left to the clock. Most of a command's time is spent on reading, though, and what can go wrong
/// goes wrong while it writes; so the other half are aimed at that.
pub(super) enum Moment {
    /// So long after the start.
    After(Duration),
    /// So long after something has happened to a file for this many times: it was made, it grew, it is gone. What the
    /// command says goes to a file, too.
    Sign(usize, Duration),
}

impl Moment {
    /// One for a command that takes this time.
    pub(super) fn within(usual: Duration, chance: &mut Chance) -> Self {
        match chance.below(2) {
            0 => Self::After(chance.within(usual)),
            _ => Self::Sign(1 + chance.below(SIGNS), chance.within(SOON)),
        }
    }

    /// Waits for it, or for the command's end; gives the exit code in the latter case.
    pub(super) fn wait(&self, place: &Place, child: &mut Child) -> io::Result<Option<i32>> {
        match self {
            Self::After(time) => wait_until(child, Instant::now() + *time),
            Self::Sign(number, more) => {
                let mut last = signs(place);
                let end = Instant::now() + LIMIT;
                let mut count = 0;
                while count < *number && Instant::now() < end {
                    if let Some(status) = child.try_wait()? {
                        return Ok(status.code());
                    }
                    let now = signs(place);
                    count += usize::from(now != last);
                    last = now;
                }
                wait_until(child, Instant::now() + *more)
            }
        }
    }
}

/// Everything that shows from outside when a command writes.
fn signs(place: &Place) -> Vec<(OsString, u64, Option<SystemTime>)> {
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

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(time) => write!(f, "after {time:?}"),
            Self::Sign(number, more) => write!(f, "{more:?} after sign {number}"),
        }
    }
}

//! The terms of a meeting: its transport and its time limits.

use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MeetingTransport {
    Stdio,
    Http,
}

impl fmt::Display for MeetingTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        })
    }
}

/// The time limits of a meeting.
pub(crate) struct TimeLimits {
    /// The timeout of toolscout for a response of a server.
    pub(crate) patience: Duration,
    /// The maximum time of a command that only reads.
    pub(crate) reading: Duration,
    /// The same if a schema is a bomb.
    pub(crate) reading_bombs: Duration,
}

impl TimeLimits {
    /// For a release build on an otherwise idle machine.
    pub(crate) const FULL: Self = Self {
        patience: Duration::from_secs(4),
        reading: Duration::from_secs(1),
        reading_bombs: Duration::from_millis(100),
    };

    /// For querying servers and ending them: TERM and KILL are sent within five seconds.
    pub(crate) fn asking(&self) -> Duration {
        self.patience + ENDING
    }

    /// For starting a server, listing, calling, and ending it.
    pub(crate) fn calling(&self) -> Duration {
        2 * self.patience + ENDING
    }
}

const ENDING: Duration = Duration::from_secs(6);

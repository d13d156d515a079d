//! The terms of a meeting: over which transport, and how long anything may take.

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

/// How long anything may take.
pub(crate) struct TimeLimits {
    /// What a server may take for an answer before toolscout gives up.
    pub(crate) patience: Duration,
    /// What a command may take that only reads, whatever there is to read.
    pub(crate) reading: Duration,
    /// The same where a schema is a bomb.
    pub(crate) reading_bombs: Duration,
}

impl TimeLimits {
    /// For a release build on a machine that does nothing else of weight.
    pub(crate) const FULL: Self = Self {
        patience: Duration::from_secs(4),
        reading: Duration::from_secs(1),
        reading_bombs: Duration::from_millis(100),
    };

    /// To ask servers, or one of them, and to end them: TERM and KILL come within five seconds.
    pub(crate) fn asking(&self) -> Duration {
        self.patience + ENDING
    }

    /// To start a server, have it list, call it, and end it.
    pub(crate) fn calling(&self) -> Duration {
        2 * self.patience + ENDING
    }
}

const ENDING: Duration = Duration::from_secs(6);

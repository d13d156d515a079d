//! The only table from what went wrong to what a surface answers.

use toolscout_core::ErrorKind;

/// How a command ends, as the shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// The tool ran and failed, or a check found something.
    Failed,
    /// Usage or invalid input.
    Usage,
    /// A source is unavailable, or timed out.
    Unavailable,
    /// Refused by policy.
    Refused,
    /// No such tool or command.
    NotFound,
    /// A bug of ours.
    Bug,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unavailable => 3,
            Self::Refused => 4,
            Self::NotFound => 5,
            Self::Bug => 70,
            Self::Interrupted => 130,
        }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Invalid => Self::Usage,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Unavailable | ErrorKind::TimedOut => Self::Unavailable,
            ErrorKind::Cancelled => Self::Interrupted,
            ErrorKind::Failed => Self::Failed,
            _ => Self::Bug,
        }
    }
}

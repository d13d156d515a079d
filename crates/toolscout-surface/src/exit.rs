//! Exit codes of commands.

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// The tool ran and failed, or a check found something.
    Failed,
    /// Usage error or invalid input.
    Usage,
    /// A source is unavailable, or timed out.
    Unavailable,
    /// Refused by policy.
    Refused,
    /// No such tool or command.
    NotFound,
    /// A bug in toolscout.
    Bug,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// The exit status for this code; `Bug` if the code is unknown.
    pub fn from_code(code: u8) -> Self {
        let all = [
            Self::Done,
            Self::Failed,
            Self::Usage,
            Self::Unavailable,
            Self::Refused,
            Self::NotFound,
            Self::Interrupted,
        ];
        all.into_iter().find(|exit| exit.code() == code).unwrap_or(Self::Bug)
    }

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

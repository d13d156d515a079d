//! What happens when a second tool comes under a taken name.

use std::fmt;
use std::str::FromStr;

/// Which of two tools of one name stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Conflict {
    /// The later one, in the earlier one's place.
    #[default]
    Replace,
    /// The earlier one.
    Skip,
    /// The earlier one, and whoever brought the later one hears of it.
    Error,
}

impl Conflict {
    /// Every choice, in the order shown to people.
    pub const ALL: [Self; 3] = [Self::Replace, Self::Skip, Self::Error];

    /// The word settings and flags use: `replace`, `skip`, `error`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Skip => "skip",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Conflict {
    type Err = UnknownConflict;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|it| it.word() == word).ok_or_else(|| UnknownConflict(word.to_owned()))
    }
}

/// A word that is none of [`Conflict`]'s.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` does not settle a conflict; use `replace`, `skip` or `error`", toolscout_core::escape::line(.0))]
pub struct UnknownConflict(String);

/// What became of a tool that was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegisterOutcome {
    /// It is there, under a name that was free.
    Added,
    /// It is there, and an earlier one of its name is gone.
    Replaced,
    /// It is not there: an earlier one of its name stayed.
    Skipped,
}

impl RegisterOutcome {
    /// Whether there is now something that was not there before.
    pub fn is_change(self) -> bool {
        self != Self::Skipped
    }
}

/// The name is taken, and [`Conflict::Error`] was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Tool '{}' is already registered", toolscout_core::escape::line(.name))]
pub struct AlreadyRegistered {
    /// Which name.
    pub name: String,
}

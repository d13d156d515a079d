//! How to handle a second tool with the same name.

use std::fmt;
use std::str::FromStr;

/// Which of two tools with the same name stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Conflict {
    /// The later one, at the position of the earlier one.
    #[default]
    Replace,
    /// The earlier one.
    Skip,
    /// The earlier one, and registering the later one is an error.
    Error,
}

impl Conflict {
    /// Every variant, in display order.
    pub const ALL: [Self; 3] = [Self::Replace, Self::Skip, Self::Error];

    /// The name in settings and flags: `replace`, `skip`, `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Skip => "skip",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Conflict {
    type Err = UnknownConflict;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|conflict| conflict.as_str() == name)
            .ok_or_else(|| UnknownConflict(name.to_owned()))
    }
}

/// A word that names no [`Conflict`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a conflict rule; use `replace`, `skip` or `error`", toolscout_core::escape::line(.0))]
pub struct UnknownConflict(String);

/// The result of registering a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegisterOutcome {
    /// It was added under a new name.
    Added,
    /// It replaced an earlier tool with the same name.
    Replaced,
    /// It was not added: an earlier tool with the same name stayed.
    Skipped,
}

impl RegisterOutcome {
    /// Whether the registry changed.
    pub fn is_change(self) -> bool {
        self != Self::Skipped
    }
}

/// The name is taken, and the registry uses [`Conflict::Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Tool '{}' is already registered", toolscout_core::escape::line(.name))]
pub struct AlreadyRegistered {
    /// The name.
    pub name: String,
}

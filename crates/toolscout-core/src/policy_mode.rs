//! Settings that change how all policies together are applied.

use serde::{Deserialize, Serialize};

/// How all policies together are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyMode {
    /// Policies apply as configured.
    #[default]
    Normal,
    /// Only tools marked read-only run.
    ReadOnly,
    /// Everything runs that is not disabled. Quarantined tools stay quarantined.
    AllowAll,
}

impl PolicyMode {
    /// The word in configurations and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::ReadOnly => "read-only",
            Self::AllowAll => "allow-all",
        }
    }
}

/// What happens to a tool that has the same name as one of a source with higher precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShadowPolicy {
    /// It keeps its full name, and a diagnostic reports that the bare name refers to the other
    /// tool.
    #[default]
    Report,
    /// It is left out: neither listed nor found nor called.
    Exclude,
}

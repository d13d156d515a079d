//! News for a person that stops nothing.

use crate::SourceId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Something went wrong beside the work: one broken file, two tools of one name. The rest goes on.
///
/// Stored without its source and its path: both are known where it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What sort of news this is.
    pub kind: DiagnosticKind,
    /// How loud to say it.
    pub level: DiagnosticLevel,
    /// Whose problem it is, where that is known.
    #[serde(skip)]
    pub source: Option<SourceId>,
    /// The file it is about.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// What happened, in a sentence without a full stop; text of others in it is not yet escaped.
    pub message: String,
    /// The next thing to type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A warning; add where and what to do with the other methods.
    pub fn warning(kind: DiagnosticKind, message: impl Into<String>) -> Self {
        Self { kind, level: DiagnosticLevel::Warning, source: None, path: None, message: message.into(), hint: None }
    }

    /// Something only who looks for it wants to read.
    pub fn debug(kind: DiagnosticKind, message: impl Into<String>) -> Self {
        Self { level: DiagnosticLevel::Debug, ..Self::warning(kind, message) }
    }

    /// Says whose problem it is.
    pub fn of(self, source: SourceId) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Says which file it is about.
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// Says what to type next.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// How loud a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticLevel {
    /// Shown with `--verbose` only.
    Debug,
    /// Shown, unless somebody asked for quiet.
    Warning,
}

/// Sorts problems, so that surfaces and tests need not read their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A definition that cannot be read.
    Broken,
    /// Two tools of one name, or two flags.
    Collision,
    /// A path, a name or a file that is not allowed.
    Forbidden,
    /// Something a tool needs is not there: a runtime, a file, a program.
    Unavailable,
    /// The folder is not trusted, so nothing in it was asked.
    Untrusted,
    /// A definition that waits for a person to look at it.
    Quarantined,
    /// A tool hidden by one of the same name in a stronger source.
    Shadowed,
    /// More than a limit allows.
    Limit,
    /// A whole source could not be listed.
    Source,
    /// A setting that does not fit.
    Setting,
}

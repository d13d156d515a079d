//! Diagnostics: findings that do not end a request.

use crate::SourceId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A finding beside the work: one broken file, two tools with one name. The rest continues.
///
/// It is stored without its source and its path, since the record that contains it has both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The category.
    pub kind: DiagnosticKind,
    /// The severity.
    pub level: DiagnosticLevel,
    /// The source it is about, if known.
    #[serde(skip)]
    pub source: Option<SourceId>,
    /// The file it is about.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// A sentence without a full stop. Text of third parties in it is not yet escaped.
    pub message: String,
    /// The command to run next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A warning; add source, path and hint with the other methods.
    pub fn warning(kind: DiagnosticKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            level: DiagnosticLevel::Warning,
            source: None,
            path: None,
            message: message.into(),
            hint: None,
        }
    }

    /// A message for `--verbose` only.
    pub fn debug(kind: DiagnosticKind, message: impl Into<String>) -> Self {
        Self { level: DiagnosticLevel::Debug, ..Self::warning(kind, message) }
    }

    /// Sets the source it is about.
    pub fn with_source(self, source: SourceId) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Sets the file it is about.
    pub fn with_path(self, path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// Sets the command to run next.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticLevel {
    /// Shown with `--verbose` only.
    Debug,
    /// Shown unless `--quiet` is given.
    Warning,
}

/// The category of a diagnostic, so that surfaces and tests need not parse its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A definition that cannot be read.
    Broken,
    /// Two tools or two flags with one name.
    Collision,
    /// A path, a name or a file that is not allowed.
    Forbidden,
    /// A file that could become a tool, but is none yet.
    Ignored,
    /// A tool needs something that is missing: a runtime, a file, a program.
    Unavailable,
    /// The folder is not trusted, so none of its programs was run for its definition.
    Untrusted,
    /// A definition is quarantined until a user has reviewed it.
    Quarantined,
    /// A tool is hidden by one with the same name in a source of higher precedence.
    Shadowed,
    /// A limit was exceeded.
    Limit,
    /// A whole source could not be listed.
    Source,
    /// A setting has an invalid value.
    Setting,
}

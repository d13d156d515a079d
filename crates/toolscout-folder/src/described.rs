//! What a file says about its tools without being run, in the form the scan record keeps.

use super::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toolscout_core::{
    CliHints, Diagnostic, DiagnosticKind, DiagnosticLevel, Digest, InvalidName, Provenance, RawJson, SourceId, Status,
    Tool, ToolId, ToolName, Visibility,
};

/// All that one file says: its tools, what is wrong with it, and which other files are its business.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileReading {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<DescribedTool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) remarks: Vec<FileDiagnostic>,
    /// Files, relative to the root, that are not to be discovered for themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) claims: Vec<String>,
}

impl FileReading {
    /// A file that says nothing but this.
    pub(super) fn remark(remark: FileDiagnostic) -> Self {
        Self { remarks: vec![remark], ..Self::default() }
    }
}

/// One tool as its file describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct DescribedTool {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) keywords: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input_schema: Option<RawJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output_schema: Option<RawJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) annotations: Option<RawJson>,
    #[serde(default)]
    pub(super) visibility: Visibility,
    #[serde(default, skip_serializing_if = "is_plain")]
    pub(super) cli: CliHints,
    pub(super) plan: RecipePlan,
}

fn is_plain(hints: &CliHints) -> bool {
    *hints == CliHints::default()
}

/// How a described tool comes to its recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RecipePlan {
    /// All is said; calls go through.
    Ready(Recipe),
    /// Enough is said to list it; the file itself knows the rest.
    Static(Recipe),
    /// Only the file itself can say anything.
    Unasked(Recipe),
    /// A manifest's path, relative to the root. What lies there may change without the manifest changing, so it is
    /// looked at anew each time.
    Target(String),
}

impl DescribedTool {
    /// A tool of which nothing is known but this.
    pub(super) fn new(name: impl Into<String>, plan: RecipePlan) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            keywords: Vec::new(),
            input_schema: None,
            output_schema: None,
            annotations: None,
            visibility: Visibility::default(),
            cli: CliHints::default(),
            plan,
        }
    }

    /// The tool, as seen in this file, and how it comes to its recipe.
    pub(super) fn into_tool(
        self,
        source: &SourceId,
        path: &Path,
        content: Option<Digest>,
    ) -> Result<(Tool, RecipePlan), InvalidName> {
        let status = match self.plan {
            RecipePlan::Ready(_) => Status::Ready,
            RecipePlan::Static(_) | RecipePlan::Target(_) => Status::Static,
            RecipePlan::Unasked(_) => Status::Unprobed("nobody has asked it yet what it holds".to_owned()),
        };
        let tool = Tool {
            id: ToolId::new(source.clone(), ToolName::new(&self.name)?),
            title: self.title,
            description: self.description,
            keywords: self.keywords,
            input_schema: self.input_schema.unwrap_or_else(RawJson::no_arguments),
            output_schema: self.output_schema,
            annotations: self.annotations,
            extra: None,
            visibility: self.visibility,
            status,
            provenance: Provenance { path: Some(path.to_owned()), content, ..Provenance::default() },
            cli: self.cli,
        };
        Ok((tool, self.plan))
    }
}

/// A problem as the record keeps it: without its path, which is the record's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FileDiagnostic {
    kind: FileDiagnosticKind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    debug: bool,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileDiagnosticKind {
    Broken,
    Forbidden,
    Unavailable,
    Limit,
}

impl FileDiagnostic {
    pub(super) fn broken(message: impl Into<String>) -> Self {
        Self { kind: FileDiagnosticKind::Broken, debug: false, message: message.into(), hint: None }
    }

    pub(super) fn forbidden(message: impl Into<String>) -> Self {
        Self { kind: FileDiagnosticKind::Forbidden, ..Self::broken(message) }
    }

    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self { kind: FileDiagnosticKind::Unavailable, ..Self::broken(message) }
    }

    pub(super) fn limit(message: impl Into<String>) -> Self {
        Self { kind: FileDiagnosticKind::Limit, ..Self::broken(message) }
    }

    /// Only who looks for it wants to read this.
    pub(super) fn quiet(message: impl Into<String>) -> Self {
        Self { debug: true, ..Self::broken(message) }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn into_problem(self, source: &SourceId, path: &Path) -> Diagnostic {
        let kind = match self.kind {
            FileDiagnosticKind::Broken => DiagnosticKind::Broken,
            FileDiagnosticKind::Forbidden => DiagnosticKind::Forbidden,
            FileDiagnosticKind::Unavailable => DiagnosticKind::Unavailable,
            FileDiagnosticKind::Limit => DiagnosticKind::Limit,
        };
        let level = if self.debug { DiagnosticLevel::Debug } else { DiagnosticLevel::Warning };
        let problem = Diagnostic { level, hint: self.hint, ..Diagnostic::warning(kind, self.message) };
        problem.of(source.clone()).at(path)
    }
}

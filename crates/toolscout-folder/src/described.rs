//! The static description of a file's tools, in the form that the scan record stores.

use super::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toolscout_core::{
    CliHints, Diagnostic, DiagnosticKind, Digest, InvalidName, Provenance, RawJson, SourceId,
    Status, Tool, ToolId, ToolName, Visibility,
};

/// The result of inspecting one file: its tools, its diagnostics and the other files that it
/// claims.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileInspection {
    /// The digest of the whole content, if the file contains or describes tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Digest>,
    /// Whether its text contains the word `tool-schema`.
    #[serde(rename = "speaks", default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) has_schema_verb: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<DescribedTool>,
    /// Diagnostics without a path; the caller adds the path of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Files, relative to the root, that are not discovered on their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) claims: Vec<String>,
    /// Reading failed for a temporary reason, so the inspection is not cached.
    #[serde(skip)]
    pub(super) is_transient: bool,
}

impl FileInspection {
    /// A file with a single tool.
    pub(super) fn tool(tool: DescribedTool) -> Self {
        Self { tools: vec![tool], ..Self::default() }
    }

    /// A file with a single diagnostic.
    pub(super) fn diagnostic(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], ..Self::default() }
    }

    /// A file that cannot be parsed.
    pub(super) fn broken(reason: impl Into<String>) -> Self {
        Self::diagnostic(Diagnostic::warning(DiagnosticKind::Broken, reason))
    }

    /// A file without tools, reported at debug level only.
    pub(super) fn quiet(reason: &str) -> Self {
        Self::diagnostic(Diagnostic::debug(DiagnosticKind::Broken, reason))
    }

    /// A file that could become a tool: the reason why it is none, and how to make it one.
    pub(super) fn ignored(reason: &str, hint: impl Into<String>) -> Self {
        let diagnostic = Diagnostic::debug(DiagnosticKind::Ignored, format!("Ignored: {reason}"));
        Self::diagnostic(diagnostic.with_hint(hint))
    }
}

/// One tool as described by its file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// The timeout of a call in milliseconds, if the description sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) timeout_ms: Option<u64>,
    pub(super) plan: RecipePlan,
}

fn is_plain(hints: &CliHints) -> bool {
    *hints == CliHints::default()
}

/// How the recipe of a described tool is determined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RecipePlan {
    /// The description is complete; the tool can be called.
    Ready(Recipe),
    /// The description is enough to list the tool; a probe returns the rest.
    Static(Recipe),
    /// The description is empty; only a probe can describe the tool.
    #[serde(rename = "unasked")]
    Unprobed(Recipe),
    /// The path of a manifest entry, relative to the root. The file there may change while the
    /// manifest does not, so it is checked in each scan.
    Target(String),
}

impl Default for RecipePlan {
    /// An empty target, replaced when the plan is known.
    fn default() -> Self {
        Self::Target(String::new())
    }
}

impl DescribedTool {
    /// Converts the description to a tool found at `path`.
    pub(super) fn into_tool(
        self,
        source: &SourceId,
        path: &Path,
        content: Option<Digest>,
        status: Status,
    ) -> Result<Tool, InvalidName> {
        Ok(Tool {
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
            provenance: Provenance {
                path: Some(path.to_owned()),
                content,
                ..Provenance::default()
            },
            cli: self.cli,
        })
    }
}

impl RecipePlan {
    /// The status of a tool with this plan.
    pub(super) fn status(&self) -> Status {
        match self {
            Self::Ready(_) => Status::Ready,
            Self::Static(_) | Self::Target(_) => Status::Static,
            Self::Unprobed(_) => Status::Unprobed("not inspected yet".to_owned()),
        }
    }
}

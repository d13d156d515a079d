//! What a file says about its tools without being run, in the form that the scan record stores.

use super::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toolscout_core::{
    CliHints, Diagnostic, DiagnosticKind, Digest, InvalidName, Provenance, RawJson, SourceId, Status, Tool, ToolId,
    ToolName, Visibility,
};

/// What a look at one file gave: its tools, what is wrong with it, and which other files are its business.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileInspection {
    /// The digest of the whole content, if the file holds or describes tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Digest>,
    /// Its text has the word `tool-schema`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) speaks: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<DescribedTool>,
    /// Without their path, which is that of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Files, relative to the root, that are not to be discovered for themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) claims: Vec<String>,
    /// Reading failed in a way that says nothing about the file; the look is not worth remembering.
    #[serde(skip)]
    pub(super) is_passing: bool,
}

impl FileInspection {
    /// A file with this one tool.
    pub(super) fn tool(tool: DescribedTool) -> Self {
        Self { tools: vec![tool], ..Self::default() }
    }

    /// A file that says nothing but this.
    pub(super) fn diagnostic(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], ..Self::default() }
    }

    /// A file that cannot be understood.
    pub(super) fn broken(reason: impl Into<String>) -> Self {
        Self::diagnostic(Diagnostic::warning(DiagnosticKind::Broken, reason))
    }

    /// A file without tools, which is worth a word only to those who look for it.
    pub(super) fn quiet(reason: &str) -> Self {
        Self::diagnostic(Diagnostic::debug(DiagnosticKind::Broken, reason))
    }
}

/// One tool as its file describes it.
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

impl Default for RecipePlan {
    /// Nothing is known yet.
    fn default() -> Self {
        Self::Target(String::new())
    }
}

impl DescribedTool {
    /// The tool, as seen in this file.
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
            provenance: Provenance { path: Some(path.to_owned()), content, ..Provenance::default() },
            cli: self.cli,
        })
    }
}

impl RecipePlan {
    /// How much is known of a tool with this plan.
    pub(super) fn status(&self) -> Status {
        match self {
            Self::Ready(_) => Status::Ready,
            Self::Static(_) | Self::Target(_) => Status::Static,
            Self::Unasked(_) => Status::Unprobed("not inspected yet".to_owned()),
        }
    }
}

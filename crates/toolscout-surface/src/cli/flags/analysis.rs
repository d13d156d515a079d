//! The analysis of a schema: its flags, their clashes, and what is passed as JSON.

use super::ToolFlags;
use super::shape::Shape;
use serde::Serialize;
use toolscout_core::{Diagnostic, DiagnosticKind, Tool};

/// How the schema of a tool becomes flags.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct FlagAnalysis {
    /// The flags, in the order of the schema.
    pub flags: Vec<FlagInfo>,
    /// Properties that would have the same flag.
    pub clashes: Vec<FlagClash>,
    /// The number of names that the longest flag joins.
    pub depth: usize,
    /// Clashes and invalid hints, as messages.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
}

/// One flag of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FlagInfo {
    /// The name without dashes.
    pub flag: String,
    /// The names of the property and its parents, outermost first.
    pub path: Vec<String>,
    /// Whether the flag must be given.
    pub required: bool,
    /// Whether the value is JSON: an object without known properties or nested too deeply, a list
    /// of objects, or a value of several types.
    pub takes_json: bool,
}

/// Properties that would have the same flag. The first has it; the others are set as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FlagClash {
    /// The name without dashes.
    pub flag: String,
    /// The paths of the properties, with dots; the first has the flag.
    pub properties: Vec<String>,
}

/// Analyzes the schema of a tool, with the hints for its command line. Starts nothing.
pub fn analyze(tool: &Tool) -> FlagAnalysis {
    let ToolFlags { leaves, diagnostics, clashes, .. } = ToolFlags::new(tool);
    let flags: Vec<FlagInfo> = leaves
        .into_iter()
        .map(|leaf| FlagInfo {
            takes_json: takes_json(&leaf.shape),
            flag: leaf.flag,
            path: leaf.path,
            required: leaf.required,
        })
        .collect();
    let depth = flags.iter().map(|flag| flag.path.len()).max().unwrap_or(0);
    FlagAnalysis { flags, clashes, depth, diagnostics }
}

impl FlagAnalysis {
    /// The messages about clashes.
    pub fn clash_diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        self.diagnostics.into_iter().filter(|it| it.kind == DiagnosticKind::Collision)
    }
}

fn takes_json(shape: &Shape) -> bool {
    match shape {
        Shape::Any(_) | Shape::JsonObject | Shape::JsonArray | Shape::Object => true,
        Shape::List(item) => !item.is_scalar(),
        _ => false,
    }
}

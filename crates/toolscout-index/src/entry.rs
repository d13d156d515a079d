//! The text of a tool for the ladder profiles, converted to lower case once.

use toolscout_core::{Tool, ToolId};

#[derive(Debug)]
pub(crate) struct SearchableText {
    pub(crate) id: ToolId,
    /// The names that match the tool, its own name first. Each is scored; the best counts.
    names: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) description: String,
}

impl SearchableText {
    pub(crate) fn new(tool: &Tool) -> Self {
        let lower = |text: &String| text.to_lowercase();
        Self {
            id: tool.id.clone(),
            names: names(&tool.id),
            keywords: tool.keywords.iter().map(lower).collect(),
            description: tool.description.as_ref().map(lower).unwrap_or_default(),
        }
    }

    /// The tool's own name.
    pub(crate) fn name(&self) -> &str {
        &self.names[0]
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// The bare name, the part after a namespace inside it, and the qualified name that agents see.
fn names(id: &ToolId) -> Vec<String> {
    let bare = id.name.as_str().to_lowercase();
    let qualified = format!("{}__{bare}", id.source);
    let inner =
        bare.split_once("__").map(|(_, inner)| inner.to_owned()).filter(|inner| !inner.is_empty());
    [Some(bare), inner, Some(qualified)].into_iter().flatten().collect()
}

//! One tool as the index keeps it: everything in lower case, once.

use toolscout_core::{Tool, ToolId};

#[derive(Debug)]
pub(crate) struct SearchableText {
    pub(crate) id: ToolId,
    /// What the tool answers to, its own name first. Scored one by one; the best counts.
    names: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) description: String,
}

impl SearchableText {
    pub(crate) fn of(tool: &Tool) -> Self {
        let lower = |it: &String| it.to_lowercase();
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

/// The bare name, the part behind a namespace that is already in it, and the name as agents see it.
fn names(id: &ToolId) -> Vec<String> {
    let bare = id.name.as_str().to_lowercase();
    let qualified = format!("{}__{bare}", id.source);
    let inner = bare.split_once("__").map(|(_, inner)| inner.to_owned()).filter(|it| !it.is_empty());
    [Some(bare), inner, Some(qualified)].into_iter().flatten().collect()
}

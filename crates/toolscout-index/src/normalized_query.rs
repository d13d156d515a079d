//! The query text, normalized for comparison.

/// The query in lower case, trimmed, and its words.
#[derive(Debug)]
pub(crate) struct NormalizedQuery {
    text: String,
}

impl NormalizedQuery {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.trim().to_lowercase() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

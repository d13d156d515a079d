//! Patterns that name tools in lists: `source/tool` with `*` for any text, `source` for all of it, `*` for everything.

#[cfg(test)]
mod tests;

use toolscout_core::{SourceId, escape};

/// Patterns as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolPatterns(Vec<String>);

impl ToolPatterns {
    /// These patterns; else the first that is none, and why.
    pub(super) fn read(patterns: Vec<String>) -> Result<Self, String> {
        match patterns.iter().find(|it| split(it).is_none()) {
            Some(wrong) => {
                let wrong = escape::line(wrong);
                Err(format!("`{wrong}` names no tool; use `source/tool`, `source/*` or `*`"))
            }
            None => Ok(Self(patterns)),
        }
    }

    /// Those of one source.
    pub(super) fn within(source: &SourceId, names: &[String]) -> Self {
        Self(names.iter().map(|it| format!("{source}/{it}")).collect())
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether a tool of this source could be among them.
    pub fn may_name(&self, source: &SourceId) -> bool {
        self.of(source).next().is_some()
    }

    /// Whether everything of this source is, whatever it may have one day.
    pub fn name_all(&self, source: &SourceId) -> bool {
        self.of(source).any(|it| it == "*")
    }

    /// The patterns for tool names of this source, without the source.
    pub fn of_source(&self, source: &SourceId) -> Vec<String> {
        self.of(source).map(str::to_owned).collect()
    }

    fn of<'a>(&'a self, source: &SourceId) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter_map(|it| split(it))
            .filter(|(of, _)| *of == "*" || *of == source.as_str())
            .map(|(_, it)| it)
    }
}

/// The source and the tool of a pattern.
fn split(pattern: &str) -> Option<(&str, &str)> {
    let (source, tool) = pattern.split_once('/').unwrap_or((pattern, "*"));
    let is_source = source == "*" || SourceId::new(source).is_ok();
    (is_source && !tool.is_empty()).then_some((source, tool))
}

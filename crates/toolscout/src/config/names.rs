//! Patterns that name tools in lists: `source/tool` with `*` for any text, `source` for all of it, `*` for everything.

#[cfg(test)]
mod tests;

use toolscout_core::{SourceId, escape};
use toolscout_source::layer::Filter;

/// Patterns as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Names(Vec<String>);

impl Names {
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

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether a tool of this source could be among them.
    pub(crate) fn may_name(&self, source: &SourceId) -> bool {
        self.of(source).next().is_some()
    }

    /// Whether everything of this source is, whatever it may have one day.
    pub(crate) fn name_all(&self, source: &SourceId) -> bool {
        self.of(source).any(|it| it == "*")
    }

    /// Shows those of this source that are.
    pub(crate) fn filter(&self, source: &SourceId) -> Filter {
        Filter::patterns(Some(self.of(source).map(str::to_owned).collect()), Vec::new())
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

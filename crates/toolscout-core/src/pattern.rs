//! Patterns of names and of tools, in which `*` stands for any text.

#[cfg(test)]
mod tests;

use crate::{SourceId, ToolId, escape};

/// A name, or a pattern of names. Only `*` is special; matching is case-sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Every text is a valid pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether every name matches.
    pub fn matches_all(&self) -> bool {
        self.0 == "*"
    }

    /// Whether the name matches.
    pub fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut name) = name.strip_prefix(first) else { return false };
        let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        // Match each part as early as possible, which leaves the most text for the parts after it.
        for part in between.split('*') {
            match name.split_once(part) {
                Some((_, after)) => name = after,
                None => return false,
            }
        }
        name.ends_with(last)
    }
}

/// Patterns of tools: `source/tool`, `source/*` or `source` for all of a source, `*` for
/// everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolPatterns(Vec<ToolPattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ToolPattern {
    source: NamePattern,
    tool: NamePattern,
}

impl ToolPatterns {
    /// Parses patterns; the error names the first invalid one.
    pub fn parse<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Result<Self, String> {
        let parse = |pattern: T| {
            let pattern = pattern.as_ref();
            ToolPattern::parse(pattern).ok_or_else(|| {
                format!(
                    "`{}` is not a tool pattern; use `source/tool`, `source/*` or `*`",
                    escape::line(pattern)
                )
            })
        };
        patterns.into_iter().map(parse).collect::<Result<_, _>>().map(Self)
    }

    /// Patterns for the names of tools of one source.
    pub fn for_source(source: &SourceId, names: &[String]) -> Self {
        let pattern = |name: &String| ToolPattern {
            source: NamePattern::new(source.as_str()),
            tool: NamePattern::new(name),
        };
        Self(names.iter().map(pattern).collect())
    }

    /// Adds the patterns of another list.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this tool matches.
    pub fn matches(&self, tool: &ToolId) -> bool {
        self.names(&tool.source).any(|name| name.matches(tool.name.as_str()))
    }

    /// Whether a tool of this source could match.
    pub fn may_match(&self, source: &SourceId) -> bool {
        self.names(source).next().is_some()
    }

    /// Whether every tool of this source matches, including tools that it gets later.
    pub fn matches_all_of(&self, source: &SourceId) -> bool {
        self.names(source).any(NamePattern::matches_all)
    }

    fn names<'a>(&'a self, source: &'a SourceId) -> impl Iterator<Item = &'a NamePattern> {
        self.0
            .iter()
            .filter(|pattern| pattern.source.matches(source.as_str()))
            .map(|pattern| &pattern.tool)
    }
}

impl ToolPattern {
    fn parse(pattern: &str) -> Option<Self> {
        let (source, tool) = pattern.split_once('/').unwrap_or((pattern, "*"));
        let is_source = source == "*" || SourceId::new(source).is_ok();
        (is_source && !tool.is_empty())
            .then(|| Self { source: NamePattern::new(source), tool: NamePattern::new(tool) })
    }
}

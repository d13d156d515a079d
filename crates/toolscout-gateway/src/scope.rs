//! Scopes: limited views of the catalog, such as the profiles that agents are served.
//!
//! A scope is plain data. [`Gateway::within`] returns a handle of the same gateway that sees
//! nothing else: lists, searches, names, libraries and calls all go through the catalog of the
//! scope, so a tool outside of it is an unknown tool.

#[cfg(test)]
mod tests;

use crate::Gateway;
use crate::policy::{LevelName, Mode, Policies};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{PolicyRules, SourceId, Tool, ToolId, ToolPatterns, Visibility};

/// Which tools can be seen and called, which of them are listed, and how policies are tightened.
/// The default is everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    /// Only these tools; all of them if absent.
    pub include: Option<ToolPatterns>,
    /// None of these tools.
    pub exclude: ToolPatterns,
    /// Listed, whatever visibility their sources set.
    pub listed: ToolPatterns,
    /// Additional rules; they can only tighten the others.
    pub rules: PolicyRules,
    /// Whether only read-only tools run.
    pub read_only: bool,
}

/// The default scope, and the named scopes.
#[derive(Default, PartialEq)]
pub(crate) struct Scopes {
    pub(crate) everything: Arc<Scope>,
    pub(crate) named: BTreeMap<Arc<str>, Arc<Scope>>,
}

impl Scopes {
    pub(crate) fn new(everything: Scope, named: impl IntoIterator<Item = (String, Scope)>) -> Self {
        let named = named.into_iter().map(|(name, scope)| (name.into(), Arc::new(scope))).collect();
        Self { everything: Arc::new(everything), named }
    }
}

impl Scope {
    /// A scope without any tool.
    pub(crate) fn nothing() -> Self {
        Self { include: Some(ToolPatterns::default()), ..Self::default() }
    }

    /// Whether this tool is in the scope.
    pub fn has_tool(&self, tool: &ToolId) -> bool {
        self.include.as_ref().is_none_or(|patterns| patterns.matches(tool))
            && !self.exclude.matches(tool)
    }

    /// Whether a tool of this source could be in the scope.
    pub fn has_source(&self, source: &SourceId) -> bool {
        self.include.as_ref().is_none_or(|patterns| patterns.may_match(source))
            && !self.exclude.matches_all_of(source)
    }

    /// Whether the source itself is in the scope, and not just some of its tools: then its
    /// resources and prompts are, too.
    pub(crate) fn has_library_of(&self, source: &SourceId) -> bool {
        self.has_source(source)
            && self.include.as_ref().is_none_or(|patterns| patterns.matches_all_of(source))
    }

    /// Whether no tool of this source is left out, so that it may be queried as a remote gateway.
    pub(crate) fn has_every_tool_of(&self, source: &SourceId) -> bool {
        self.has_library_of(source) && !self.exclude.may_match(source)
    }

    /// Whether it changes the visibility of tools.
    pub(crate) fn lists_something(&self) -> bool {
        !self.listed.is_empty()
    }

    /// The tool with the visibility it has in this scope.
    pub(crate) fn listed(&self, tool: Arc<Tool>) -> Arc<Tool> {
        if tool.visibility == Visibility::Listed || !self.listed.matches(&tool.id) {
            return tool;
        }
        Arc::new(Tool { visibility: Visibility::Listed, ..Tool::clone(&tool) })
    }

    /// The policies that apply in this scope: these, and its own as the last level.
    pub(crate) fn tighten(&self, policies: &Policies) -> Policies {
        let is_silent = self.rules.rules.is_empty() && self.rules.default.is_none();
        let mode = match policies.mode {
            _ if self.read_only => Mode::ReadOnly,
            // The mode was set for everything, but the rules are for this scope, and the mode would
            // disable them.
            Mode::AllowAll if !is_silent => Mode::Normal,
            mode => mode,
        };
        policies.clone().with(LevelName::Profile, self.rules.clone()).in_mode(mode)
    }
}

impl Gateway {
    /// The same gateway, limited to the scope of this name. Cheap: sources, catalog and index are
    /// shared. While there is no such scope it has no tools.
    pub fn within(&self, scope: &str) -> Self {
        Self { scope: Some(scope.into()), ..self.clone() }
    }

    /// Replaces all scopes. `everything` applies to handles without a scope; only its
    /// [`Scope::listed`] has an effect.
    pub fn set_scopes(&self, everything: Scope, named: impl IntoIterator<Item = (String, Scope)>) {
        self.publisher.set_scopes(Scopes::new(everything, named));
    }

    /// Whether resources and prompts of this source can be seen.
    pub fn has_library_of(&self, source: &SourceId) -> bool {
        self.catalog().scope.has_library_of(source)
    }
}

//! The policies that one level sets: the user's own configuration, a project's, a session's or a
//! profile's.

use crate::authorization::Policy;
use crate::{SourceId, ToolId};

/// The policies of one level. A level below may only tighten them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyRules {
    /// The policy for tools that no rule matches.
    pub default: Option<Policy>,
    /// Policies by pattern: `source/tool`, `source/*` or `*`. Names are compared byte by byte.
    pub rules: Vec<(String, Policy)>,
}

impl PolicyRules {
    /// The same level with this rule, which replaces any rule with the same pattern.
    pub fn rule(self, pattern: impl Into<String>, policy: Policy) -> Self {
        let pattern = pattern.into();
        let mut level = self.without(&pattern);
        level.rules.push((pattern, policy));
        level
    }

    /// The same level without the rule of this pattern.
    pub fn without(mut self, pattern: &str) -> Self {
        self.rules.retain(|(rule, _)| rule != pattern);
        self
    }

    /// The policy of this level for a tool, and the rule that sets it; none if the level sets none.
    pub fn policy_for(&self, id: &ToolId) -> Option<(Policy, String)> {
        let rule = self.rule_for(id).map(|(policy, pattern)| (policy, format!("rule `{pattern}`")));
        rule.or_else(|| self.default.map(|policy| (policy, "default".to_owned())))
    }

    /// The policy of this level for every tool of a pattern; none if no rule covers all of them.
    pub fn policy_for_all(&self, pattern: &PolicyPattern<'_>) -> Option<Policy> {
        let covering = self.rules.iter().filter_map(|(rule, policy)| {
            Some((PolicyPattern::parse(rule)?.covers(pattern)?, *policy))
        });
        covering.max().map(|(_, policy)| policy).or(self.default)
    }

    /// The most specific rule for a tool, and its pattern as written.
    pub fn rule_for(&self, id: &ToolId) -> Option<(Policy, &str)> {
        let tool = PolicyPattern::Tool(id.source.as_str(), id.name.as_str());
        let matching = self.rules.iter().filter_map(|(pattern, policy)| {
            let specificity = PolicyPattern::parse(pattern)?.covers(&tool)?;
            Some((specificity, *policy, pattern))
        });
        // If the same pattern occurs twice, the stricter rule wins, since it was written for a
        // reason.
        let best = matching.max_by_key(|(specificity, policy, _)| (*specificity, *policy));
        best.map(|(_, policy, pattern)| (policy, pattern.as_str()))
    }

    /// The strictest rule for a single tool of this source, among the tools that `is_included`
    /// accepts.
    pub fn strictest_for(
        &self,
        source: &SourceId,
        is_included: impl Fn(&str) -> bool,
    ) -> Option<(&str, Policy)> {
        let is_matching = |pattern: &str| match PolicyPattern::parse(pattern) {
            Some(PolicyPattern::Tool(tool, name)) => tool == source.as_str() && is_included(name),
            _ => false,
        };
        let rules = self.rules.iter().filter(|(pattern, _)| is_matching(pattern));
        rules.max_by_key(|(_, policy)| *policy).map(|(pattern, policy)| (pattern.as_str(), *policy))
    }
}

/// The tools that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyPattern<'a> {
    /// Every tool.
    All,
    /// Every tool of a source.
    Source(&'a str),
    /// One tool, by source and name.
    Tool(&'a str, &'a str),
}

impl<'a> PolicyPattern<'a> {
    /// `source/tool`, `source/*` or `*`. Splits at the first slash: a source's id has none, a
    /// tool's name may.
    pub fn parse(text: &'a str) -> Option<Self> {
        match text.split_once('/') {
            None => (text == "*").then_some(Self::All),
            Some((source, name)) if SourceId::new(source).is_err() || name.is_empty() => None,
            Some((source, "*")) => Some(Self::Source(source)),
            Some((source, name)) => Some(Self::Tool(source, name)),
        }
    }

    /// How specific it is about all tools of another pattern; none if it does not cover them.
    fn covers(&self, other: &PolicyPattern<'_>) -> Option<u8> {
        match (self, other) {
            (Self::All, _) => Some(0),
            (
                Self::Source(source),
                PolicyPattern::Source(other_source) | PolicyPattern::Tool(other_source, _),
            ) => (source == other_source).then_some(1),
            (Self::Tool(source, name), PolicyPattern::Tool(other_source, tool)) => {
                (source == other_source && name == tool).then_some(2)
            }
            _ => None,
        }
    }
}

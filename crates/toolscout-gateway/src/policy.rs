//! The policy of each tool, and the reason for it.
//!
//! There are four levels: the user's own configuration, the project's, the session's, and a
//! profile's. Within a level the most specific rule counts; between levels the tightest, so a level
//! may only tighten the policy of its parents.

#[cfg(test)]
mod tests;

use crate::Error;
use crate::delegation;
use std::time::Duration;
use toolscout_core::authorization::Policy;
use toolscout_core::policy_rules::PolicyPattern;
use toolscout_core::{Diagnostic, DiagnosticKind, PolicyRules, Tool, ToolId};

pub use toolscout_core::{PolicyMode as Mode, ShadowPolicy as Shadow};

/// A policy level; later ones may only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LevelName {
    /// The user's own configuration.
    Global,
    /// The project's configuration.
    Project,
    /// The running session.
    Session,
    /// The profile that is served.
    Profile,
}

impl LevelName {
    /// All levels, parents first.
    pub const ALL: [Self; 4] = [Self::Global, Self::Project, Self::Session, Self::Profile];

    /// The user-facing name: `global`, `project`, `session`, `profile`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Session => "session",
            Self::Profile => "profile",
        }
    }
}

/// The policies of all levels, and how they apply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policies {
    /// In the order of [`LevelName::ALL`].
    pub levels: [PolicyRules; 4],
    /// The mode in which the rules apply.
    pub mode: Mode,
    /// The treatment of tools with the same name as another tool.
    pub shadow: Shadow,
    /// How long a call with the policy `ask` stays open for a decision. After it, or at once if it
    /// is zero, the call fails with the id of its pending approval.
    pub ask_wait: Duration,
}

/// A change of the policy of one level for a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyUpdate {
    /// The level.
    pub level: LevelName,
    /// `source/tool`, `source/*` or `*`.
    pub pattern: String,
    /// The new policy; `None` removes the rule.
    pub policy: Option<Policy>,
}

/// The effective policy of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDecision {
    /// The policy.
    pub policy: Policy,
    /// The reason, as a continuation of "is denied": `by the project's rule …`.
    pub reason: String,
}

/// A rule that refers to a source or tool that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DanglingRule {
    /// The level of the rule.
    pub level: LevelName,
    /// The pattern as written.
    pub pattern: String,
    /// The policy of the rule.
    pub policy: Policy,
}

impl DanglingRule {
    /// The rule as a diagnostic.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let message = format!(
            "the {} rule `{}` matches no tool or source",
            self.level.as_str(),
            self.pattern
        );
        Diagnostic::warning(DiagnosticKind::Setting, message).with_hint(
            "run `toolscout tools list` to see the names; a rule is `source/tool`, `source/*` or `*`",
        )
    }
}

impl Policies {
    /// Policies without any rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces one level.
    pub fn with(mut self, name: LevelName, level: PolicyRules) -> Self {
        self.levels[name as usize] = level;
        self
    }

    /// Sets the mode.
    pub fn in_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Sets the treatment of tools with the same name as another tool.
    pub fn shadowing(self, shadow: Shadow) -> Self {
        Self { shadow, ..self }
    }

    /// Sets how long a call stays open for a decision.
    pub fn waiting(self, ask_wait: Duration) -> Self {
        Self { ask_wait, ..self }
    }

    /// The rules of one level.
    pub fn level(&self, name: LevelName) -> &PolicyRules {
        &self.levels[name as usize]
    }

    /// The effective policy of a tool, and the reason for it.
    pub fn effective(&self, tool: &Tool) -> PolicyDecision {
        self.apply_mode(tool, self.configured_decision(&tool.id))
    }

    /// The effective policy of a tool that a meta tool of its source runs: the rules for the tool
    /// and the rules for the meta tool both apply. A tool with an unknown definition may be another
    /// tool under a different name, so the rules for every single tool of its source apply, too.
    pub(crate) fn effective_through(
        &self,
        tool: &Tool,
        meta_tool: &ToolId,
        is_known: bool,
    ) -> PolicyDecision {
        let is_meant = |name: &str| {
            name == meta_tool.name.as_str() || (!is_known && !delegation::is_meta_tool(name))
        };
        let of_level = |level: LevelName| {
            let (pattern, policy) = self.level(level).strictest_for(&meta_tool.source, is_meant)?;
            Some(PolicyDecision {
                policy,
                reason: format!("by the {} rule `{pattern}`", level.as_str()),
            })
        };
        let others = LevelName::ALL.into_iter().filter_map(of_level);
        let tighter = |one: PolicyDecision, other: PolicyDecision| {
            if other.policy > one.policy { other } else { one }
        };
        self.apply_mode(tool, others.fold(self.configured_decision(&tool.id), tighter))
    }

    fn apply_mode(&self, tool: &Tool, decision: PolicyDecision) -> PolicyDecision {
        match self.mode {
            _ if decision.policy == Policy::Disable => decision,
            Mode::Normal => decision,
            Mode::AllowAll => {
                PolicyDecision { policy: Policy::Allow, reason: "by allow-all mode".to_owned() }
            }
            Mode::ReadOnly if decision.policy == Policy::Deny || tool.is_read_only() => decision,
            Mode::ReadOnly => {
                let reason = "by read-only mode: the tool is not marked read-only".to_owned();
                PolicyDecision { policy: Policy::Deny, reason }
            }
        }
    }

    /// Whether any rule disables anything; otherwise the check of each tool can be skipped.
    pub(crate) fn disables_something(&self) -> bool {
        let disables = |policy_rules: &PolicyRules| {
            policy_rules.default == Some(Policy::Disable)
                || policy_rules.rules.iter().any(|(_, policy)| *policy == Policy::Disable)
        };
        self.levels.iter().any(disables)
    }

    /// The tightest policy of all levels, independent of the mode.
    fn configured_decision(&self, id: &ToolId) -> PolicyDecision {
        let mut tightest =
            PolicyDecision { policy: Policy::Allow, reason: "by default".to_owned() };
        for name in LevelName::ALL {
            if let Some((policy, by)) =
                self.level(name).policy_for(id).filter(|(policy, _)| *policy > tightest.policy)
            {
                tightest =
                    PolicyDecision { policy, reason: format!("by the {} {by}", name.as_str()) };
            }
        }
        tightest
    }

    /// The policy of one level for a tool; `None` if the level has no rule and no default for it.
    pub fn value(&self, level: LevelName, id: &ToolId) -> Option<Policy> {
        self.level(level).policy_for(id).map(|(policy, _)| policy)
    }

    /// The tightest policy of any rule for a tool; `None` if only defaults apply to it.
    pub fn configured(&self, id: &ToolId) -> Option<Policy> {
        self.levels.iter().filter_map(|level| level.rule_for(id)).map(|(policy, _)| policy).max()
    }

    /// The policies that a level may set for this tool: any that is not looser than those of its
    /// parents.
    pub fn allowed_values(&self, level: LevelName, id: &ToolId) -> Vec<Policy> {
        let parents = LevelName::ALL.into_iter().filter(|item| *item < level);
        let tightest = parents
            .filter_map(|parent| self.level(parent).policy_for(id))
            .map(|(policy, _)| policy)
            .max();
        Policy::ALL.into_iter().filter(|item| Some(*item) >= tightest).collect()
    }

    /// Refuses an update that is malformed, or looser than the levels above allow for all tools of
    /// its pattern.
    pub fn check(&self, update: &PolicyUpdate) -> Result<(), Error> {
        let invalid = || Error::InvalidPattern { pattern: update.pattern.clone() };
        let pattern = PolicyPattern::parse(&update.pattern).ok_or_else(invalid)?;
        let parents = LevelName::ALL.into_iter().filter(|level| *level < update.level);
        let tightest = parents.filter_map(|level| self.level(level).policy_for_all(&pattern)).max();
        match update.policy {
            Some(policy) if Some(policy) < tightest => {
                let allowed =
                    Policy::ALL.into_iter().filter(|item| Some(*item) >= tightest).collect();
                Err(Error::PolicyTooLoose { policy, allowed })
            }
            _ => Ok(()),
        }
    }

    /// Rules about sources or tools that do not exist. A renamed tool is no longer covered by its
    /// rule, which the operator should know. `knows` returns whether a source exists, and whether
    /// it has the tool.
    pub fn dangling(&self, knows: impl Fn(&str, Option<&str>) -> bool) -> Vec<DanglingRule> {
        let rules = LevelName::ALL
            .into_iter()
            .flat_map(|item| self.level(item).rules.iter().map(move |rule| (item, rule)));
        let dangles = |pattern: &str| match PolicyPattern::parse(pattern) {
            Some(PolicyPattern::All) => false,
            Some(PolicyPattern::Source(source)) => !knows(source, None),
            Some(PolicyPattern::Tool(source, name)) => !knows(source, Some(name)),
            None => true,
        };
        let dangling = rules.filter(|(_, (pattern, _))| dangles(pattern));
        dangling
            .map(|(level, (pattern, policy))| DanglingRule {
                level,
                pattern: pattern.clone(),
                policy: *policy,
            })
            .collect()
    }
}

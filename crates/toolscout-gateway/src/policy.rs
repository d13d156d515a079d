//! What may be done with each tool, and who said so.
//!
//! Four levels speak: the user's own configuration, the project's, the session's, a profile's. Within a level the most specific rule
//! counts; between levels the tightest, so a level may only tighten what its parents allow.

#[cfg(test)]
mod tests;

use crate::Error;
use crate::delegation;
use toolscout_core::authorization::Policy;
use toolscout_core::policy_rules::PolicyPattern;
use toolscout_core::{Diagnostic, DiagnosticKind, PolicyRules, Tool, ToolId};

pub use toolscout_core::{PolicyMode as Mode, ShadowPolicy as Shadow};

/// Who speaks; later ones may only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LevelName {
    /// The user's own configuration.
    Global,
    /// The project's.
    Project,
    /// The running session's.
    Session,
    /// That of the profile which is served.
    Profile,
}

impl LevelName {
    /// All of them, parents first.
    pub const ALL: [Self; 4] = [Self::Global, Self::Project, Self::Session, Self::Profile];

    /// The word people know it by: `global`, `project`, `session`, `profile`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Session => "session",
            Self::Profile => "profile",
        }
    }
}

/// Everything that was said about what may be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policies {
    /// In the order of [`LevelName::ALL`].
    pub levels: [PolicyRules; 4],
    /// How they are taken.
    pub mode: Mode,
    /// What becomes of tools whose name another has.
    pub shadow: Shadow,
}

/// A change of what one level says about a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyUpdate {
    /// Which level.
    pub level: LevelName,
    /// `source/tool`, `source/*` or `*`.
    pub pattern: String,
    /// The policy from now on; none takes back what was set.
    pub policy: Option<Policy>,
}

/// What holds for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDecision {
    /// What.
    pub policy: Policy,
    /// Why, so that it reads on from "is denied": `by the project's rule …`.
    pub because: String,
}

/// A rule that names something no source has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DanglingRule {
    /// Whose rule it is.
    pub level: LevelName,
    /// As written.
    pub pattern: String,
    /// What it says.
    pub policy: Policy,
}

impl DanglingRule {
    /// The same, as news.
    pub fn problem(&self) -> Diagnostic {
        let message = format!("the {} rule `{}` names nothing that is there", self.level.word(), self.pattern);
        Diagnostic::warning(DiagnosticKind::Setting, message)
            .hint("`toolscout tools list` shows the names; rules are `source/tool`, `source/*` or `*`")
    }
}

impl Policies {
    /// Nothing said anywhere.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with this level instead.
    pub fn with(mut self, name: LevelName, level: PolicyRules) -> Self {
        self.levels[name as usize] = level;
        self
    }

    /// The same, taken in this mode.
    pub fn in_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The same, with this done about tools whose name another has.
    pub fn shadowing(self, shadow: Shadow) -> Self {
        Self { shadow, ..self }
    }

    /// What one level says.
    pub fn level(&self, name: LevelName) -> &PolicyRules {
        &self.levels[name as usize]
    }

    /// What holds for the tool, and why.
    pub fn effective(&self, tool: &Tool) -> PolicyDecision {
        self.in_mode_for(tool, self.said(&tool.id))
    }

    /// What holds for a tool that a meta tool of its source runs: what holds for it, and what is said of that meta tool by
    /// its name. A tool that nobody has seen may be another one under another name, so what is said of any single tool of its
    /// source holds for it.
    pub(crate) fn effective_through(&self, tool: &Tool, meta_tool: &ToolId, is_known: bool) -> PolicyDecision {
        let is_meant = |name: &str| name == meta_tool.name.as_str() || (!is_known && !delegation::is_meta_tool(name));
        let of_level = |level: LevelName| {
            let (pattern, policy) = self.level(level).tightest_of(&meta_tool.source, is_meant)?;
            Some(PolicyDecision { policy, because: format!("by the {} rule `{pattern}`", level.word()) })
        };
        let others = LevelName::ALL.into_iter().filter_map(of_level);
        let tighter = |one: PolicyDecision, other: PolicyDecision| if other.policy > one.policy { other } else { one };
        self.in_mode_for(tool, others.fold(self.said(&tool.id), tighter))
    }

    fn in_mode_for(&self, tool: &Tool, said: PolicyDecision) -> PolicyDecision {
        match self.mode {
            _ if said.policy == Policy::Disable => said,
            Mode::Normal => said,
            Mode::AllowAll => {
                PolicyDecision { policy: Policy::Allow, because: "in the mode that allows all".to_owned() }
            }
            Mode::ReadOnly if said.policy == Policy::Deny || tool.is_read_only() => said,
            Mode::ReadOnly => {
                let because = "in read-only mode: the tool is not marked read-only".to_owned();
                PolicyDecision { policy: Policy::Deny, because }
            }
        }
    }

    /// Whether anything at all is disabled, so that there is reason to look at each tool.
    pub(crate) fn disables_something(&self) -> bool {
        let disables = |it: &PolicyRules| {
            it.default == Some(Policy::Disable) || it.rules.iter().any(|(_, policy)| *policy == Policy::Disable)
        };
        self.levels.iter().any(disables)
    }

    /// What the levels say together, whatever the mode.
    fn said(&self, id: &ToolId) -> PolicyDecision {
        let mut tightest = PolicyDecision { policy: Policy::Allow, because: "by default".to_owned() };
        for name in LevelName::ALL {
            if let Some((policy, by)) = self.level(name).says(id).filter(|(policy, _)| *policy > tightest.policy) {
                tightest = PolicyDecision { policy, because: format!("by the {} {by}", name.word()) };
            }
        }
        tightest
    }

    /// What one level says about a tool; none where it says nothing.
    pub fn value(&self, level: LevelName, id: &ToolId) -> Option<Policy> {
        self.level(level).says(id).map(|(policy, _)| policy)
    }

    /// The tightest that any rule says about a tool; none where only defaults hold for it.
    pub fn configured(&self, id: &ToolId) -> Option<Policy> {
        self.levels.iter().filter_map(|it| it.rule_for(id)).map(|(policy, _)| policy).max()
    }

    /// What a level may say about this tool, given what its parents said: anything that is not looser.
    pub fn allowed_values(&self, level: LevelName, id: &ToolId) -> Vec<Policy> {
        let parents = LevelName::ALL.into_iter().filter(|it| *it < level);
        let tightest = parents.filter_map(|it| self.level(it).says(id)).map(|(policy, _)| policy).max();
        Policy::ALL.into_iter().filter(|it| Some(*it) >= tightest).collect()
    }

    /// Refuses an update that is malformed, or looser than what the levels above say about all tools of its pattern.
    pub fn check(&self, update: &PolicyUpdate) -> Result<(), Error> {
        let invalid = || Error::InvalidPattern { pattern: update.pattern.clone() };
        let pattern = PolicyPattern::parse(&update.pattern).ok_or_else(invalid)?;
        let parents = LevelName::ALL.into_iter().filter(|level| *level < update.level);
        let tightest = parents.filter_map(|level| self.level(level).says_about_all(&pattern)).max();
        match update.policy {
            Some(policy) if Some(policy) < tightest => {
                let allowed = Policy::ALL.into_iter().filter(|it| Some(*it) >= tightest).collect();
                Err(Error::PolicyTooLoose { policy, allowed })
            }
            _ => Ok(()),
        }
    }

    /// Rules about what is not there: a tool that was renamed is no longer covered, and somebody should know. `knows`
    /// says whether there is such a source, and whether it has such a tool.
    pub fn dangling(&self, knows: impl Fn(&str, Option<&str>) -> bool) -> Vec<DanglingRule> {
        let rules = LevelName::ALL.into_iter().flat_map(|it| self.level(it).rules.iter().map(move |rule| (it, rule)));
        let dangles = |pattern: &str| match PolicyPattern::parse(pattern) {
            Some(PolicyPattern::All) => false,
            Some(PolicyPattern::Source(source)) => !knows(source, None),
            Some(PolicyPattern::Tool(source, name)) => !knows(source, Some(name)),
            None => true,
        };
        let dangling = rules.filter(|(_, (pattern, _))| dangles(pattern));
        dangling
            .map(|(level, (pattern, policy))| DanglingRule { level, pattern: pattern.clone(), policy: *policy })
            .collect()
    }
}

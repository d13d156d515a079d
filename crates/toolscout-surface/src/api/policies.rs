//! What may be done with tools: who says what, and how to say something else.

use super::asked::Asked;
use super::catalog::mode;
use super::servers::PolicyWord;
use super::{Route, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::door::Policy;
use toolscout_gateway::policy::{LevelName, Policies, PolicyUpdate};

#[derive(Serialize, JsonSchema)]
struct All {
    /// `normal`, `read-only` or `allow-all`.
    mode: &'static str,
    /// What can be said, loosest first.
    values: Vec<&'static str>,
    /// Parents first; what is tightest holds.
    levels: Vec<LevelView>,
}

#[derive(Serialize, JsonSchema)]
struct LevelView {
    /// `global`, `project`, `session` or `profile`.
    level: &'static str,
    /// For what no rule of this level names.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'static str>,
    rules: Vec<RuleView>,
}

#[derive(Serialize, JsonSchema)]
struct RuleView {
    /// `source/tool`, `source/*` or `*`.
    pattern: String,
    policy: &'static str,
}

/// Something else is said about a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// Who says it: your own configuration, the project's, or this run and no longer.
    pub level: LevelWord,
    /// About what: `source/tool`, `source/*` or `*`.
    pub pattern: String,
    /// What may be done; null takes back what was said.
    pub policy: Option<PolicyWord>,
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum LevelWord {
    /// Your own configuration, for all projects.
    Global,
    /// The project's.
    Project,
    /// This run, and no longer.
    Session,
}

impl LevelWord {
    /// As policies know it.
    pub fn level(self) -> LevelName {
        match self {
            Self::Global => LevelName::Global,
            Self::Project => LevelName::Project,
            Self::Session => LevelName::Session,
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/policies", "What may be done with tools, and who says so", list),
        Route::told("PUT", "/api/policies", "Say what may be done with a tool, or take it back", change).operator(),
    ]
}

async fn list(asked: Asked) -> Result<All, Trouble> {
    Ok(All::of(&asked.gateway().policies()))
}

async fn change(asked: Asked, change: PolicyChange) -> Result<All, Trouble> {
    let gateway = asked.api.desk.everything();
    let policy = change.policy.map(PolicyWord::policy);
    let update = PolicyUpdate { level: change.level.level(), pattern: change.pattern, policy };
    let desk = &asked.api.desk;
    gateway.set_policy(update, &asked.cx, |update| desk.write_policy(update)).await?;
    Ok(All::of(&gateway.policies()))
}

impl All {
    fn of(policies: &Policies) -> Self {
        let level = |name: LevelName| {
            let level = policies.level(name);
            let rule =
                |(pattern, policy): &(String, Policy)| RuleView { pattern: pattern.clone(), policy: policy.word() };
            let rules = level.rules.iter().map(rule).collect();
            LevelView { level: name.word(), default: level.default.map(Policy::word), rules }
        };
        Self {
            mode: mode(policies.mode),
            values: Policy::ALL.map(Policy::word).into(),
            levels: LevelName::ALL.map(level).into(),
        }
    }
}

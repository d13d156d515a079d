//! What may be done with tools: who says what, and how to say something else.

use super::asked::Asked;
use super::catalog::mode;
use super::servers::PolicyWord;
use super::{Route, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::door::Policy;
use toolscout_core::{SourceId, ToolId, ToolName};
use toolscout_gateway::policy::{LevelName, Policies};

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
    let about = about(&change.pattern)?;
    if let (Some(id), Some(word)) = (about, change.policy) {
        let allowed = asked.api.desk.everything().policies().allowed_values(change.level.level(), &id);
        if !allowed.contains(&word.policy()) {
            let words: Vec<_> = allowed.into_iter().map(Policy::word).collect();
            let message = format!("`policy`: `{}` is looser than what its parents say", word.policy().word());
            return Err(Trouble::invalid(message).hint(format!("this level may say {}", words.join(", "))));
        }
    }
    let (pattern, word) = (change.pattern.clone(), change.policy.map_or("unset", |it| it.policy().word()));
    asked.api.desk.set_policy(change, asked.cx.clone()).await?;
    asked.cx.decided("policy", pattern, word);
    Ok(All::of(&asked.api.desk.everything().policies()))
}

/// The one tool that a pattern is about; none where it is about many.
fn about(pattern: &str) -> Result<Option<ToolId>, Trouble> {
    let wrong = || Trouble::invalid("`pattern` must be `source/tool`, `source/*` or `*`");
    if pattern == "*" {
        return Ok(None);
    }
    let (source, name) = pattern.split_once('/').ok_or_else(wrong)?;
    let source = SourceId::new(source).map_err(|_| wrong())?;
    match name {
        "*" => Ok(None),
        name => Ok(Some(ToolId::new(source, ToolName::new(name).map_err(|_| wrong())?))),
    }
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

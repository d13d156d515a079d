//! `policy list`: the rules of every level.

use crate::Workspace;
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, escape};
use toolscout_gateway::policy::{LevelName, Policies};
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// List the policy rules of every level.
pub(crate) struct ListPolicies;

/// The rules of every level.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PolicyRules {
    /// The policy mode: `normal`, `read-only` or `allow-all`.
    mode: &'static str,
    /// All policies, least strict first.
    values: Vec<&'static str>,
    /// The levels, outermost first. The strictest policy of all levels applies.
    levels: Vec<LevelRules>,
}

#[derive(Serialize, JsonSchema)]
struct LevelRules {
    /// `global`, `project`, `session` or `profile`.
    level: &'static str,
    /// The policy of tools that match no rule of this level.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'static str>,
    /// The rules of this level.
    rules: Vec<PolicyRule>,
}

#[derive(Serialize, JsonSchema)]
struct PolicyRule {
    /// `source/tool`, `source/*` or `*`.
    pattern: String,
    /// `allow`, `ask`, `deny` or `disable`.
    policy: &'static str,
}

impl Operation<Workspace> for ListPolicies {
    type Input = NoInput;
    type Output = PolicyRules;

    const SPEC: OperationSpec = OperationSpec {
        examples: &["toolscout policy list"],
        ..OperationSpec::read(
            "policy list",
            "List the policy rules of every level",
            "/api/policies",
        )
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<PolicyRules, OperationError> {
        Ok(PolicyRules::new(&workspace.gateway_for(cx).policies()))
    }

    fn text(output: &PolicyRules, _: &Text) -> String {
        let mut text = format!("Mode: {}\n", output.mode);
        for level in
            output.levels.iter().filter(|level| level.default.is_some() || !level.rules.is_empty())
        {
            let _ = writeln!(text, "\n{}", level.level);
            if let Some(default) = level.default {
                let _ = writeln!(text, "  {default:<8} (default)");
            }
            for rule in &level.rules {
                let _ = writeln!(text, "  {:<8} {}", rule.policy, escape::line(&rule.pattern));
            }
        }
        text
    }
}

impl PolicyRules {
    pub(super) fn new(policies: &Policies) -> Self {
        let level = |name: LevelName| {
            let level = policies.level(name);
            let rules = level.rules.iter().map(|(pattern, policy)| PolicyRule {
                pattern: pattern.clone(),
                policy: policy.as_str(),
            });
            LevelRules {
                level: name.as_str(),
                default: level.default.map(Policy::as_str),
                rules: rules.collect(),
            }
        };
        Self {
            mode: policies.mode.as_str(),
            values: Policy::ALL.map(Policy::as_str).into(),
            levels: LevelName::ALL.map(level).into(),
        }
    }
}

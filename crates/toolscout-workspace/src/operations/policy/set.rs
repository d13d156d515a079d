//! `policy set` and `policy unset`: change the rule for a tool.

use super::list::PolicyRules;
use super::{PolicyLevel, PolicyValue};
use crate::Workspace;
use crate::config;
use crate::error::failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toolscout_config::ConfigScope;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, SourceId, ToolId, ToolName, escape};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::PolicyUpdate;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};

/// Set the policy of a tool.
pub(crate) struct SetPolicy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetPolicyInput {
    /// A tool, SOURCE/* for all tools of a source, or * for all tools
    #[schemars(extend("x-cli" = {"positional": true, "value": "TOOL"}))]
    pub(in crate::operations) pattern: String,
    /// The policy; null removes the rule
    #[schemars(extend("x-cli" = {"positional": true}))]
    pub(in crate::operations) policy: Option<PolicyValue>,
    /// The level to set it at
    #[serde(default)]
    pub(in crate::operations) level: PolicyLevel,
}

/// The changed rule, and all rules after the change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangedPolicy {
    /// `source/tool`, `source/*` or `*`.
    pattern: String,
    /// The new policy; missing if the rule was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyValue>,
    /// The changed configuration file; missing for the session level.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    rules: PolicyRules,
}

impl Operation<Workspace> for SetPolicy {
    type Input = SetPolicyInput;
    type Output = ChangedPolicy;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("policy set").required(&["policy"]),
            CommandName::new("policy unset")
                .summary("Remove the policy of a tool")
                .preset(&[("policy", "null")]),
        ],
        notes: &[
            "A level may only be stricter than the levels above it. Setting a policy starts no server.",
        ],
        examples: &[
            "toolscout policy set local/word-count ask",
            "toolscout policy set 'local/*' deny --level global",
            "toolscout policy unset local/word-count",
        ],
        ..OperationSpec::change("policy set", "Set the policy of a tool", "PUT", "/api/policies")
    };

    async fn run(
        workspace: &Workspace,
        input: SetPolicyInput,
        cx: &Cx,
    ) -> Result<ChangedPolicy, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let pattern = Target::resolve(&gateway, &input.pattern)?.pattern();
        let update = PolicyUpdate {
            level: input.level.into(),
            pattern: pattern.clone(),
            policy: input.policy.map(Policy::from),
        };
        let file = match input.level {
            PolicyLevel::Session => None,
            PolicyLevel::Global => Some(own_file(workspace, ConfigScope::User)?),
            PolicyLevel::Project => Some(own_file(workspace, ConfigScope::Project)?),
        };
        gateway.set_policy(update, cx, |update| write(workspace, file.as_deref(), update)).await?;
        let file = file.map(|file| file.display().to_string());
        let rules = PolicyRules::new(&gateway.policies());
        Ok(ChangedPolicy { pattern, policy: input.policy, file, rules })
    }

    fn text(output: &ChangedPolicy, _: &Text) -> String {
        let pattern = escape::line(&output.pattern);
        let file = output
            .file
            .as_deref()
            .map(|file| format!(" in {}", escape::line(file)))
            .unwrap_or_default();
        match output.policy {
            Some(policy) => {
                format!("Set the policy of {pattern} to {}{file}.\n", Policy::from(policy).as_str())
            }
            None => format!("Removed the policy of {pattern}{file}.\n"),
        }
    }
}

/// The tools to which a rule applies.
enum Target {
    Everything,
    Source(SourceId),
    Tool(ToolId),
}

impl Target {
    fn resolve(gateway: &Gateway, pattern: &str) -> Result<Self, OperationError> {
        let invalid = || {
            let error = OperationError::invalid(format!(
                "`{}` is not a tool or pattern",
                escape::line(pattern)
            ));
            error.hint("use SOURCE/TOOL, SOURCE/* or *")
        };
        if pattern == "*" {
            return Ok(Self::Everything);
        }
        if let Some(source) = pattern.strip_suffix("/*") {
            return SourceId::new(source).map(Self::Source).map_err(|_| invalid());
        }
        if let Ok(tool) = gateway.full_snapshot().resolve(pattern) {
            return Ok(Self::Tool(tool.id.clone()));
        }
        // The rule for a tool that is not discovered yet takes effect after its discovery.
        let (source, name) = pattern.split_once('/').ok_or_else(invalid)?;
        let source = SourceId::new(source).map_err(|_| invalid())?;
        Ok(Self::Tool(ToolId::new(source, ToolName::new(name).map_err(|_| invalid())?)))
    }

    fn pattern(&self) -> String {
        match self {
            Self::Everything => "*".to_owned(),
            Self::Source(source) => format!("{source}/*"),
            Self::Tool(id) => id.to_string(),
        }
    }
}

fn own_file(workspace: &Workspace, scope: ConfigScope) -> Result<PathBuf, OperationError> {
    workspace.config().own_file(scope).map_err(failure)
}

/// Writes the rule into the configuration file of its level, and applies it.
async fn write(
    workspace: &Workspace,
    file: Option<&Path>,
    update: PolicyUpdate,
) -> Result<(), OperationError> {
    let Some(file) = file else { return Ok(()) };
    let summary = match update.policy {
        Some(policy) => format!("set the policy of {} to {}", update.pattern, policy.as_str()),
        None => format!("remove the policy of {}", update.pattern),
    };
    let editor = config::editor(workspace, SetPolicy::SPEC.name, &summary);
    editor.set_policy(file, &update.pattern, update.policy, &Policy::ALL).map_err(failure)?;
    Ok(workspace.apply_configuration().await?)
}

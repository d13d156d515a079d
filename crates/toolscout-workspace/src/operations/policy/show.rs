//! `policy show`: the policy of each tool, and the rule that decides it.

use crate::Workspace;
use crate::error::describe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, Tool, ToolId, escape};
use toolscout_gateway::policy::LevelName;
use toolscout_surface::operation::{
    CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};

/// Show the policy of each tool.
pub(crate) struct ShowPolicy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowPolicyInput {
    /// A tool, or SOURCE/* for all tools of a source; all tools if omitted
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true}))]
    tool: Option<String>,
}

/// The effective policies of tools.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ToolPolicies {
    tools: Vec<ToolPolicy>,
    /// Rules that match no tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ToolPolicy {
    /// `source/name`.
    tool: String,
    /// `allow`, `ask`, `deny` or `disable`.
    policy: &'static str,
    /// The rule that sets it.
    reason: String,
    /// Policies that the project may set.
    allowed: Vec<&'static str>,
}

impl Operation<Workspace> for ShowPolicy {
    type Input = ShowPolicyInput;
    type Output = ToolPolicies;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("policy show"),
            CommandName::new("policy").summary("Show or set policies of tools"),
        ],
        notes: &[
            "The strictest policy of your user configuration, the project and the session applies.",
        ],
        examples: &["toolscout policy", "toolscout policy show"],
        ..OperationSpec::read(
            "policy show",
            "Show the policy of each tool",
            "/api/policies/effective",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ShowPolicyInput,
        cx: &Cx,
    ) -> Result<ToolPolicies, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let view = gateway.view(cx).await;
        let (snapshot, policies) = (view.full_snapshot(), view.policies());
        let requested = input.tool.as_deref();
        let tool_id = requested.and_then(|name| snapshot.resolve(name).ok()).map(|tool| &tool.id);
        let source = requested.map(|name| name.strip_suffix("/*").unwrap_or(name));
        let is_selected = |id: &ToolId| {
            requested.is_none() || Some(id.source.as_str()) == source || Some(id) == tool_id
        };
        let policy = |tool: &Arc<Tool>| {
            let decision = policies.effective(tool);
            let allowed = policies
                .allowed_values(LevelName::Project, &tool.id)
                .into_iter()
                .map(Policy::as_str)
                .collect();
            ToolPolicy {
                tool: tool.id.to_string(),
                policy: decision.policy.as_str(),
                reason: decision.reason,
                allowed,
            }
        };
        let tools: Vec<_> =
            snapshot.tools().filter(|tool| is_selected(&tool.id)).map(policy).collect();
        if let (Some(requested), true) = (requested, tools.is_empty()) {
            let message = format!("no tool or source `{}`", escape::line(requested));
            let error = OperationError::new(ErrorCode::ResourceNotFound, message);
            return Err(error.hint("run `toolscout tools list` to list the tools"));
        }
        let warnings =
            gateway.dangling().iter().map(|rule| describe(&rule.to_diagnostic())).collect();
        Ok(ToolPolicies { tools, warnings })
    }

    fn text(output: &ToolPolicies, _: &Text) -> String {
        let line = |tool_policy: &ToolPolicy| {
            format!(
                "  {:<8} {} ({})\n",
                tool_policy.policy,
                escape::line(&tool_policy.tool),
                escape::line(&tool_policy.reason)
            )
        };
        output.tools.iter().map(line).collect()
    }

    fn warnings(output: &ToolPolicies) -> &[String] {
        &output.warnings
    }
}

//! `describe`: show everything about a tool.

use super::summary::{ToolSummary, snapshot};
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::cx::Role;
use toolscout_core::{Cx, ErrorKind, RawJson, Status, Tool, escape};
use toolscout_gateway::policy::{LevelName, Policies};
use toolscout_gateway::{CatalogView, Error, Gateway};
use toolscout_surface::operation::{
    CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::json;

/// Show everything about a tool.
pub(crate) struct ShowTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowToolInput {
    /// The tool: `source/tool`, `source__tool`, or the bare name if only one source has it
    #[schemars(extend("x-cli" = {"positional": true}))]
    tool: String,
    /// Show disabled and quarantined tools too (for operators only), and tools that this one shadows
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownTool {
    tool: ToolDetails,
}

/// Everything about a tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ToolDetails {
    #[serde(flatten)]
    summary: ToolSummary,
    /// The same as `source`.
    server: String,
    /// The digest of the complete definition.
    digest: String,
    /// The JSON Schema of its structured result, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    output_schema: Option<RawJson>,
    /// The annotations of its definition, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    annotations: Option<RawJson>,
    /// Its effective policy, and the policy at each level.
    policies: ToolPolicies,
    /// Tools of the same name that the bare name does not select; only with `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shadowed: Option<Vec<String>>,
}

/// The policies of a tool.
#[derive(Serialize, JsonSchema)]
struct ToolPolicies {
    /// The effective policy.
    effective: &'static str,
    /// The rule that sets it.
    reason: String,
    /// The policy at each level, outermost first.
    levels: Vec<PolicyAtLevel>,
}

#[derive(Serialize, JsonSchema)]
struct PolicyAtLevel {
    /// `global`, `project` or `session`.
    level: &'static str,
    /// The policy set at this level; missing if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    /// Policies that this level may set, given the outer levels.
    allowed: Vec<&'static str>,
}

impl Operation<Workspace> for ShowTool {
    type Input = ShowToolInput;
    type Output = ShownTool;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[CommandName::new("describe")],
        examples: &["toolscout describe word-count", "toolscout describe local/word-count --json"],
        keeps_profile: true,
        ..OperationSpec::read("tool show", "Show the details of a tool", "/api/tools/{*tool}")
    };

    async fn run(
        workspace: &Workspace,
        mut input: ShowToolInput,
        cx: &Cx,
    ) -> Result<ShownTool, OperationError> {
        let gateway = workspace.discovered_gateway(cx).await?;
        let view = gateway.view(cx).await;
        let known = snapshot(&view, input.all, cx);
        input.tool = workspace.tools.canonical_name(&known, &input.tool).into_owned();
        let tool = resolve(&gateway, &view, &input, cx)?;
        let policies = view.policies();
        let mut details = ToolDetails::new(&tool, &policies, cx);
        if input.all {
            let snapshot = snapshot(&view, true, cx);
            let same_name =
                snapshot.tools_named(tool.id.name.as_str()).iter().map(|named| &named.tool.id);
            details.shadowed =
                Some(same_name.filter(|id| **id != tool.id).map(ToString::to_string).collect());
        }
        Ok(ShownTool { tool: details })
    }

    fn text(output: &ShownTool, _: &Text) -> String {
        output.tool.lines()
    }

    fn write_json(output: &ShownTool, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.tool)
    }
}

fn resolve(
    gateway: &Gateway,
    view: &CatalogView,
    input: &ShowToolInput,
    cx: &Cx,
) -> Result<Arc<Tool>, OperationError> {
    if let Ok(tool) = snapshot(view, input.all, cx).resolve(&input.tool) {
        // Only operators who review a quarantined tool may see its text.
        return match &tool.status {
            Status::Quarantined(reason) if !(input.all && cx.role == Role::Operator) => {
                Err(Error::from(AuthorizationError::Quarantined {
                    tool: tool.id.to_string(),
                    reason: reason.clone(),
                })
                .into())
            }
            _ => Ok(tool.clone()),
        };
    }
    // The error for an agent does not reveal whether a tool is disabled or does not exist.
    if cx.role != Role::Operator {
        return Err(OperationError::not_found("Tool"));
    }
    resolve_cached(gateway, view, &input.tool)
}

/// The cached tool of this name. For a name that a remote gateway may have, the error explains
/// how to query it.
pub fn resolve_cached(
    gateway: &Gateway,
    view: &CatalogView,
    name: &str,
) -> Result<Arc<Tool>, OperationError> {
    let error = match gateway.resolve(name) {
        Ok(tool) => return Ok(tool),
        Err(error) => error,
    };
    let forms = ['/', ':']
        .into_iter()
        .filter_map(|separator| name.split_once(separator))
        .chain(name.split_once("__"));
    let mut forms =
        forms.filter(|(source, _)| view.remote_gateways().any(|id| id.as_str() == *source));
    match (error.kind(), forms.next()) {
        (ErrorKind::NotFound, Some((source, inner))) => {
            let (name, inner) = (escape::line(name), escape::line(inner));
            let message = format!("`{source}` has not been searched for `{name}` yet");
            let hint = format!(
                "run `toolscout search '{inner}' --json` to search it and see the arguments of its tools"
            );
            Err(OperationError::new(ErrorCode::ResourceNotFound, message).hint(hint))
        }
        _ => Err(error.into()),
    }
}

impl ToolDetails {
    fn new(tool: &Tool, policies: &Policies, cx: &Cx) -> Self {
        let decision = policies.effective(tool);
        let level = |level: LevelName| PolicyAtLevel {
            level: level.as_str(),
            value: policies.value(level, &tool.id).map(|policy| policy.as_str()),
            allowed: policies
                .allowed_values(level, &tool.id)
                .into_iter()
                .map(|policy| policy.as_str())
                .collect(),
        };
        let levels = [LevelName::Global, LevelName::Project, LevelName::Session].map(level).into();
        Self {
            summary: ToolSummary::new(tool, policies, cx),
            server: tool.id.source.to_string(),
            digest: tool.digest().to_string(),
            output_schema: tool.output_schema.clone(),
            annotations: tool.annotations.clone(),
            policies: ToolPolicies {
                effective: decision.policy.as_str(),
                reason: decision.reason,
                levels,
            },
            shadowed: None,
        }
    }

    /// One fact on each line.
    fn lines(&self) -> String {
        let tool = &self.summary;
        let mut out = format!("{}\n", escape::line(&tool.id));
        let mut fact = |name: &str, value: &str| {
            if !value.is_empty() {
                let value = escape::text(value).replace('\n', "\n               ");
                out += &format!("  {:<12} {value}\n", format!("{name}:"));
            }
        };
        let status = tool
            .reason
            .as_ref()
            .map_or(tool.status.to_owned(), |reason| format!("{} ({reason})", tool.status));
        fact("title", tool.title.as_deref().unwrap_or_default());
        fact("about", tool.description.as_deref().unwrap_or("(no description)"));
        fact("keywords", &tool.keywords.join(", "));
        fact("status", &status);
        fact(
            "path",
            &tool.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        );
        fact("digest", &self.digest);
        fact("hides", &self.shadowed.as_deref().unwrap_or_default().join(", "));
        fact("input", &pretty(&tool.input_schema));
        fact("output", &self.output_schema.as_ref().map(pretty).unwrap_or_default());
        out
    }
}

fn pretty(raw: &RawJson) -> String {
    json::pretty(&raw.to_value())
}

//! `call`: call a tool with JSON arguments.

use crate::Workspace;
use crate::servers::CALL_ROUTE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, Digest, RawJson, Tool, ToolCall, ToolOutput};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    Effect, MetaTool, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::tool_result;

/// Call a tool with JSON arguments.
pub(crate) struct CallTool;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CallToolInput {
    /// The tool: `source/tool`, `source__tool`, or the bare name if only one source has it
    #[schemars(extend("x-cli" = {"positional": true, "value": "TOOL"}))]
    name: String,
    /// The arguments, as a JSON object
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The digest of the definition the caller has read; the call is refused if the definition has changed
    #[serde(default)]
    expect: Option<String>,
    /// The `_meta` object of the request
    #[serde(default)]
    meta: Option<Map<String, Value>>,
    /// The timeout in milliseconds
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// The result of a call.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallResult {
    /// The result of the tool, byte for byte: `content`, `structuredContent`, `isError` and all other fields.
    #[schemars(with = "Map<String, Value>")]
    result: RawJson,
    /// The duration of the call in milliseconds.
    duration_ms: u64,
    /// Differences between the result and the tool's output schema.
    warnings: Vec<String>,
    #[serde(skip)]
    output: ToolOutput,
}

impl Operation<Workspace> for CallTool {
    type Input = CallToolInput;
    type Output = CallResult;

    const SPEC: OperationSpec = OperationSpec {
        effect: Effect::Call,
        route: CALL_ROUTE,
        examples: &["toolscout call local/word-count --arguments '{\"text\": \"one two\"}'"],
        meta_tool: Some(MetaTool::Execute),
        keeps_profile: true,
        ..OperationSpec::read("call", "Call a tool with JSON arguments", "")
    };

    async fn run(
        workspace: &Workspace,
        input: CallToolInput,
        cx: &Cx,
    ) -> Result<CallResult, OperationError> {
        let digest = |text: String| {
            Digest::from_hex(&text).ok_or_else(|| {
                OperationError::invalid("`expect` must be a digest of 64 hexadecimal digits")
            })
        };
        let expect = input.expect.map(digest).transpose()?;
        let meta = input.meta.map(|meta| RawJson::from_value(&Value::Object(meta)));
        let cx = match input.timeout_ms {
            Some(limit) => cx.clone().within(Duration::from_millis(limit)),
            None => cx.clone(),
        };
        let started = Instant::now();
        workspace.full_gateway().await?;
        let gateway = workspace.gateway_for(&cx);
        let call = |tool: &Arc<Tool>| {
            let call = ToolCall::new(tool.id.clone(), input.arguments.clone());
            ToolCall { expect, meta: meta.clone(), ..call }
        };
        let view = gateway.view(&cx).await;
        let name = workspace.tools.canonical_name(&view.snapshot(), &input.name);
        if cx.dry_run {
            let tool = view.resolve(&name)?;
            return Err(dry_run(&gateway.plan(&tool, call(&tool), &cx)?).into());
        }
        let output = gateway.call_named(view, &name, cx, call).await?;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(CallResult {
            result: output.raw().clone(),
            duration_ms,
            warnings: output
                .warnings()
                .iter()
                .cloned()
                .chain(tool_result::unreadable(&output))
                .collect(),
            output,
        })
    }

    fn text(output: &CallResult, _: &Text) -> String {
        let text = tool_result::text(&output.output);
        if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
    }

    fn exit(output: &CallResult) -> Exit {
        let is_failed =
            output.output.is_error() || tool_result::unreadable(&output.output).is_some();
        if is_failed { Exit::Failed } else { Exit::Done }
    }
}

/// The dry run of a call, whose arguments are complete.
fn dry_run(call: &ToolCall) -> DryRun {
    let subject = call.tool.to_string();
    let arguments = Value::Object(call.arguments.clone());
    let summary = format!("call `{subject}` with {arguments}");
    DryRun(PlannedChange { kind: ChangeKind::Call, subject, action: "called", summary })
}

//! The calls for a program without a callback URL, and their results.

use crate::Workspace;
use crate::registrations::{ProgramConnection, ProgramMessage, Registrations};
use futures_util::StreamExt;
use futures_util::stream::{once, unfold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::{Cx, SourceId, ToolOutput};
use toolscout_folder::output_from_bytes;
use toolscout_gateway::Gateway;
use toolscout_surface::operation::{
    Access, CommandName, HttpRoute, ItemStream, Operation, OperationError, OperationSpec,
    StreamOperation, Text,
};

/// Receive the calls of registered tools.
pub(crate) struct ReceiveCalls;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReceiveCallsInput {
    /// The id of the source
    id: String,
}

impl StreamOperation<Workspace> for ReceiveCalls {
    type Input = ReceiveCallsInput;
    type Item = ProgramMessage;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        is_decision: true,
        commands: CommandName::NONE,
        examples: &["GET /api/registrations/{id}/calls"],
        ..OperationSpec::read(
            "registration calls",
            "Receive the calls of registered tools; the registration ends with this stream",
            "/api/registrations/{id}/calls",
        )
    };

    async fn open(
        workspace: &Workspace,
        input: ReceiveCallsInput,
        cx: &Cx,
    ) -> Result<ItemStream<ProgramMessage>, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let ProgramConnection { id, calls, generation } =
            workspace.registrations.connect(&gateway, &input.id)?;
        let registrations = workspace.registrations.clone();
        let connection =
            OpenConnection { id: id.clone(), generation, registrations, gateway: gateway.clone() };
        gateway.refresh_source(&id, cx).await;
        let ready = ProgramMessage::Ready { id: id.to_string() };
        let messages = unfold((calls, connection), |(mut calls, connection)| async move {
            let message = calls.recv().await?;
            Some((Ok(message), (calls, connection)))
        });
        Ok(once(async { Ok(ready) }).chain(messages).boxed())
    }

    fn event(item: &ProgramMessage) -> &'static str {
        match item {
            ProgramMessage::Ready { .. } => "ready",
            ProgramMessage::Call(_) => "call",
            ProgramMessage::Cancel { .. } => "cancel",
        }
    }

    fn text(item: &ProgramMessage, _: &Text) -> String {
        serde_json::to_string(item).unwrap_or_default() + "\n"
    }
}

/// Ends the registration when the stream is dropped.
struct OpenConnection {
    id: SourceId,
    generation: u64,
    registrations: Arc<Registrations>,
    gateway: Arc<Gateway>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.registrations.disconnect(&self.gateway, &self.id, self.generation);
    }
}

/// Send the result of a call.
pub(crate) struct SendResult;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendResultInput {
    /// The id of the source
    id: String,
    /// The id of the call
    call: String,
    /// The result: a text; an object with `content`, `structuredContent` or `isError`, as in MCP;
    /// or any other JSON
    result: Value,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SentResult {
    /// The id of the call.
    answered: String,
}

impl Operation<Workspace> for SendResult {
    type Input = SendResultInput;
    type Output = SentResult;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        is_decision: true,
        route: HttpRoute {
            method: "POST",
            path: "/api/registrations/{id}/calls/{call}",
            status: 200,
        },
        commands: CommandName::NONE,
        examples: &["POST /api/registrations/{id}/calls/{call} {\"result\": \"3 open invoices\"}"],
        ..OperationSpec::read("registration result", "Send the result of a call", "")
    };

    async fn run(
        workspace: &Workspace,
        input: SendResultInput,
        _: &Cx,
    ) -> Result<SentResult, OperationError> {
        let output = match input.result {
            Value::String(text) => ToolOutput::text(text),
            result => output_from_bytes(result.to_string().as_bytes()),
        };
        workspace.registrations.answer(&input.id, &input.call, output)?;
        Ok(SentResult { answered: input.call })
    }

    fn text(output: &SentResult, _: &Text) -> String {
        format!("Sent the result of call {}\n", output.answered)
    }
}

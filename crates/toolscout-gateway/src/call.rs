//! Takes a call to its tool: resolve, check, authorize, load, check again, run.

use crate::check::Check;
use crate::{Error, Gateway};
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::door::{Circumstances, Refusal, authorize};
use toolscout_core::{Arguments, Authorized, Cx, SourceError, Status, Tool, ToolCall, ToolOutput, redact};

impl Gateway {
    /// Runs the tool that the name means. Nothing starts before the arguments fit and the door has let the call
    /// through. Cancel-safe: dropping the future ends what the tool has started.
    pub async fn call(&self, name: &str, arguments: Arguments, cx: Cx) -> Result<ToolOutput, Error> {
        let tool = self.resolve(name)?;
        self.call_tool(&tool, ToolCall::new(tool.id.clone(), arguments), cx).await
    }

    /// As [`Gateway::call`], for who knows the tool already.
    pub async fn call_tool(&self, tool: &Arc<Tool>, call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let authorized = self.admit(tool, call, &cx)?;
        let source = self.source(&tool.id.source).ok_or_else(|| not_mine(tool))?;
        let authorized = match tool.status {
            Status::Ready => authorized,
            _ => {
                let full = source.load(&tool.id.name, cx.clone()).await?.ok_or_else(|| not_mine(tool))?;
                self.admit(&full, authorized.into_inner(), &cx)?
            }
        };
        let arguments = || redact::secrets(&Value::Object(authorized.get().arguments.clone()));
        tracing::debug!(event = "tool_call", tool = %tool.id, caller = cx.caller.word(), arguments = %arguments());
        let output = source.call(authorized, cx).await?;
        tracing::debug!(event = "tool_result", tool = %tool.id, is_error = output.is_error());
        Ok(output)
    }

    /// What [`Gateway::call_tool`] would run, without running it: the arguments checked, defaults filled in.
    pub fn plan(&self, tool: &Tool, call: ToolCall, cx: &Cx) -> Result<ToolCall, Error> {
        self.admit(tool, call, cx).map(Authorized::into_inner)
    }

    fn admit(&self, tool: &Tool, mut call: ToolCall, cx: &Cx) -> Result<Authorized<ToolCall>, Error> {
        call.arguments = Check::of(tool)?.arguments(call.arguments)?;
        let policy = (self.policies)(&tool.id);
        let trusted = tool.provenance.trusted;
        let caller = cx.caller;
        authorize(call, tool, Circumstances { caller, policy, trusted }).map_err(|it: Refusal| it.into())
    }
}

fn not_mine(tool: &Tool) -> Error {
    SourceError::NotMine { id: tool.id.source.clone(), name: tool.id.name.as_str().to_owned() }.into()
}

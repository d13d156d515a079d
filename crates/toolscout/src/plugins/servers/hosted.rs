//! Calls a server where it already runs, if another process of the same person keeps it.

use super::control::{Answer, Ask, Control};
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, Cx, RawJson, Source, SourceError, SourceId, Through, ToolCall, ToolOutput,
};
use toolscout_mcp_client::McpSource;

/// A server that may be kept by another process: calls go there while it is there, and are our own otherwise.
pub(super) struct Hosted {
    inner: Arc<McpSource>,
    control: Control,
}

impl Hosted {
    pub(super) fn new(inner: Arc<McpSource>, control: Control) -> Self {
        Self { inner, control }
    }

    async fn call_there(&self, call: &ToolCall, cx: &Cx) -> std::io::Result<Answer> {
        let ask = Ask::Call {
            tool: call.tool.to_string(),
            arguments: call.arguments.clone(),
            expect: call.expect.map(|it| it.to_string()),
            meta: call.meta.clone(),
            deadline_ms: cx.remaining().and_then(|it| u64::try_from(it.as_millis()).ok()),
            watched: cx.progress.is_some(),
        };
        self.control.ask_watched(&ask, |it| cx.progress.iter().for_each(|watch| watch(it.clone()))).await
    }

    fn understand(&self, call: &ToolCall, answer: Answer) -> Result<ToolOutput, SourceError> {
        let id = self.inner.id().clone();
        match answer {
            Answer::Result { result } => result_of(result).map_err(|reason| SourceError::Protocol { id, reason }),
            Answer::Failed { kind, message, .. } => Err(match kind.as_str() {
                "changed" => SourceError::Changed { id, name: call.tool.name.to_string() },
                "refused" => SourceError::Refused { reason: message },
                "invalid" => SourceError::Invalid { reason: message },
                "login" => SourceError::Login { what: nameless(&id, message), id },
                _ => SourceError::Unavailable { what: nameless(&id, message), id },
            }),
            _ => Err(SourceError::Protocol { id, reason: "the process that keeps it gave no result".to_owned() }),
        }
    }
}

/// Without the source's name, which is said again here.
fn nameless(id: &SourceId, message: String) -> String {
    message.strip_prefix(&format!("source `{id}`: ")).map(str::to_owned).unwrap_or(message)
}

fn result_of(result: RawJson) -> Result<ToolOutput, String> {
    ToolOutput::from_raw(result).map_err(str::to_owned)
}

impl Through for Hosted {
    fn behind(&self) -> &dyn Source {
        &*self.inner
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            if self.control.is_ours() {
                return self.inner.call(call, cx).await;
            }
            match self.call_there(call.get(), &cx).await {
                // It has begun before this server was added, and leaves it to us.
                Ok(Answer::Failed { kind, .. }) if kind == "unknown" => self.inner.call(call, cx).await,
                Ok(answer) => self.understand(call.get(), answer),
                // Nobody listens there any more. Had the call been taken, its answer, or the end of the connection
                // after it, would be an error of another kind.
                Err(error) if never_taken(&error) => self.inner.call(call, cx).await,
                Err(error) => {
                    let what = format!("the process that keeps it did not answer: {error}");
                    Err(SourceError::Unavailable { id: self.inner.id().clone(), what })
                }
            }
        })
    }
}

fn never_taken(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::PermissionDenied
    )
}

//! Calls a server in the host of the project, if another process of the same user is the host.

use super::control::{CALL_ROUTE, ControlSocket};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io;
use std::sync::Arc;
use toolscout_core::cx::Progress;
use toolscout_core::{
    Authorized, BoxFuture, Cx, RawJson, Source, SourceError, SourceId, SourceWrapper, ToolCall,
    ToolOutput,
};
use toolscout_surface::http::socket::{EVENT_STREAM, SocketResponse};
use toolscout_surface::operation::{ErrorCode, OperationError};

/// A server, or a registered program, of another process, the host: calls go to the host if it is
/// reachable, and to this process otherwise.
pub(crate) struct HostedSource {
    inner: Arc<dyn Source>,
    control: ControlSocket,
}

impl HostedSource {
    pub(crate) fn new(inner: Arc<dyn Source>, control: ControlSocket) -> Self {
        Self { inner, control }
    }

    async fn call_host(&self, call: &ToolCall, cx: &Cx) -> io::Result<SocketResponse> {
        let mut input = Map::new();
        input.insert("name".to_owned(), call.tool.to_string().into());
        input.insert("arguments".to_owned(), Value::Object(call.arguments.clone()));
        if let Some(digest) = &call.expect {
            input.insert("expect".to_owned(), digest.to_string().into());
        }
        if let Some(meta) = &call.meta {
            input.insert("meta".to_owned(), meta.to_value());
        }
        let remaining =
            cx.remaining().and_then(|remaining| u64::try_from(remaining.as_millis()).ok());
        if let Some(remaining) = remaining {
            input.insert("timeoutMs".to_owned(), remaining.into());
        }
        let report = |data: &str| {
            if let (Some(report), Ok(progress)) = (&cx.progress, serde_json::from_str(data)) {
                let ProgressData { done, total, message } = progress;
                report(Progress { done, total, message });
            }
        };
        self.control.run(&CALL_ROUTE, input, EVENT_STREAM, report).await
    }

    fn parse_response(
        &self,
        call: &ToolCall,
        response: &SocketResponse,
    ) -> Result<ToolOutput, SourceError> {
        let id = self.inner.id().clone();
        let unreadable = |error: serde_json::Error| SourceError::Protocol {
            id: self.inner.id().clone(),
            reason: format!("the host returned an invalid result: {error}"),
        };
        if response.status.is_success() {
            let CallResultData { result } =
                serde_json::from_slice(&response.body).map_err(unreadable)?;
            return ToolOutput::from_raw(result)
                .map_err(|reason| SourceError::Protocol { id, reason: reason.to_owned() });
        }
        let error: OperationError = serde_json::from_slice(&response.body).map_err(unreadable)?;
        let what = without_source_name(&id, error.message);
        Err(match error.code {
            ErrorCode::Conflict => SourceError::Changed { id, name: call.tool.name.to_string() },
            ErrorCode::PolicyDenied | ErrorCode::Forbidden => SourceError::Refused { reason: what },
            ErrorCode::ValidationFailed => SourceError::Invalid { reason: what },
            ErrorCode::LoginRequired => SourceError::Login { what, id },
            _ => SourceError::Unavailable { what, id },
        })
    }
}

/// A progress event of a call.
#[derive(Deserialize)]
struct ProgressData {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// The part of a call's output that comes from the tool.
#[derive(Deserialize)]
struct CallResultData {
    result: RawJson,
}

fn is_unknown(response: &SocketResponse) -> bool {
    let error = serde_json::from_slice::<OperationError>(&response.body);
    !response.status.is_success()
        && error.is_ok_and(|error| error.code == ErrorCode::ResourceNotFound)
}

/// The message without the name of the source, which the caller adds again.
fn without_source_name(id: &SourceId, message: String) -> String {
    message.strip_prefix(&format!("source `{id}`: ")).map(str::to_owned).unwrap_or(message)
}

impl SourceWrapper for HostedSource {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            match self.call_host(call.get(), &cx).await {
                // The host was started before this server was added.
                Ok(response) if is_unknown(&response) => self.inner.call(call, cx).await,
                Ok(response) => self.parse_response(call.get(), &response),
                // The host has ended. If it had received the call, the error would be of
                // another kind.
                Err(error) if was_not_received(&error) => self.inner.call(call, cx).await,
                Err(error) => {
                    let what = format!("the process that hosts it did not answer: {error}");
                    Err(SourceError::Unavailable { id: self.inner.id().clone(), what })
                }
            }
        })
    }
}

fn was_not_received(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::PermissionDenied
    )
}

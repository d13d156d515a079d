//! Reads responses by their declared media type, up to a size.

use super::super::ClientError;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::Duration;
use tokio::time::timeout;
use toolscout_process::explain;

/// The number of bytes of an unused body that are read, to reuse the connection.
const MAX_DRAINED: usize = 16 << 10;
/// The time limit for reading them.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// The content of a successful response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    /// One message.
    Json,
    /// A stream of messages.
    Events,
}

/// The content according to the declared media type. The type is never guessed, because the
/// response may be the login page of a captive portal.
pub(crate) fn kind(response: &Response, from: &str) -> Result<ResponseKind, ClientError> {
    let status = response.status();
    if let Some(encoding) = encoding(response) {
        let encoding = encoding.escape_debug();
        return Err(ClientError::protocol(format!(
            "`{from}` answered with encoding `{encoding}`, which was not requested"
        )));
    }
    match media_type(response).as_deref() {
        Some("application/json") => Ok(ResponseKind::Json),
        Some("text/event-stream") => Ok(ResponseKind::Events),
        Some(other) => {
            let other = other.escape_debug();
            Err(ClientError::protocol(format!(
                "`{from}` answered with `{other}`, neither JSON nor an event stream; is it an MCP server?"
            )))
        }
        None => Err(ClientError::protocol(format!("`{from}` answered {status} without a message"))),
    }
}

/// The whole body, unless it is too large.
pub(crate) async fn body(
    mut response: Response,
    from: &str,
    limit: usize,
) -> Result<Vec<u8>, ClientError> {
    let too_large = || format!("`{from}` answered with more than {}", explain::byte_count(limit));
    if response.content_length().is_some_and(|content_length| content_length > limit as u64) {
        return Err(ClientError::protocol(too_large()));
    }
    let mut out = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|err| connection_error(from, err))? {
        if out.len() + chunk.len() > limit {
            return Err(ClientError::protocol(too_large()));
        }
        out.extend_from_slice(&chunk);
    }
    Ok(out)
}

/// Reads the small rest of a response, so that its connection can serve the next request.
pub(crate) async fn drain(mut response: Response) {
    let rest = async {
        let mut remaining = MAX_DRAINED;
        while let Ok(Some(chunk)) = response.chunk().await {
            remaining = remaining.saturating_sub(chunk.len());
            if remaining == 0 {
                break;
            }
        }
    };
    let _ = timeout(DRAIN_TIMEOUT, rest).await;
}

/// Whether this is certainly the response to the request with this id. The router decides about all
/// others.
pub(crate) fn is_reply_to(bytes: &[u8], id: u64) -> bool {
    #[derive(Deserialize)]
    struct ReplyEnvelope {
        id: Option<u64>,
        method: Option<IgnoredAny>,
    }
    serde_json::from_slice::<ReplyEnvelope>(bytes)
        .is_ok_and(|value| value.id == Some(id) && value.method.is_none())
}

/// The media type in lower case, without parameters.
pub(crate) fn media_type(response: &Response) -> Option<String> {
    let text = String::from_utf8_lossy(response.headers().get(CONTENT_TYPE)?.as_bytes());
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(essence.chars().take(100).collect()).filter(|text: &String| !text.is_empty())
}

/// The encoding of the body, if it is encoded.
pub(crate) fn encoding(response: &Response) -> Option<String> {
    let text = String::from_utf8_lossy(response.headers().get(CONTENT_ENCODING)?.as_bytes());
    Some(text.chars().take(100).collect())
        .filter(|text: &String| !text.trim().eq_ignore_ascii_case("identity"))
}

/// The error for a failed or broken connection. Its message is that of the innermost error, which
/// contains no address.
pub(crate) fn connection_error(from: &str, err: reqwest::Error) -> ClientError {
    let what = if err.is_connect() && err.is_timeout() {
        format!("`{from}` cannot be reached: connection timed out")
    } else {
        let is_connect = err.is_connect();
        let err = err.without_url();
        let mut cause: &dyn std::error::Error = &err;
        while let Some(next) = cause.source() {
            cause = next;
        }
        if is_connect {
            format!("`{from}` cannot be reached: {cause}")
        } else {
            format!("the connection to `{from}` was lost: {cause}")
        }
    };
    ClientError::lost(what)
}

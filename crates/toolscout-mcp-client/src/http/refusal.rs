//! Errors from unsuccessful HTTP statuses.

use super::super::ClientError;
use super::response::{body, encoding, is_reply_to, media_type};
use super::retry_after;
use reqwest::header::{HeaderName, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::SystemTime;
use toolscout_core::RawJson;

/// The number of bytes of an error body that are read.
const MAX_ERROR_BODY: usize = 64 << 10;
/// The longest challenge in bytes; no login needs more.
const MAX_CHALLENGE: usize = 8 << 10;

/// The meaning of an unsuccessful response.
pub(crate) enum HttpRefusal {
    /// A JSON-RPC reply to the request.
    Reply(Vec<u8>),
    Error(ClientError),
}

/// Interprets an unsuccessful response. `id` is that of the request, if the message was one.
pub(crate) async fn classify_refusal(
    response: Response,
    from: &str,
    id: Option<u64>,
) -> HttpRefusal {
    let status = response.status();
    let answered = format!("`{from}` answered {status}");
    if status.is_redirection() {
        return HttpRefusal::Error(redirected(&response, &answered));
    }
    let challenge =
        header(&response, &WWW_AUTHENTICATE).filter(|header| header.len() <= MAX_CHALLENGE);
    if status == StatusCode::UNAUTHORIZED
        || (status == StatusCode::FORBIDDEN && challenge.is_some())
    {
        return HttpRefusal::Error(ClientError::Login {
            what: format!("{answered}; a login is required"),
            challenge,
        });
    }
    let after = header(&response, &RETRY_AFTER)
        .and_then(|header| retry_after::parse(&header, SystemTime::now()));
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if is_busy && after.is_some() {
        return HttpRefusal::Error(ClientError::Busy {
            what: format!("{answered}; it is busy"),
            after,
        });
    }
    let error_body = message(response, from).await;
    if let Some(reply) =
        error_body.as_ref().filter(|value| id.is_some_and(|id| is_reply_to(value, id)))
    {
        return HttpRefusal::Reply(reply.clone());
    }
    HttpRefusal::Error(match status {
        StatusCode::FORBIDDEN => {
            ClientError::Login { what: format!("{answered}; access denied"), challenge }
        }
        _ if is_busy => ClientError::Busy { what: format!("{answered}; it is busy"), after },
        _ if status.is_server_error() => ClientError::lost(answered),
        _ => error_body
            .and_then(|value| error_without_id(&value))
            .unwrap_or(ClientError::Status { status: status.as_u16(), what: answered }),
    })
}

/// The target of a redirect may be private, so the error shows only its origin, which is enough to
/// fix the configuration.
fn redirected(response: &Response, answered: &str) -> ClientError {
    let target = header(response, &LOCATION)
        .and_then(|header| response.url().join(&header).ok())
        .map(|path| path.origin());
    let target = target
        .filter(|target| target.is_tuple())
        .map_or_else(|| "another address".to_owned(), |target| target.ascii_serialization());
    ClientError::protocol(format!(
        "{answered}: the redirect to {target} is not followed; if it is correct, change the server's `url`"
    ))
}

/// The body, if it is JSON and small enough for an error.
async fn message(response: Response, from: &str) -> Option<Vec<u8>> {
    let is_json = media_type(&response).as_deref() == Some("application/json")
        && encoding(&response).is_none();
    if is_json { body(response, from, MAX_ERROR_BODY).await.ok() } else { None }
}

/// A JSON-RPC error without an id, as servers send it if they cannot parse a request. It belongs to
/// this request all the same.
fn error_without_id(bytes: &[u8]) -> Option<ClientError> {
    #[derive(Deserialize)]
    struct JsonRpcErrorMessage {
        #[serde(rename = "jsonrpc")]
        _jsonrpc: String,
        id: Option<IgnoredAny>,
        error: JsonRpcError,
    }
    #[derive(Deserialize)]
    struct JsonRpcError {
        code: i64,
        message: String,
        data: Option<RawJson>,
    }
    let message: JsonRpcErrorMessage = serde_json::from_slice(bytes).ok()?;
    let JsonRpcError { code, message, data } = message.id.is_none().then_some(message.error)?;
    Some(ClientError::Answered { code, message, data })
}

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    Some(String::from_utf8_lossy(response.headers().get(name)?.as_bytes()).into_owned())
}

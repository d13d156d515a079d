//! Errors from unsuccessful HTTP statuses.

use super::super::ClientError;
use super::answer::{body, encoding, is_reply_to, media_type};
use super::retry_after;
use reqwest::header::{HeaderName, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::time::SystemTime;
use toolscout_core::RawJson;

/// The number of bytes of an error body that are read.
const LOOKED_AT: usize = 64 << 10;
/// The longest challenge in bytes; no login needs more.
const CHALLENGE: usize = 8 << 10;

/// The meaning of an unsuccessful response.
pub(crate) enum HttpRefusal {
    /// A JSON-RPC reply to the request.
    Reply(Vec<u8>),
    Error(ClientError),
}

/// Interprets an unsuccessful response. `id` is that of the request, if the message was one.
pub(crate) async fn refusal(response: Response, from: &str, id: Option<u64>) -> HttpRefusal {
    let status = response.status();
    let answered = format!("`{from}` answered {status}");
    if status.is_redirection() {
        return HttpRefusal::Error(redirected(&response, &answered));
    }
    let challenge = header(&response, &WWW_AUTHENTICATE).filter(|it| it.len() <= CHALLENGE);
    if status == StatusCode::UNAUTHORIZED
        || (status == StatusCode::FORBIDDEN && challenge.is_some())
    {
        return HttpRefusal::Error(ClientError::Login {
            what: format!("{answered}; it wants a login"),
            challenge,
        });
    }
    let after =
        header(&response, &RETRY_AFTER).and_then(|it| retry_after::parse(&it, SystemTime::now()));
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if is_busy && after.is_some() {
        return HttpRefusal::Error(ClientError::Busy {
            what: format!("{answered}; it is busy"),
            after,
        });
    }
    let said = message(response, from).await;
    if let Some(reply) = said.as_ref().filter(|it| id.is_some_and(|id| is_reply_to(it, id))) {
        return HttpRefusal::Reply(reply.clone());
    }
    HttpRefusal::Error(match status {
        StatusCode::FORBIDDEN => {
            ClientError::Login { what: format!("{answered}; access denied"), challenge }
        }
        _ if is_busy => ClientError::Busy { what: format!("{answered}; it is busy"), after },
        _ if status.is_server_error() => ClientError::lost(answered),
        _ => said
            .and_then(|it| nameless_error(&it))
            .unwrap_or(ClientError::Status { status: status.as_u16(), what: answered }),
    })
}

/// The target of a redirect may be private, so the error shows only its origin, which is enough to
/// fix the configuration.
fn redirected(response: &Response, answered: &str) -> ClientError {
    let target = header(response, &LOCATION)
        .and_then(|it| response.url().join(&it).ok())
        .map(|it| it.origin());
    let target = target
        .filter(|it| it.is_tuple())
        .map_or_else(|| "elsewhere".to_owned(), |it| it.ascii_serialization());
    ClientError::protocol(format!(
        "{answered}: it points to {target}, which is not followed; change the server's `url` if that is right"
    ))
}

/// The body, if it is JSON and small enough for an error.
async fn message(response: Response, from: &str) -> Option<Vec<u8>> {
    let is_json = media_type(&response).as_deref() == Some("application/json")
        && encoding(&response).is_none();
    if is_json { body(response, from, LOOKED_AT).await.ok() } else { None }
}

/// A JSON-RPC error without an id, as servers send it if they cannot parse a request. It belongs to
/// this request all the same.
fn nameless_error(bytes: &[u8]) -> Option<ClientError> {
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

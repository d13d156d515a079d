//! A request that is not taken, and why, in words that clients of MCP and of anything else can read.

use crate::operation::{ErrorCode, OperationError};
use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// What JSON-RPC calls an error of the server's own kind.
const CODE: i64 = -32000;

/// A request that is not taken.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), headers: Vec::new() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn not_allowed(allow: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message).with(ALLOW, HeaderValue::from_static(allow))
    }

    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, message).with(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// Whoever asks is asked who they are, by a challenge.
    pub(crate) fn unknown(status: StatusCode, challenge: &str, message: impl Into<String>) -> Self {
        let refusal = Self::new(status, message);
        match HeaderValue::from_str(challenge) {
            Ok(challenge) => refusal.with(WWW_AUTHENTICATE, challenge),
            Err(_) => refusal.with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        }
    }

    /// What it is said with.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// In words.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({"jsonrpc": "2.0", "error": {"code": CODE, "message": self.message}}).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.extend(self.headers);
        response.extensions_mut().insert(Said(self.message));
        response
    }
}

/// What a refusal says, kept beside it for who has another way to say it.
#[derive(Clone)]
struct Said(String);

/// The same refusal as the API says things: whoever asks there expects no JSON-RPC. What is no refusal stays as it is.
pub(super) fn for_api(mut response: Response) -> Response {
    let Some(Said(message)) = response.extensions_mut().remove() else { return response };
    let trouble = OperationError::new(ErrorCode::of_status(response.status()), message);
    *response.body_mut() = Body::from(serde_json::to_vec(&trouble).unwrap_or_default());
    // Of what was there before.
    response.headers_mut().remove(CONTENT_LENGTH);
    response
}

/// Whether somebody asks the API.
pub(super) fn is_of_api(path: &str) -> bool {
    path == "/metrics" || path.strip_prefix("/api").is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

//! A rejected request: status, message and headers, as JSON-RPC for MCP clients and as an API
//! error for others.

use crate::operation::{ErrorCode, OperationError};
use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The JSON-RPC code of server errors.
const CODE: i64 = -32000;

/// A rejected request.
#[derive(Debug)]
pub(crate) struct HttpRejection {
    status: StatusCode,
    message: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl HttpRejection {
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
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
            .with(ALLOW, HeaderValue::from_static(allow))
    }

    /// A limit is reached; `what` names it.
    pub(crate) fn busy(what: &str) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, format!("busy, retry after 1 s: {what}"))
            .with(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// With a `WWW-Authenticate` challenge.
    pub(crate) fn challenge(
        status: StatusCode,
        challenge: &str,
        message: impl Into<String>,
    ) -> Self {
        let challenge =
            HeaderValue::from_str(challenge).unwrap_or(HeaderValue::from_static("Bearer"));
        Self::new(status, message).with(WWW_AUTHENTICATE, challenge)
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl IntoResponse for HttpRejection {
    fn into_response(self) -> Response {
        let body =
            json!({"jsonrpc": "2.0", "error": {"code": CODE, "message": self.message}}).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.extend(self.headers);
        response.extensions_mut().insert(RejectionMessage(self.message));
        response
    }
}

impl From<HttpRejection> for OperationError {
    fn from(rejection: HttpRejection) -> Self {
        Self::new(ErrorCode::from_status(rejection.status), rejection.message)
    }
}

/// The message of a rejection, stored in the extensions of the response.
#[derive(Clone)]
struct RejectionMessage(String);

/// Writes a rejection as an API error, if the path belongs to the API. Other responses are
/// unchanged.
pub(super) fn for_api(path: &str, mut response: Response) -> Response {
    let is_api = path == "/metrics"
        || path.strip_prefix("/api").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if !is_api {
        return response;
    }
    let Some(RejectionMessage(message)) = response.extensions_mut().remove() else {
        return response;
    };
    let error = OperationError::new(ErrorCode::from_status(response.status()), message);
    *response.body_mut() = Body::from(serde_json::to_vec(&error).unwrap_or_default());
    // The length of the replaced body.
    response.headers_mut().remove(CONTENT_LENGTH);
    response
}

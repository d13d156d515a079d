//! What a route gives back: bytes, what they are, and a status.

use super::{ErrorCode, OperationError};
use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// What a route gives back.
pub(super) struct Answer(Response);

pub(super) const JSON: &str = "application/json";

impl Answer {
    /// A value, as JSON.
    pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::bytes(status, JSON, bytes.into()),
            Err(error) => {
                OperationError::new(ErrorCode::Internal, format!("the answer cannot be written: {error}")).into()
            }
        }
    }

    /// Bytes that are there already.
    pub(super) fn bytes(status: StatusCode, media: &'static str, bytes: Bytes) -> Self {
        let mut response = Response::new(Body::from(bytes));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
        Self(response)
    }

    /// Done, and nothing to say.
    pub(super) fn nothing() -> Self {
        Self(StatusCode::NO_CONTENT.into_response())
    }

    /// Something else, such as a stream.
    pub(super) fn other(response: Response) -> Self {
        Self(response)
    }

    /// The same, with another status.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        *self.0.status_mut() = status;
        self
    }

    /// The path is known, and can only be asked in these ways.
    pub(super) fn not_allowed(methods: &str) -> Self {
        let message = format!("this can only be asked with {methods}");
        let mut answer = Self::from(OperationError::new(ErrorCode::MethodNotAllowed, message));
        if let Ok(value) = HeaderValue::from_str(methods) {
            answer.0.headers_mut().insert(ALLOW, value);
        }
        answer
    }
}

impl From<OperationError> for Answer {
    fn from(trouble: OperationError) -> Self {
        let bytes = serde_json::to_vec(&trouble).unwrap_or_default();
        let mut answer = Self::bytes(trouble.code.status(), JSON, bytes.into());
        if trouble.code == ErrorCode::TooManyRequests {
            answer.0.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        answer
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        self.0
    }
}

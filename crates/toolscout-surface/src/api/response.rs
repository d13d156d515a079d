//! Responses of the API: JSON, text and errors.

use crate::operation::{ErrorCode, OperationError};
use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

pub(super) const JSON: &str = "application/json";

pub(super) fn bytes(
    status: StatusCode,
    media_type: &'static str,
    bytes: impl Into<Bytes>,
) -> Response {
    let mut response = Response::new(Body::from(bytes.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// The response to a method that the path does not support.
pub(super) fn method_not_allowed(methods: &str) -> Response {
    let error = OperationError::new(
        ErrorCode::MethodNotAllowed,
        format!("method not allowed; use {methods}"),
    );
    let mut response = error.into_response();
    if let Ok(value) = HeaderValue::from_str(methods) {
        response.headers_mut().insert(ALLOW, value);
    }
    response
}

impl IntoResponse for OperationError {
    fn into_response(self) -> Response {
        let mut response =
            bytes(self.code.status(), JSON, serde_json::to_vec(&self).unwrap_or_default());
        if self.code == ErrorCode::TooManyRequests {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

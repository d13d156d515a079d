//! Responses of the API: JSON, text and errors.

use crate::operation::{ErrorCode, OperationError};
use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

pub(super) const JSON: &str = "application/json";

/// A response with this body.
pub(super) fn bytes(status: StatusCode, media_type: &'static str, bytes: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(bytes.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// The response to a method that the path does not have.
pub(super) fn method_not_allowed(methods: &[&str]) -> Response {
    let methods = methods.join(", ");
    let mut response =
        error(&OperationError::new(ErrorCode::MethodNotAllowed, format!("the method must be {methods}")));
    if let Ok(value) = HeaderValue::from_str(&methods) {
        response.headers_mut().insert(ALLOW, value);
    }
    response
}

/// The response to a request that failed.
pub(super) fn error(error: &OperationError) -> Response {
    let json = serde_json::to_vec(error).unwrap_or_default();
    let mut response = bytes(error.code.status(), JSON, json);
    if error.code == ErrorCode::TooManyRequests {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

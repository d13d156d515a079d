//! Reads the JSON body of a request.

use crate::http::{Budget, Limits, Refusal, read};
use crate::operation::{ErrorCode, OperationError};
use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The body as an object; empty if there is no body.
pub(super) async fn object(
    limits: &Limits,
    budget: &Arc<Budget>,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, OperationError> {
    let (bytes, _held) = read(body, limits, budget).await.map_err(refused)?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    check_media_type(headers)?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| OperationError::invalid(format!("the body is no JSON: {error}")).hint("send a JSON object"))?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(OperationError::invalid("the body must be a JSON object")),
    }
}

/// Any web page can make a browser send bodies of other media types anywhere.
fn check_media_type(headers: &HeaderMap) -> Result<(), OperationError> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(OperationError::invalid("the body must be JSON").hint("send `Content-Type: application/json`"))
    }
}

fn refused(refusal: Refusal) -> OperationError {
    let code = ErrorCode::of_status(refusal.status());
    OperationError::new(code, refusal.message())
}

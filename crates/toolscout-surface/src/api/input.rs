//! Reads what a request brings along: all of it, and nothing that does not fit.

use super::operations::OperationRouter;
use super::schema::Shape;
use super::{Api, ErrorCode, OperationError};
use crate::http::{Held, Refusal, read};
use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The body as an object that fits the shape, and what holds its place among all bodies.
pub(super) async fn body(
    api: &Api,
    headers: &HeaderMap,
    body: Body,
    shape: &Shape,
) -> Result<(Map<String, Value>, Held), OperationError> {
    check_media(headers)?;
    let (bytes, held) = read(body, &api.limits, &api.bodies).await.map_err(refused)?;
    let came: Value = serde_json::from_slice(&bytes)
        .map_err(|error| OperationError::invalid(format!("the body is no JSON: {error}")).hint("send a JSON object"))?;
    match came {
        Value::Object(came) => Ok((shape.check(came)?, held)),
        _ => Err(OperationError::invalid("the body must be a JSON object")),
    }
}

/// The body of an operation's request, as an object; empty if there is no body.
pub(super) async fn object(
    api: &OperationRouter,
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, OperationError> {
    let (bytes, _held) = read(body, &api.limits, &api.bodies).await.map_err(refused)?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    check_media(headers)?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| OperationError::invalid(format!("the body is no JSON: {error}")).hint("send a JSON object"))?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(OperationError::invalid("the body must be a JSON object")),
    }
}

/// As the type that the shape was made of. What fits the one fits the other, but for what no schema can say.
pub(super) fn typed<T: DeserializeOwned>(part: &str, came: Map<String, Value>) -> Result<T, OperationError> {
    serde_json::from_value(Value::Object(came))
        .map_err(|error| OperationError::invalid(format!("{part} cannot be understood: {error}")))
}

/// A page can make a browser send other kinds of bodies anywhere, unasked.
fn check_media(headers: &HeaderMap) -> Result<(), OperationError> {
    let media = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    match media.eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => Err(OperationError::invalid("the body must be JSON").hint("send `Content-Type: application/json`")),
    }
}

fn refused(refusal: Refusal) -> OperationError {
    let code = ErrorCode::of_status(refusal.status());
    OperationError::new(code, refusal.message())
}

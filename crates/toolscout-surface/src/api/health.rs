//! Whether we are there, who asks, and what can be asked.

use super::answer::{Answer, JSON};
use super::asked::Asked;
use super::{OperationError, Route, openapi};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Health {
    /// `ok`.
    status: &'static str,
    /// Of the program.
    version: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Ready {
    /// Whether everything that is configured was read.
    ready: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Me {
    /// `operator` or `agent`.
    role: &'static str,
    /// Which of those we know.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/health", "Whether the program is there", health).open(),
        Route::get("/api/ready", "Whether everything that is configured was read", ready).open(),
        Route::get("/api/me", "Who asks, and what they may do", me),
        Route::text("/api/openapi.json", "This document", JSON, document),
        Route::text("/api/metrics", "What is counted, for Prometheus", METRICS, metrics),
        Route::text("/metrics", "The same, where Prometheus looks first", METRICS, metrics),
    ]
}

async fn health(_: Asked) -> Result<Health, OperationError> {
    Ok(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

async fn ready(asked: Asked) -> Result<Ready, OperationError> {
    Ok(Ready { ready: asked.api.desk.is_ready() })
}

async fn me(asked: Asked) -> Result<Me, OperationError> {
    let role = if asked.is_operator() { "operator" } else { "agent" };
    Ok(Me { role, name: asked.principal.name.as_deref().map(str::to_owned) })
}

async fn document(asked: Asked) -> Result<Answer, OperationError> {
    let bytes = asked
        .api
        .document
        .get_or_init(|| openapi::document(asked.api.operations.operations()).to_string().into())
        .clone();
    Ok(Answer::bytes(StatusCode::OK, JSON, bytes))
}

async fn metrics(asked: Asked) -> Result<Answer, OperationError> {
    Ok(Answer::bytes(StatusCode::OK, METRICS, asked.api.desk.metrics().into()))
}

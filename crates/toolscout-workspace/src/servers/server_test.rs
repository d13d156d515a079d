//! Starts a server, lists its tools, and stops it; nothing is cached.

use crate::error::login;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;
use toolscout_core::{Cx, redact};
use toolscout_mcp_client::McpSource;

/// The result of a test of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tested {
    /// Whether it answered.
    pub(crate) ok: bool,
    /// How long that took.
    pub(crate) latency_ms: u64,
    /// How many tools it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_count: Option<usize>,
    /// Which revision of the protocol it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The next thing to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Tested {
    /// The server failed to start or to list its tools.
    fn failed(latency_ms: u64, error: String, hint: String) -> Self {
        let (error, hint) = (Some(error), Some(hint));
        Self { ok: false, latency_ms, tool_count: None, protocol: None, error, hint }
    }
}

/// Starts a server, lists its tools, and stops it.
pub(crate) async fn try_out(source: &McpSource, request: &Cx) -> Tested {
    let begun = Instant::now();
    let tried = source.try_out(request).await;
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    match tried {
        Ok(tried) => Tested {
            ok: true,
            latency_ms,
            tool_count: Some(tried.tools),
            protocol: Some(tried.era.version().to_owned()),
            error: None,
            hint: None,
        },
        Err(error) => {
            let id = &source.server().id;
            let logs = || format!("`toolscout server logs {id}` shows more while a host runs it");
            let hint = login(&error).unwrap_or_else(logs);
            Tested::failed(latency_ms, redact::text(&error.to_string()), hint)
        }
    }
}

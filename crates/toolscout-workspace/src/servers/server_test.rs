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
    /// Whether the server started and listed its tools.
    pub(crate) ok: bool,
    /// The duration in milliseconds.
    pub(crate) latency_ms: u64,
    /// The number of its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_count: Option<usize>,
    /// The revision of MCP it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// Why the test failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// How to fix it.
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
pub(crate) async fn test_server(source: &McpSource, request: &Cx) -> Tested {
    let started = Instant::now();
    let tested = source.try_out(request).await;
    let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    match tested {
        Ok(tested) => Tested {
            ok: true,
            latency_ms,
            tool_count: Some(tested.tools),
            protocol: Some(tested.era.version().to_owned()),
            error: None,
            hint: None,
        },
        Err(error) => {
            let id = &source.server().id;
            let logs =
                || format!("run `toolscout server logs {id}` for more while a host is running");
            let hint = login(&error).unwrap_or_else(logs);
            Tested::failed(latency_ms, redact::text(&error.to_string()), hint)
        }
    }
}

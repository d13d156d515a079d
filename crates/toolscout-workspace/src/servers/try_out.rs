//! Starts a server, lists its tools, and stops it; nothing is cached.

use crate::error::login;
use std::time::Instant;
use toolscout_core::{Cx, redact};
use toolscout_mcp_client::McpSource;
use toolscout_surface::ops::servers::Tested;

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
            let logs = || format!("`toolscout server logs {id}` has more, while a host keeps it");
            let hint = login(&error).unwrap_or_else(logs);
            Tested::failed(latency_ms, redact::text(&error.to_string()), hint)
        }
    }
}

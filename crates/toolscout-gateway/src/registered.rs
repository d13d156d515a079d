//! Logs the current tools as the events `tools_registered` and `tool_registry_stats`, and searches
//! as `tool_cache_hit`.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use toolscout_catalog::Snapshot;
use toolscout_core::{Moment, SourceError, SourceId, Tool};

/// Maximum number of tool names logged per source.
const NAMES: usize = 100;

pub(crate) fn log(now: &Snapshot, failed: &[(SourceId, SourceError)]) {
    // Closures, so that nothing is counted unless the log level is enabled.
    let (servers, by_server) =
        (|| json!(by_source(now).keys().collect::<Vec<_>>()), || counts(now));
    tracing::info!(event = "tools_registered", count = now.len(), servers = %servers(), byServer = %by_server(), failed = failed.len());
    let (age, expired) = (|| cache_age(now), || now.tools().any(|tool| tool.provenance.stale));
    tracing::debug!(event = "tool_registry_stats", toolCount = now.len(), cacheAge = age(), expired = expired(), byServer = %names(now));
}

/// Logs a search that was answered from these tools, without a query to a server.
pub(crate) fn log_search(now: &Snapshot) {
    let age = || cache_age(now);
    tracing::debug!(event = "tool_cache_hit", toolCount = now.len(), cacheAge = age());
}

fn by_source(now: &Snapshot) -> BTreeMap<&str, Vec<&Tool>> {
    let mut all: BTreeMap<_, Vec<_>> =
        now.sources().map(|(id, _)| (id.as_str(), Vec::new())).collect();
    for tool in now.tools() {
        all.entry(tool.id.source.as_str()).or_default().push(&**tool);
    }
    all
}

fn counts(now: &Snapshot) -> Value {
    by_source(now)
        .into_iter()
        .map(|(id, tools)| (id.to_owned(), tools.len().into()))
        .collect::<Map<_, _>>()
        .into()
}

fn names(now: &Snapshot) -> Value {
    let names = |tools: Vec<&Tool>| {
        tools.iter().take(NAMES).map(|tool| tool.id.name.as_str().into()).collect()
    };
    by_source(now)
        .into_iter()
        .map(|(id, tools)| (id.to_owned(), Value::Array(names(tools))))
        .collect::<Map<_, _>>()
        .into()
}

/// Age in seconds of the oldest tool data; -1 for an empty registry, which has no age.
fn cache_age(now: &Snapshot) -> i64 {
    let clock = Moment::now();
    let seen = now.tools().map(|tool| tool.provenance.last_listed.unwrap_or(clock)).min();
    seen.map_or(-1, |value| i64::try_from(value.age(clock).as_secs()).unwrap_or(i64::MAX))
}

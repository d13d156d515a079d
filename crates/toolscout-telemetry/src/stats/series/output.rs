//! The output of usage over time.

use crate::stats::Savings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Usage over time, counted from the audit log. Percentiles are within 10 %.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSeries {
    /// Start of the first bucket; RFC 3339.
    pub from: String,
    /// End of the range.
    pub to: String,
    /// Length of a bucket in seconds.
    pub bucket_seconds: u64,
    /// All buckets of the range, oldest first.
    pub buckets: Vec<BucketStats>,
    /// Sources of tools, most calls first; at most 50.
    pub servers: Vec<ServerSeries>,
    /// The most used tools, most calls first; at most 20.
    pub tools: Vec<ToolSeries>,
    /// Tokens saved by day, all days of the range, oldest first. A session counts for the day on which it started.
    pub days: Vec<DaySavings>,
    /// The tokens saved in the sessions that started in the range.
    pub savings: Savings,
    /// Why the numbers may be incomplete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The searches and calls that started within one bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BucketStats {
    /// Start of the bucket; RFC 3339.
    pub start: String,
    /// Number of calls, whatever their outcome.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Calls refused by a policy, a review or an operator.
    pub refused: u64,
    /// Number of searches.
    pub searches: u64,
    /// Median duration of a call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// Duration in milliseconds that 95 % of the calls did not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
}

/// The calls of one source, and whether it was available.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerSeries {
    /// Id of the source.
    pub source: String,
    /// Number of calls, whatever their outcome.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Calls refused by a policy, a review or an operator.
    pub refused: u64,
    /// Median duration of a call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// Duration in milliseconds that 95 % of the calls did not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// Durations over time: the buckets with calls, oldest first.
    pub latency: Vec<LatencyBucket>,
    /// Availability in each bucket, oldest first.
    pub uptime: Vec<Uptime>,
    /// The last observation in the range.
    pub state: ServerState,
    /// The last error in the range that made it unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Durations of the calls of one source within one bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatencyBucket {
    /// Start of the bucket; RFC 3339.
    pub start: String,
    /// Number of measured calls.
    pub calls: u64,
    /// Median duration of a call in milliseconds.
    pub p50_ms: f64,
    /// Duration in milliseconds that 95 % of the calls did not exceed.
    pub p95_ms: f64,
}

/// Availability of a source within one bucket, observed in its discoveries and calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Uptime {
    /// Nothing was observed.
    #[default]
    Unknown,
    /// It answered.
    Up,
    /// It answered and it failed.
    Mixed,
    /// It failed.
    Down,
}

/// The last observed state of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ServerState {
    /// Nothing was observed.
    #[default]
    Unknown,
    /// It answered.
    Up,
    /// It failed.
    Down,
}

/// The calls of one tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSeries {
    /// `source/name`.
    pub tool: String,
    /// Number of calls, whatever their outcome.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Calls refused by a policy, a review or an operator.
    pub refused: u64,
    /// Median duration of a call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// Duration in milliseconds that 95 % of the calls did not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
}

/// The tokens saved in the sessions that started on one day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DaySavings {
    /// The day in UTC: `2026-07-28`.
    pub day: String,
    /// Number of sessions.
    pub sessions: u64,
    /// Sessions whose tool list is known.
    pub measured_sessions: u64,
    /// Tokens of the definitions of all tools, once per measured session.
    pub all_tokens: u64,
    /// Tokens of the tool lists in the measured sessions.
    pub list_tokens: u64,
    /// Tokens of the search results in the measured sessions.
    pub search_tokens: u64,
    /// Tokens saved in the measured sessions; absent if no session is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_tokens: Option<i64>,
}

//! The output of the usage statistics: tokens spent and avoided, counted from the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens, searches and calls, counted from the audit log.
///
/// Tokens count once per session. A client that pays for its context again at every turn pays, and saves, that much more often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageStats {
    /// Time of the first counted record; RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Time of the last counted record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Number of counted records.
    pub records: u64,
    /// How tokens are counted. `upper-bound`: never fewer than the tokenizer `o200k_base` counts.
    pub token_counting: String,
    /// Totals of all clients.
    pub total: UsageTotals,
    /// The tokens saved, and how they are computed.
    pub savings: Savings,
    /// Statistics by client, most sessions first.
    pub clients: Vec<ClientStats>,
    /// Statistics by tool, most calls first.
    pub tools: Vec<ToolStats>,
    /// Statistics by source, most calls first.
    pub sources: Vec<SourceStats>,
    /// Queries that were not followed by a call, most frequent first.
    pub unanswered_queries: Vec<UnansweredQuery>,
    /// Why the numbers may be incomplete: missing records, or recording is off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Totals of a group of requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageTotals {
    /// Number of sessions. Requests without a session are grouped by user, client and project; a pause of 30 minutes starts a new session.
    pub sessions: u64,
    /// Sessions whose tool list is known, and with it the tokens they saved.
    pub measured_sessions: u64,
    /// Tokens of the tool lists, once per session.
    pub list_tokens: u64,
    /// Tokens of all search results.
    pub search_tokens: u64,
    /// Tokens that the definitions of all tools would take, once per session.
    pub all_tokens: u64,
    /// Tokens saved in the measured sessions: `allTokens` minus `listTokens` minus `searchTokens` of each. Negative if searching cost more than
    /// listing all tools.
    pub saved_tokens: i64,
    /// Number of searches.
    pub searches: u64,
    /// Searches followed by a call of a tool they found.
    pub followed: u64,
    /// Searches that found tools, none of which was called.
    pub not_followed: u64,
    /// Searches that found nothing.
    pub empty: u64,
    /// Number of calls, whatever their outcome.
    pub calls: u64,
    /// Calls that failed: the tool reported an error, or no result came back.
    pub failures: u64,
    /// Calls refused by a policy, a review or an operator.
    pub refused: u64,
    /// Median time in milliseconds from the first search of a session to the end of its first successful call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_use_ms: Option<f64>,
}

/// The tokens saved, and how they are computed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Savings {
    /// Tokens saved in the measured sessions; absent if no session is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<i64>,
    /// `tokens` in percent of `comparedWith`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<i64>,
    /// Tokens of the definitions of all tools, once per measured session.
    pub compared_with: u64,
    /// Tokens of the tool lists in the measured sessions.
    pub list_tokens: u64,
    /// Tokens of the search results in the measured sessions.
    pub search_tokens: u64,
    /// Sessions whose tool list is known.
    pub measured_sessions: u64,
    /// Sessions of agents that are left out, because their tool list was not recorded.
    pub unmeasured_sessions: u64,
    /// How the tokens are computed.
    pub method: String,
    /// Why nothing is saved, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

/// Statistics of one client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientStats {
    /// Name and version the client reports; `cli` for commands, `unknown` if it reports none.
    pub client: String,
    /// Totals of all its sessions.
    #[serde(flatten)]
    pub cost: UsageTotals,
    /// Its last sessions, newest first; at most a hundred.
    pub recent_sessions: Vec<SessionStats>,
}

/// Statistics of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// Label of the session; empty for grouped requests of a client without sessions.
    pub session: String,
    /// Time of its first record; RFC 3339.
    pub started: String,
    /// Time of its last record.
    pub ended: String,
    /// Folder of its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Totals of the session.
    #[serde(flatten)]
    pub cost: UsageTotals,
}

/// Statistics of one tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStats {
    /// `source/name`.
    pub tool: String,
    /// Number of calls, whatever their outcome.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Calls that were refused.
    pub refused: u64,
    /// Median duration of a call in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// Searches that found it.
    pub found: u64,
    /// Sessions that called it.
    pub sessions: u64,
}

/// Statistics of one source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceStats {
    /// Id of the source.
    pub source: String,
    /// Calls of its tools.
    pub calls: u64,
    /// Median duration in milliseconds of the first call in a session, including the start of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_call_ms: Option<f64>,
    /// Median duration in milliseconds of all later calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_call_ms: Option<f64>,
}

/// A query that was not followed by a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnansweredQuery {
    /// The query.
    pub query: String,
    /// Number of searches with this query.
    pub count: u64,
    /// Whether the search found nothing.
    pub empty: bool,
    /// Time of the last search; RFC 3339.
    pub last_searched: String,
}

/// Tools to list, so that agents need not search for them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinSuggestions {
    /// Number of counted sessions.
    pub sessions: u64,
    /// The suggestions, largest saving first.
    pub pins: Vec<PinSuggestion>,
    /// The configuration file for `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The setting that lists all suggested tools, and those that are listed already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Why the numbers may be incomplete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A tool to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinSuggestion {
    /// `source/name`.
    pub tool: String,
    /// Sessions that called it.
    pub sessions: u64,
    /// Searches that were only needed to find it.
    pub searches: u64,
    /// Tokens of the results of those searches, per session.
    pub search_tokens: u64,
    /// Tokens of its definition, which every session would read.
    pub definition_tokens: u64,
    /// Tokens saved per session: `searchTokens` minus `definitionTokens`.
    pub saved_tokens: i64,
}

//! The output of the usage statistics: tokens spent and avoided, counted from the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What tools have cost and saved.
///
/// Tokens are counted once a session, as a model that keeps them in its context reads them first: who pays for its context again at
/// every turn pays, and saves, that much more often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageStats {
    /// When the first record was written that counts here; RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// When the last one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// How many records were counted.
    pub records: u64,
    /// How tokens are counted: `bound` (never fewer than `o200k_base` makes of it) or `exact`.
    pub tokens: String,
    /// Of all clients.
    pub total: UsageTotals,
    /// By client, those with the most sessions first.
    pub clients: Vec<ClientStats>,
    /// By tool, the most called first.
    pub tools: Vec<ToolStats>,
    /// By source, the most called first.
    pub sources: Vec<SourceStats>,
    /// What was searched for and led to no call, the most frequent first.
    pub nowhere: Vec<UnansweredQuery>,
    /// What the numbers do not say: records that were lost or dropped, a journal that is off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What some requests have cost and saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageTotals {
    /// Conversations; what came without one counts as one for each client.
    pub sessions: u64,
    /// Tokens of the surface: what the list of tools takes, once a session.
    pub list_tokens: u64,
    /// Tokens of all answers to searches.
    pub search_tokens: u64,
    /// Tokens that the definitions of all tools would take, once a session.
    pub all_tokens: u64,
    /// Tokens avoided: `allTokens` without the other two. Less than nothing where searching has cost more than showing all.
    pub avoided_tokens: i64,
    /// Searches.
    pub searches: u64,
    /// Searches that found something which was then called.
    pub followed: u64,
    /// Searches that found something, none of which was called.
    pub not_followed: u64,
    /// Searches that found nothing.
    pub empty: u64,
    /// Calls, whatever came of them.
    pub calls: u64,
    /// Calls that did not do what was wanted: the tool failed, or it could not be reached.
    pub failures: u64,
    /// Calls that a policy, a review or a person refused.
    pub refused: u64,
    /// From the first search of a session to the end of its first call that worked: the median, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_use_ms: Option<f64>,
}

/// What one client has cost and saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientStats {
    /// What the program calls itself; `cli` for people at a terminal, `unknown` for who does not say.
    pub client: String,
    /// All its sessions together.
    #[serde(flatten)]
    pub cost: UsageTotals,
    /// Its newest sessions, the newest first; no more than a hundred.
    pub newest: Vec<SessionStats>,
}

/// What one conversation has cost and saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// Its label; empty for what came without one.
    pub session: String,
    /// When something first happened in it; RFC 3339.
    pub began: String,
    /// When something last happened in it.
    pub ended: String,
    /// The folder of its project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The numbers.
    #[serde(flatten)]
    pub cost: UsageTotals,
}

/// How a tool was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStats {
    /// `source/name`.
    pub tool: String,
    /// Calls, whatever came of them.
    pub calls: u64,
    /// Calls that did not do what was wanted.
    pub failures: u64,
    /// Calls that were refused.
    pub refused: u64,
    /// How long a call takes: the median, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// Searches that found it.
    pub found: u64,
    /// Sessions that called it.
    pub sessions: u64,
}

/// How a source was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceStats {
    /// What it is called.
    pub source: String,
    /// Calls of its tools.
    pub calls: u64,
    /// How long the first call of a session takes, with the start of the server: the median, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_call_ms: Option<f64>,
    /// How long all others take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_call_ms: Option<f64>,
}

/// A question that led to no call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnansweredQuery {
    /// The words.
    pub query: String,
    /// How often.
    pub times: u64,
    /// Whether nothing at all was found.
    pub empty: bool,
    /// When last; RFC 3339.
    pub last: String,
}

/// Which tools would better be listed, so that nobody has to search for them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinSuggestions {
    /// How many sessions this was counted from.
    pub sessions: u64,
    /// What would save most, first.
    pub pins: Vec<PinSuggestion>,
    /// The file to write it into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line to write there for all of them together, with what is listed there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// What the numbers do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A tool that would better be listed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinSuggestion {
    /// `source/name`.
    pub tool: String,
    /// Sessions that called it.
    pub sessions: u64,
    /// Searches that were only needed to find it.
    pub searches: u64,
    /// Tokens of their answers, for a session of all: what would be avoided.
    pub search_tokens: u64,
    /// Tokens that its definition takes in every session: what it would cost.
    pub definition_tokens: u64,
    /// The first without the second, a session.
    pub saves_tokens: i64,
}

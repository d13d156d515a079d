//! The records of the journal, as they are stored and shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A record of the journal. The fields of its kind are beside the others. Aliases are the names
/// that earlier versions wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Sequence number, starting with 1.
    pub n: u64,
    /// Start time; RFC 3339 in UTC.
    pub at: String,
    /// Duration in milliseconds.
    #[serde(default, alias = "tookMs", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// The origin of the request.
    #[serde(flatten)]
    pub requester: RequesterRecord,
    /// The replica that recorded it, in a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<String>,
    /// What happened.
    #[serde(flatten)]
    pub details: EntryDetails,
    /// Keyed hash of this record and the one before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// The origin of a request.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", default)]
pub struct RequesterRecord {
    /// The surface: `cli`, `mcp`, `http`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The authenticated user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The name of the access token; never the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Name and version the client reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The session: a label, not a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The folder of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The trace, if the client sent one: 32 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// What happened, by its kind. Texts are redacted and may be cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EntryDetails {
    /// The discovery of a source ended.
    Discovery {
        /// Id of the source.
        source: String,
        /// Number of tools.
        tools: u64,
        /// True if there was no valid cached result.
        #[serde(alias = "needed")]
        cache_miss: bool,
        /// True if the tools differ from the previous result.
        changed: bool,
        /// Why it failed, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A search for tools.
    Search {
        /// The query.
        query: String,
        /// The ranking profile.
        profile: String,
        /// Tools found, best first.
        hits: Vec<RecordedHit>,
        /// Notes shown with the results.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// A call of a tool.
    Call {
        /// `source/name`.
        tool: String,
        /// Digest of the definition the call was made against.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// The arguments, redacted and shortened.
        arguments: Value,
        /// Effective policy: `allow`, `ask`, `deny` or `disable`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<String>,
        /// How the call ended.
        outcome: RecordedOutcome,
        /// Size of the result in bytes; the result itself is not stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// The kind of error: `refused`, `invalid`, `notFound`, `unavailable`, `timedOut` …
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
        /// The error message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A user or a rule made a decision.
    Decision {
        /// Type of the subject: `call`, `definition`, `policy`, `server`, `trust` …
        #[serde(alias = "about")]
        subject_type: String,
        /// The tool, server or folder.
        #[serde(alias = "which")]
        subject: String,
        /// The decision: `requested`, `allowed`, `approved`, `rejected`, `denied`, `added`, `removed`, `enabled`, `disabled`, `changed`; for a
        /// policy its new value: `allow`, `ask`, `deny`, `disable` or `unset`.
        decision: String,
        /// The user or the rule that decided.
        by: String,
    },
    /// Tool definitions or descriptions were sent to a model.
    #[serde(alias = "shown")]
    Context {
        /// How: `list`, `search` or `context`.
        #[serde(alias = "what")]
        form: String,
        /// Number of tools sent.
        tools: u64,
        /// Upper bound of the tokens.
        tokens: u64,
        /// Number of all tools, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        all_tools: Option<u64>,
        /// Upper bound of the tokens of all definitions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        all_tokens: Option<u64>,
    },
    /// Records are missing here, because they could not be written.
    #[serde(alias = "lost")]
    Dropped {
        /// Number of missing records.
        records: u64,
    },
    /// The journal was damaged, and continues here.
    #[serde(alias = "mended")]
    Repaired {
        /// What was wrong.
        reason: String,
    },
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RecordedOutcome {
    /// The tool succeeded.
    #[serde(alias = "done")]
    Succeeded,
    /// The tool ran and reported an error.
    #[serde(alias = "toolFailed")]
    ToolError,
    /// The tool needs more input from the client first.
    #[serde(alias = "wantsInput")]
    InputRequired,
    /// The call needs an approval first.
    Pending,
    /// The call did not reach the tool, or no response came back.
    Failed,
    /// The caller stopped waiting before the end.
    Cancelled,
    /// The process was killed during the call. The tool may have run.
    Interrupted,
}

/// A tool found by a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedHit {
    /// `source/name`.
    pub id: String,
    /// From 0 to 1.
    pub score: f64,
}

//! What happened, as timeline and audit show it: one record of the journal each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that happened. The fields of `kind` stand beside the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its number; the first record ever has 1, and every next one the next.
    pub n: u64,
    /// When it began; RFC 3339 in UTC.
    pub at: String,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
    /// For whom it was done.
    #[serde(flatten)]
    pub who: Party,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
    /// What its place in the chain is sealed with; no two records have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// For whom something was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Party {
    /// Through which door: `cli`, `mcp`, `http`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Whom the surface has recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// What the program calls itself that asked, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The conversation it belongs to: a label, and no secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The folder of the project it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The trace it belongs to, where one was passed to us: 32 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// What happened, by its kind. Texts are redacted and may be cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum What {
    /// A source was asked for its tools.
    Discovery {
        /// Which.
        source: String,
        /// How many it has.
        tools: u64,
        /// Whether nothing was known of it before, or nothing that still held.
        needed: bool,
        /// Whether what it has is other than before.
        changed: bool,
        /// Why it came to nothing, where it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Somebody looked for tools.
    Search {
        /// Their words.
        query: String,
        /// How it was scored.
        profile: String,
        /// What was found, best first.
        hits: Vec<Found>,
        /// What there was to say besides.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// Somebody wanted to run a tool.
    Call {
        /// `source/name`.
        tool: String,
        /// Of the definition that was meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// With what; secrets are hidden, and what is long is left out.
        arguments: Value,
        /// What held for the tool: `allow`, `ask`, `deny`, `disable`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<String>,
        /// What came of it.
        outcome: Outcome,
        /// How many bytes of result there were; the result itself is not kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// Of what kind the error was: `refused`, `invalid`, `notFound`, `unavailable`, `timedOut` …
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
        /// The error in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Somebody, or a rule, decided what may be done.
    Decision {
        /// What was decided about: `call`, `definition`, `policy`, `server`, `trust`.
        about: String,
        /// Which one: a tool, a server, a folder.
        which: String,
        /// What: `asked`, `allowed`, `denied`, `approved`, `rejected`, `added`, `removed`, `enabled`, `disabled`, `changed`; of a
        /// policy, what holds from now on: `allow`, `ask`, `deny`, `disable`, or `unset`.
        decision: String,
        /// By whom, or by what.
        by: String,
    },
    /// Something was put before a model.
    Shown {
        /// What: `list`, `search`, `context`.
        what: String,
        /// How many tools it shows.
        tools: u64,
        /// At most this many tokens.
        tokens: u64,
        /// How many tools there are in all, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        all_tools: Option<u64>,
        /// How many tokens the definitions of all of them would take at most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        all_tokens: Option<u64>,
    },
    /// More happened than could be written down; so much is missing here.
    Lost {
        /// How many records.
        records: u64,
    },
    /// The journal was not as it was left, and goes on from here.
    Mended {
        /// How it was found.
        reason: String,
    },
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The tool did it.
    Done,
    /// The tool ran, and said that it failed.
    ToolFailed,
    /// The tool wants to have something first.
    WantsInput,
    /// It never got to the tool, or nothing came back.
    Failed,
    /// Nobody waited for the end.
    Cancelled,
}

/// A tool that a search has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// `source/name`.
    pub id: String,
    /// From 0 to 1.
    pub score: f64,
}

/// Some of the journal, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entries {
    /// The newest first.
    pub entries: Vec<Entry>,
    /// Pass this as `before` to see what came before these; absent where there is nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_before: Option<u64>,
    /// Why the rest cannot be shown, where something is wrong with the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Which part of the journal is wanted.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Page {
    /// How many records; 50 where nothing is said, at most 1,000.
    pub limit: Option<usize>,
    /// Only records with a smaller number than this.
    pub before: Option<u64>,
    /// Only records of this kind: `discovery`, `search`, `call`, `decision`, `shown`, `lost`, `mended`; several with commas.
    pub kind: Option<String>,
    /// Only what happened since then: RFC 3339 (`2026-07-28`, `2026-07-28T12:00:00Z`) or an age (`90s`, `15m`, `2h`, `7d`).
    pub since: Option<String>,
}

/// Whether the journal is as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Whether nothing was changed, taken out, put in or cut off, as far as can be known.
    pub sound: bool,
    /// How many records were looked at.
    pub records: u64,
    /// The first record there is; what came before it was dropped to keep the journal small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// The last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// Where it is broken, in order; no more than the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<Break>,
    /// What is odd, and does not mean that anything is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A place where the journal is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Break {
    /// The record where it shows, by the number it should have.
    pub n: u64,
    /// The file, and the line in it.
    pub place: String,
    /// What is wrong there.
    pub reason: String,
}

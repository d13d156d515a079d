//! The kinds of events, each with its fields.

use crate::authorization::Policy;
use crate::{Arguments, Digest, ErrorKind, SourceId, ToolId};

/// The subject of an [`Event`](super::Event).
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// The discovery of a source starts.
    DiscoveryStarted(DiscoveryStart),
    /// The discovery of a source ended.
    Discovery(DiscoveryEvent),
    /// A search for tools.
    Search(SearchEvent),
    /// A call is about to reach a tool that may change something. The event of the same span that
    /// follows is the [`Call`](Self::Call).
    CallStarted(CallStart),
    /// A call of a tool, whether or not it reached the tool.
    Call(CallEvent),
    /// A user or a rule made a decision about access.
    Decision(DecisionEvent),
    /// Tool descriptions were sent to a model.
    ContextUse(ContextUse),
    /// An operation ran, whichever surface it was requested through.
    Operation(OperationEvent),
}

/// The discovery of a source starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveryStart {
    /// The source.
    pub source: SourceId,
    /// The program that may have to download the server first: `npx`.
    pub installer: Option<String>,
}

/// The discovery of a source ended.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscoveryEvent {
    /// The source.
    pub source: SourceId,
    /// The names of its tools.
    pub names: Vec<String>,
    /// True if there was no valid cached result.
    pub was_uncached: bool,
    /// True if the tools differ from the previous result.
    pub changed: bool,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// A search for tools.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchEvent {
    /// The query, unredacted.
    pub text: String,
    /// The ranking profile.
    pub profile: &'static str,
    /// Tools found, best first, with scores.
    pub hits: Vec<(ToolId, f64)>,
    /// Remarks shown with the results.
    pub notes: Vec<String>,
}

/// A call is about to reach a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallStart {
    /// The tool.
    pub tool: ToolId,
    /// Digest of the definition the call is made against.
    pub digest: Option<Digest>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEvent {
    /// The tool.
    pub tool: ToolId,
    /// Digest of the definition the call was made against.
    pub digest: Option<Digest>,
    /// The arguments, unredacted.
    pub arguments: Arguments,
    /// The policy in force for the tool.
    pub policy: Option<Policy>,
    /// How the call ended.
    pub outcome: CallOutcome,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The tool succeeded; size of the result in bytes.
    Succeeded(usize),
    /// The tool ran and reported an error; size of the result in bytes.
    ToolError(usize),
    /// The tool needs more input from the client first.
    InputRequired,
    /// The call needs an approval first, and there is none yet.
    Pending,
    /// The call did not reach the tool, or no response came back.
    Failed {
        /// The kind of error.
        kind: ErrorKind,
        /// The error message.
        message: String,
    },
    /// The caller stopped waiting before the end.
    Cancelled,
}

/// A user or a rule made a decision about access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionEvent {
    /// The kind of object: `call`, `definition`, `policy`, `server`, `trust`.
    pub kind: &'static str,
    /// The tool, server or folder.
    pub subject: String,
    /// The decision: `requested`, `allowed`, `approved`, `rejected`, `denied`, `added`, `removed`,
    /// `changed` …
    pub action: &'static str,
    /// The person or the rule that decided.
    pub by: String,
}

/// An operation ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationEvent {
    /// The operation: `policy set`.
    pub name: &'static str,
    /// How it ended: `succeeded`, `dry_run`, `failed` or `cancelled`.
    pub outcome: &'static str,
}

/// Tool descriptions were sent to a model, which costs context tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextUse {
    /// The form: `list`, `search`, `context`.
    pub form: &'static str,
    /// Number of tools shown.
    pub tools: usize,
    /// Upper bound of the tokens used.
    pub tokens: usize,
    /// The cost of showing every tool with its full definition instead, for comparison.
    pub catalog: Option<CatalogSize>,
}

/// The size of all tool definitions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogSize {
    /// Number of tools.
    pub tools: usize,
    /// Upper bound of the tokens of all definitions.
    pub tokens: usize,
}

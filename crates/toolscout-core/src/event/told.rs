//! The kinds of things that happen, each with what there is to say about it.

use crate::door::Policy;
use crate::{Arguments, Digest, ErrorKind, SourceId, ToolId};

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A source is about to be asked for its tools.
    DiscoveryBegun(SourceId),
    /// A source was asked for its tools.
    Discovered(Discovered),
    /// Somebody looked for tools.
    Searched(Searched),
    /// Somebody wanted to run a tool.
    Called(Called),
    /// Somebody, or a rule, decided what may be done.
    Decided(Decided),
    /// Something was put before a model.
    Shown(Shown),
}

/// A source was asked for its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    /// Which.
    pub source: SourceId,
    /// The names of what it has.
    pub names: Vec<String>,
    /// Whether nothing was known of it before, or nothing that still held.
    pub was_needed: bool,
    /// Whether what it has is other than before.
    pub changed: bool,
    /// Why it came to nothing, where it did.
    pub error: Option<String>,
}

/// Somebody looked for tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Their words, as they are.
    pub text: String,
    /// How it was scored.
    pub profile: &'static str,
    /// What was found, best first, with scores.
    pub hits: Vec<(ToolId, f64)>,
    /// What there was to say besides.
    pub notes: Vec<String>,
}

/// Somebody wanted to run a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// Which.
    pub tool: ToolId,
    /// The definition that was meant.
    pub digest: Option<Digest>,
    /// With what; not redacted.
    pub arguments: Arguments,
    /// What held for the tool.
    pub policy: Option<Policy>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The tool did it. So many bytes of result.
    Done(usize),
    /// The tool ran, and said that it failed. So many bytes of result.
    ToolFailed(usize),
    /// The tool wants to have something first.
    WantsInput,
    /// It never got to the tool, or nothing came back.
    Failed {
        /// Of what kind.
        kind: ErrorKind,
        /// In words.
        message: String,
    },
    /// Nobody waited for the end.
    Cancelled,
}

/// Somebody, or a rule, decided what may be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What was decided about: `call`, `definition`, `policy`, `server`, `trust`.
    pub about: &'static str,
    /// Which one: a tool, a server, a folder.
    pub which: String,
    /// What: `allowed`, `denied`, `approved`, `rejected`, `asked`, `added`, `removed`, `changed` …
    pub word: &'static str,
    /// By whom, or by what.
    pub by: String,
}

/// Something was put before a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// What: `list`, `search`, `context`.
    pub what: &'static str,
    /// How many tools it shows.
    pub tools: usize,
    /// At most this many tokens.
    pub tokens: usize,
    /// What it spares the model: every tool there is, with its whole definition.
    pub whole: Option<Whole>,
}

/// Every tool there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// How many.
    pub tools: usize,
    /// At most this many tokens, for all definitions.
    pub tokens: usize,
}

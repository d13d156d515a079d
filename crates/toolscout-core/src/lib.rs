//! Domain types shared by all crates: tools, sources, calls, diagnostics.
//!
//! Nothing here opens a file, a socket or a process, and nothing here knows the surfaces or the
//! kinds of source. Start reading at [`Tool`], then [`Source`], then [`authorization::authorize`].

#![warn(missing_docs)]

pub mod authorization;
pub mod change;
pub mod cx;
pub mod digest;
pub mod escape;
pub mod event;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod redact;

mod batch_writer;
mod bounded_cache;
mod call;
mod diagnostic;
mod error;
mod fair_shares;
mod id;
mod json;
pub mod jsonrpc;
mod language;
mod library;
mod log_message;
mod moment;
mod output_sink;
mod pattern;
mod plural;
mod policy_mode;
pub mod policy_rules;
mod request_sources;
mod reverse_channel;
mod source;
mod store;
mod stored_row;
mod suggest;
mod tool;
mod wrapper;

#[cfg(test)]
mod tests;

pub use authorization::Authorized;
pub use batch_writer::{BatchLimits, BatchWriter};
pub use bounded_cache::BoundedCache;
pub use call::{Arguments, Resume, ToolCall, ToolOutput};
pub use cx::{Caller, Cx, Progress};
pub use diagnostic::{Diagnostic, DiagnosticKind, DiagnosticLevel};
pub use digest::Digest;
pub use error::{ErrorKind, SourceError, format_duration};
pub use fair_shares::{FairShares, HeldPlaces, ShareKey, SharePermit};
pub use id::{InvalidName, InvalidSourceId, SourceId, ToolId, ToolName};
pub use json::{CheckedText, RawJson};
pub use jsonrpc::RpcError;
pub use language::Language;
pub use library::{Library, LibraryContents, LibraryEvent};
pub use log_message::{LogLevel, LogMessage, LogSink};
pub use moment::Moment;
pub use output_sink::{OutputSink, OutputStream};
pub use pattern::{NamePattern, ToolPatterns};
pub use plural::{counted, grouped};
pub use policy_mode::{PolicyMode, ShadowPolicy};
pub use policy_rules::PolicyRules;
pub use request_sources::RequestSources;
pub use reverse_channel::ReverseChannel;
pub use source::{Delegation, DiscoveryItem, Layer, ReviewMode, Source, SourceKind};
pub use store::{
    ChangeListener, ChangeSubscription, FencedLease, FencedLeaseAttempt, Lease, MemoryStore,
    Namespace, RowNote, Store, StoreError,
};
pub use stored_row::{UnknownFields, is_newer_row};
pub use suggest::nearest;
pub use tool::{CliHint, CliHints, Provenance, Status, Tool, Visibility};
pub use wrapper::SourceWrapper;

pub use futures_util::future::BoxFuture;
pub use futures_util::stream::BoxStream;

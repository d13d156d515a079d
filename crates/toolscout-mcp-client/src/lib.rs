//! Tools of MCP servers: child processes on pipes, and remote servers over HTTP.
//!
//! A [`ServerConfig`] is a configured server. [`client`] connects to a running server, in either
//! era of the protocol, over any wire (`wire`). No input of a server is trusted: sizes, shapes,
//! rates and times all have [`limits`].

pub mod client;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod limits;
pub mod oauth;
pub mod per_user;
pub mod server;
pub mod tokens;
pub mod value;

mod backoff;
mod connect_context;
mod connections;
mod definition;
mod denial_log;
mod discovery;
mod era;
mod error;
mod fingerprint;
mod handshake;
mod http;
mod input_required;
mod message;
mod pace;
mod params;
mod peer;
mod placement;
mod protocol_choice;
mod record;
mod refresh;
mod running;
mod secrets;
mod source;
mod sse;
mod stdio;
mod supervisor;
mod wire;

pub use connect_context::{ConnectContext, ConnectPurpose};
pub use definition::ToolDefinition;
pub use denial_log::{DenialLog, ReportedDenial};
pub use discovery::{DiscoveryOutcome, ServerContext, ServerTestOutcome};
pub use error::ClientError;
pub use fingerprint::{entry_fingerprint, fleet_partition, partition};
pub use placement::{FleetPlacement, ForwardError, Placement, ReplicaCalls, ReplicaCallsSlot};
pub use protocol_choice::ProtocolChoice;
pub use record::{
    DiscoveryRecord, DiscoveryRecords, DiscoveryStatus, KnownLibrary, KnownTools, Staleness,
    USUAL_TTL,
};
pub use refresh::{refresh_all, refresh_due};
pub use server::{
    HttpEndpoint, NewTools, OAuthGrant, OnChange, Program, ServerConfig, ServerTransport,
    ToolFilter,
};
pub use source::{McpSource, ServerHold, ServerPhase, ServerState};
pub use stdio::kill_orphans;
pub use toolscout_process::sandbox;
pub use value::{ConfigText, ReferenceLookup};

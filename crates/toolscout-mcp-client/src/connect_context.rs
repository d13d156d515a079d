//! The context of a connection: limits, lookups and tokens.

use super::era::ProtocolEra;
use super::limits::Limits;
use super::tokens::TokenProvider;
use super::value::ReferenceLookup;
use super::{DenialLog, FleetPlacement, ProtocolChoice};
use std::path::PathBuf;
use std::sync::Arc;
use toolscout_process::sandbox::SandboxHost;

/// Everything needed to connect to a server besides its configuration. Cloning is cheap.
#[derive(Clone)]
pub struct ConnectContext {
    /// The size and time limits.
    pub limits: Arc<Limits>,
    /// Resolves references in the configuration.
    pub lookup: ReferenceLookup,
    /// The default working directory of programs: the project's root.
    pub project: PathBuf,
    /// The era of the last connection under the same configuration; it saves a probe.
    pub era: Option<ProtocolEra>,
    /// The revision to speak, instead of the configured one.
    pub protocol: Option<ProtocolChoice>,
    /// Provides tokens for a remote server, if a login is possible.
    pub tokens: Option<Arc<dyn TokenProvider>>,
    /// Whether callers have counterparts, so that servers may send reverse requests; see
    /// [`toolscout_core::ReverseChannel`].
    pub has_counterparts: bool,
    /// What is connected for. A server that no operator trusts is discovered under the strictest
    /// sandbox.
    pub purpose: ConnectPurpose,
    /// The folders and decisions for sandboxes; programs run without one if this is `None`.
    pub sandbox: Option<Arc<SandboxHost>>,
    /// Where denials of sandboxes are recorded.
    pub denials: Option<DenialLog>,
    /// The fleet that decides where servers run; none without a fleet.
    pub placement: Option<FleetPlacement>,
}

/// Why a connection is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConnectPurpose {
    /// To call approved tools.
    #[default]
    Call,
    /// To list the tools.
    Discovery,
}

impl ConnectContext {
    /// A context with the default limits and the environment of this process.
    pub fn new(project: PathBuf) -> Self {
        Self {
            limits: Arc::default(),
            lookup: ReferenceLookup::from_process(),
            project,
            era: None,
            protocol: None,
            tokens: None,
            has_counterparts: false,
            purpose: ConnectPurpose::default(),
            sandbox: None,
            denials: None,
            placement: None,
        }
    }
}

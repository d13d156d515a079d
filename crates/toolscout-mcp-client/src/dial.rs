//! What it takes to reach a server besides its configuration.

use super::era::ProtocolEra;
use super::limits::Limits;
use super::tokens::TokenProvider;
use super::value::ReferenceLookup;
use std::path::PathBuf;
use std::sync::Arc;

/// What it takes to reach a server besides its configuration. Cloning is cheap.
#[derive(Clone)]
pub struct ConnectContext {
    /// How much and how long.
    pub limits: Arc<Limits>,
    /// Where references in the configuration lead.
    pub lookup: ReferenceLookup,
    /// Where programs start, unless their configuration says otherwise: the project's root.
    pub project: PathBuf,
    /// What the server spoke the last time, under the same configuration; saves asking.
    pub era: Option<ProtocolEra>,
    /// Who knows the token of a server on the web, where a login is possible.
    pub tokens: Option<Arc<dyn TokenProvider>>,
    /// Whether callers have counterparts, so that servers may ask them something; see [`toolscout_core::Counterpart`].
    pub has_counterparts: bool,
}

impl ConnectContext {
    /// With the usual limits and the environment of this process.
    pub fn new(project: PathBuf) -> Self {
        Self {
            limits: Arc::default(),
            lookup: ReferenceLookup::of_process(),
            project,
            era: None,
            tokens: None,
            has_counterparts: false,
        }
    }
}

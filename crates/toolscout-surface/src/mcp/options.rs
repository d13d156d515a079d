//! Options of an MCP server.

use super::sealed::Clock;
use crate::context::ContextOptions;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Caller, Cx, Moment, SourceId};
use toolscout_gateway::RankingProfile;

/// Default number of bytes of a result that are delivered at once; the rest can be read later.
pub const DEFAULT_RESULT_LIMIT: usize = 1 << 20;

/// Default number of entries on one page of a list.
pub const DEFAULT_PAGE_SIZE: usize = 500;

/// Options of an MCP server.
#[derive(Clone)]
pub struct ServerOptions {
    /// The name of the server.
    pub name: String,
    /// The version of the server.
    pub version: String,
    /// When the meta tools are offered.
    pub meta_tools: MetaTools,
    /// How `tool_search` ranks.
    pub ranking: RankingProfile,
    /// Whether tools that are not listed can only be called with `execute_tool`.
    pub strict_hidden: bool,
    /// The one source that is shown unchanged: with its own names, and without meta tools.
    pub transparent: Option<SourceId>,
    /// Number of bytes of a result that are delivered at once.
    pub result_limit: usize,
    /// Whether text results of tools are marked as data.
    pub spotlight: bool,
    /// Maximum number of entries on one page of a list, at least 1.
    pub page_size: usize,
    /// Parts of tool names; the instructions mention tools that match.
    pub essential: Vec<String>,
    /// How long the first list and the first search of a client wait for sources whose tools are
    /// still loading.
    pub wait_for_discovery: Duration,
    /// Whether the answers of clients to elicitations approve calls, as far as their tokens do not
    /// decide.
    pub client_approvals: bool,
    /// The template of every request context: the project, the observers.
    pub request: Cx,
    /// The key that seals the state that clients carry from one request to the next.
    pub key: [u8; 32],
    /// The clock of everything that has the key.
    pub clock: Clock,
    /// The id of this replica, in a fleet.
    pub replica: Option<Arc<str>>,
}

impl ServerOptions {
    /// The default options.
    pub fn new(name: &str, version: &str, key: [u8; 32]) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            meta_tools: MetaTools::Auto,
            ranking: RankingProfile::default(),
            strict_hidden: false,
            transparent: None,
            result_limit: DEFAULT_RESULT_LIMIT,
            spotlight: false,
            page_size: DEFAULT_PAGE_SIZE,
            essential: ContextOptions::default().essential,
            wait_for_discovery: Duration::ZERO,
            client_approvals: false,
            request: Cx::new(Caller::Mcp),
            key,
            clock: Arc::new(Moment::now),
            replica: None,
        }
    }

    /// Whether only listed tools can be called directly.
    pub(super) fn is_closed(&self) -> bool {
        self.strict_hidden || self.transparent.is_some()
    }
}

/// When `tool_search` and `execute_tool` are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetaTools {
    /// While some tools are not listed.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl MetaTools {
    /// Parses a mode.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

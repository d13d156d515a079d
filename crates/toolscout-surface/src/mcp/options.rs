//! Options of an MCP server.

use crate::context::ContextOptions;
use toolscout_core::{Caller, Cx, SourceId};
use toolscout_gateway::RankingProfile;

/// Default number of bytes of a result that are delivered at once; the rest can be read later.
pub const RESULT: usize = 1 << 20;

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
    /// Parts of tool names; the instructions mention tools that match.
    pub essential: Vec<String>,
    /// The template of every request context: the project, the observers.
    pub request: Cx,
    /// The key that seals the state that clients carry from one request to the next.
    pub key: [u8; 32],
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
            result_limit: RESULT,
            essential: ContextOptions::default().essential,
            request: Cx::new(Caller::Mcp),
            key,
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

//! What a server of tools is told about itself.

use crate::context::Wish;
use toolscout_core::{Caller, Cx, SourceId};
use toolscout_gateway::RankingProfile;

/// Bytes of a result that are delivered at once; the rest can be read on.
pub const RESULT: usize = 1 << 20;

/// How tools are offered.
#[derive(Clone)]
pub struct Terms {
    /// What we call ourselves.
    pub name: String,
    /// Which version we are.
    pub version: String,
    /// When the two tools for finding and running others are there.
    pub meta_tools: MetaTools,
    /// How `tool_search` scores.
    pub ranking: RankingProfile,
    /// Whether tools that are not listed can only be run by `execute_tool`.
    pub strict_hidden: bool,
    /// The one source that is shown as if we were not there: its own names, and nothing of ours.
    pub transparent: Option<SourceId>,
    /// Bytes of a result that are delivered at once.
    pub result_limit: usize,
    /// Parts of the names of tools that clients are told of when they come.
    pub essential: Vec<String>,
    /// What every request begins with: the project, the door.
    pub request: Cx,
    /// Keeps what clients carry for us from being changed by them.
    pub key: [u8; 32],
}

impl Terms {
    /// The usual ones; change the fields from there.
    pub fn new(name: &str, version: &str, key: [u8; 32]) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            meta_tools: MetaTools::Auto,
            ranking: RankingProfile::default(),
            strict_hidden: false,
            transparent: None,
            result_limit: RESULT,
            essential: Wish::default().essential,
            request: Cx::new(Caller::Mcp),
            key,
        }
    }

    /// Whether only what is listed can be called directly.
    pub(super) fn is_closed(&self) -> bool {
        self.strict_hidden || self.transparent.is_some()
    }
}

/// When `tool_search` and `execute_tool` are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetaTools {
    /// While something is hidden.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl MetaTools {
    /// The mode that people write this way.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

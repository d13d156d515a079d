//! The input and output of a search.

use crate::{LearnedQueries, QueryEmbedding, RankingProfile};
use std::fmt;
use toolscout_core::{SourceId, ToolId};

/// A query in natural language.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The text; an empty text matches every tool.
    pub text: &'a str,
    /// The ranking profile.
    pub profile: RankingProfile,
    /// Maximum number of hits: 0 is [`Query::DEFAULT_LIMIT`], and more than [`Query::MAX_LIMIT`] is
    /// reduced to that.
    pub limit: usize,
    /// Only tools of these sources; all sources if none.
    pub sources: Option<&'a [SourceId]>,
    /// Only tools of this scope; all tools without one.
    pub scope: Option<ToolScope<'a>>,
    /// The embedding of the text, if there is an encoder; otherwise words alone decide.
    pub embedding: Option<&'a QueryEmbedding>,
    /// Relevance feedback of the caller.
    pub learned: Option<&'a LearnedQueries>,
    /// Whether tools with a low score are dropped. Benchmarks keep them.
    pub has_floor: bool,
}

impl<'a> Query<'a> {
    /// Number of hits if the query sets no limit.
    pub const DEFAULT_LIMIT: usize = 10;
    /// Maximum number of hits.
    pub const MAX_LIMIT: usize = 100;

    /// A query with default settings.
    pub fn new(text: &'a str) -> Self {
        let (profile, limit) = (RankingProfile::default(), Self::DEFAULT_LIMIT);
        Self {
            text,
            profile,
            limit,
            sources: None,
            scope: None,
            embedding: None,
            learned: None,
            has_floor: true,
        }
    }

    /// Whether this tool may be a hit.
    pub(crate) fn admits(&self, tool: &ToolId) -> bool {
        self.sources.is_none_or(|sources| sources.contains(&tool.source))
            && self.scope.is_none_or(|ToolScope(has)| has(tool))
    }

    pub(crate) fn bounded_limit(&self) -> usize {
        if self.limit == 0 { Self::DEFAULT_LIMIT } else { self.limit.min(Self::MAX_LIMIT) }
    }
}

/// A predicate for the tools that a search may find.
#[derive(Clone, Copy)]
pub struct ToolScope<'a>(pub &'a (dyn Fn(&ToolId) -> bool + Sync));

impl fmt::Debug for ToolScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolScope")
    }
}

/// A matching tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The tool.
    pub id: ToolId,
    /// The score: above 0, at most 1. Always 1 if the profile does not score.
    pub score: f64,
    /// Which parts of the query match which parts of the tool, as text for users; text of third
    /// parties in it is not yet escaped. Empty for an empty query.
    pub reasons: Vec<String>,
}

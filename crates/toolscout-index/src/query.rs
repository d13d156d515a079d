//! What is asked, and what is answered.

use crate::{LearnedQueries, QueryEmbedding, RankingProfile};
use std::fmt;
use toolscout_core::{SourceId, ToolId};

/// A question in somebody's own words.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The words; none at all ask for every tool.
    pub text: &'a str,
    /// How to score.
    pub profile: RankingProfile,
    /// At most this many hits: 0 is [`Query::DEFAULT_LIMIT`], and nobody gets more than [`Query::MAX_LIMIT`].
    pub limit: usize,
    /// Only tools of these sources; all where none are named.
    pub sources: Option<&'a [SourceId]>,
    /// Only tools of this scope; all tools without one.
    pub scope: Option<ToolScope<'a>>,
    /// What the words mean, where there is an encoder; without, words alone decide.
    pub meaning: Option<&'a QueryEmbedding>,
    /// What was learned from earlier questions of whoever asks.
    pub learned: Option<&'a LearnedQueries>,
    /// Whether tools that hardly fit are left out. Benchmarks want them all.
    pub has_floor: bool,
}

impl<'a> Query<'a> {
    /// How many hits there are for who does not say.
    pub const DEFAULT_LIMIT: usize = 10;
    /// How many hits there are at most.
    pub const MAX_LIMIT: usize = 100;

    /// Asks this, with all else as it usually is.
    pub fn new(text: &'a str) -> Self {
        let (profile, limit) = (RankingProfile::default(), Self::DEFAULT_LIMIT);
        Self { text, profile, limit, sources: None, scope: None, meaning: None, learned: None, has_floor: true }
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

/// Says which tools a search may find.
#[derive(Clone, Copy)]
pub struct ToolScope<'a>(pub &'a (dyn Fn(&ToolId) -> bool + Sync));

impl fmt::Debug for ToolScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolScope")
    }
}

/// A tool that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which tool.
    pub id: ToolId,
    /// How well it fits: above 0, at most 1. Always 1 where the profile does not score.
    pub score: f64,
    /// What of the question met what of the tool, for people; text of others in it is not yet escaped. Empty where the
    /// question was.
    pub why: Vec<String>,
}

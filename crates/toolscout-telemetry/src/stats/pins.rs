//! Suggests tools to pin, so that they are listed without a search: tools that sessions search for
//! repeatedly, and whose definition takes fewer tokens than the results of those searches.

use super::counter::UsageCounter;
use super::output::{PinSuggestion, PinSuggestions};
use super::session::SessionUsage;
use std::collections::BTreeMap;

/// Minimum number of searches. A tool that was searched for once may never be needed again.
const MIN_SEARCHES: u64 = 2;
/// Maximum number of suggestions. Listing everything would defeat the purpose of searching.
const MAX_PINS: usize = 20;

/// Suggests the tools whose pinning saves tokens. `definition` returns the tokens of a tool's
/// definition, or none if the tool cannot be suggested.
pub fn suggest(
    counter: &UsageCounter,
    project: Option<&str>,
    definition: impl Fn(&str) -> Option<u64>,
) -> PinSuggestions {
    let is_included = |session_usage: &&SessionUsage| {
        session_usage.is_of_agent
            && (project.is_none() || session_usage.project.as_deref() == project)
    };
    let sessions: Vec<_> = counter.sessions.values().filter(is_included).collect();
    let count = sessions.len() as u64;
    let mut pins: Vec<_> = searches_by_tool(&sessions)
        .into_iter()
        .filter(|(_, (searches, _))| *searches >= MIN_SEARCHES)
        .filter_map(|(tool, (searches, tokens))| {
            let definition_tokens = definition(tool)?;
            let search_tokens = tokens / count.max(1);
            let saved_tokens = search_tokens as i64 - definition_tokens as i64;
            let callers =
                sessions.iter().filter(|session| session.called.contains(tool)).count() as u64;
            let tool = tool.to_owned();
            Some(PinSuggestion {
                tool,
                sessions: callers,
                searches,
                search_tokens,
                definition_tokens,
                saved_tokens,
            })
        })
        .filter(|item| item.saved_tokens > 0)
        .collect();
    pins.sort_by(|one, other| {
        (other.saved_tokens, &one.tool).cmp(&(one.saved_tokens, &other.tool))
    });
    pins.truncate(MAX_PINS);
    PinSuggestions { sessions: count, pins, ..PinSuggestions::default() }
}

/// For each tool, the number of searches that pinning it would have avoided, and the tokens of
/// their results. A search that led to calls of several tools is not counted, because it is still
/// needed for the others.
fn searches_by_tool<'a>(sessions: &[&'a SessionUsage]) -> BTreeMap<&'a str, (u64, u64)> {
    let mut searches_by_tool: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for search in sessions.iter().flat_map(|session| &session.followed) {
        if let (1, Some(tool), Some(tokens)) =
            (search.called.len(), search.called.first(), search.tokens)
        {
            let (searches, sum) = searches_by_tool.entry(tool).or_default();
            (*searches, *sum) = (*searches + 1, *sum + tokens);
        }
    }
    searches_by_tool
}

//! Computes the tokens saved, and names the method.

use super::output::Savings;
use super::session::{SessionUsage, sum};

const METHOD: &str = "Compared with the definitions of all tools, which a client without search loads once per session: saved is that, minus the \
                      listed tools and the search results. Sessions whose tool list was not recorded are left out.";

impl Savings {
    /// The savings of these sessions.
    pub(super) fn of<'a>(sessions: impl Iterator<Item = &'a SessionUsage> + Clone) -> Self {
        let unmeasured = sessions.clone().filter(|session| session.is_unmeasured()).count();
        let total = sum(sessions.filter(|session| session.is_measured()));
        let tokens = (total.measured_sessions > 0).then_some(total.saved_tokens);
        let all = i64::try_from(total.all_tokens).unwrap_or(i64::MAX);
        Self {
            tokens,
            percent: tokens.map(|tokens| tokens.saturating_mul(100) / all.max(1)),
            compared_with: total.all_tokens,
            list_tokens: total.list_tokens,
            search_tokens: total.search_tokens,
            measured_sessions: total.measured_sessions,
            unmeasured_sessions: unmeasured as u64,
            method: METHOD.to_owned(),
            explanation: tokens
                .filter(|tokens| *tokens <= 0)
                .map(|_| explanation(total.list_tokens >= total.all_tokens)),
        }
    }
}

fn explanation(lists_everything: bool) -> String {
    if lists_everything {
        "The listed tools take as many tokens as all definitions together: there are too few tools for a search to pay off, or most of them are listed."
            .to_owned()
    } else {
        "The search results took more tokens than all definitions together: there are few tools, and agents searched often. List them without a search: \
         set `listed = [\"*\"]`, or run `toolscout suggest pins`."
            .to_owned()
    }
}

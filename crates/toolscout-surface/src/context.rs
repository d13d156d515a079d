//! A summary of the available tools for a system prompt: a few lines within a token budget,
//! without schemas.
//!
//! The summary has tool counts and the names of essential tools, by server. A model that knows
//! which tools exist searches for the rest by itself.

mod groups;
mod words;

#[cfg(test)]
mod tests;

use crate::output::counted;
use crate::tokens;
use groups::Group;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use toolscout_gateway::Snapshot;
use words::{BULLET, CLOSING, HEADER};

pub(crate) use groups::is_usable;
pub use words::NOTHING_YET;

/// The default limit of a summary, in tokens.
pub const DEFAULT_BUDGET: usize = 500;
/// A tool is essential if its name contains one of these. This is the default list.
pub const DEFAULT_ESSENTIAL: [&str; 7] =
    ["search", "github", "slack", "confluence", "jira", "calendar", "email"];
/// The maximum number of essential tools named per server.
const MAX_NAMED: usize = 5;

/// Settings of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextOptions {
    /// The maximum number of tokens, by the upper bound of [`tokens`].
    pub budget: usize,
    /// Parts of names; matching ignores case.
    pub essential: Vec<String>,
}

/// A summary of the tools for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ContextSummary")]
pub struct Summary {
    /// The text; empty if the budget is too small.
    #[serde(rename = "summary")]
    pub text: String,
    /// The number of tokens; an upper bound.
    pub tokens: usize,
    /// The number of servers with tools.
    pub servers: usize,
    /// The number of their tools.
    pub tools: usize,
    /// The number of servers that are not in the text.
    pub servers_omitted: usize,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self { budget: DEFAULT_BUDGET, essential: DEFAULT_ESSENTIAL.map(str::to_owned).into() }
    }
}

impl ContextOptions {
    /// Summarizes these tools. The same tools give the same text, and the text never exceeds
    /// the budget. Quarantined tools are left out.
    pub fn summary(&self, snapshot: &Snapshot) -> Summary {
        let essential: Vec<_> =
            self.essential.iter().map(|essential| essential.to_lowercase()).collect();
        let content = Content::new(groups::group_by_server(snapshot, &essential));
        let (text, shown) = content.within(self.budget);
        let servers = content.groups.len();
        let tokens = tokens::at_most(&text);
        Summary { text, tokens, servers, tools: content.tools(), servers_omitted: servers - shown }
    }
}

/// Appends the summary to a system prompt.
pub fn prompt(base: &str, summary: &str) -> String {
    format!("{}\n\n{}\n{summary}", base.trim_end_matches(['\r', '\n']), words::HEADING)
}

struct Content<'a> {
    groups: Vec<Group<'a>>,
    /// Indices into `groups`: groups with essential tools first, then by size.
    by_weight: Vec<usize>,
}

impl<'a> Content<'a> {
    fn new(groups: Vec<Group<'a>>) -> Self {
        let mut by_weight: Vec<_> = (0..groups.len()).collect();
        by_weight.sort_by_key(|index| {
            (groups[*index].essential.is_empty(), std::cmp::Reverse(groups[*index].tools), *index)
        });
        Self { groups, by_weight }
    }

    fn tools(&self) -> usize {
        self.groups.iter().map(|group| group.tools).sum()
    }

    /// The text with the most server lines that fits the budget, and the number of those lines.
    fn within(&self, budget: usize) -> (String, usize) {
        let fits = |text: &String| tokens::fits(text, budget);
        let all = self.groups.len();
        if all == 0 {
            return (Some(NOTHING_YET.to_owned()).filter(fits).unwrap_or_default(), 0);
        }
        if let Some(full_text) = Some(self.text(all)).filter(fits) {
            return (full_text, all);
        }
        // More servers almost always take more tokens, so a binary search finds nearly the
        // largest number that fits; the linear scan below corrects it.
        let (mut fit, mut too_many) = (0, all);
        while too_many - fit > 1 {
            let middle = usize::midpoint(fit, too_many);
            if fits(&self.text(middle)) {
                fit = middle;
            } else {
                too_many = middle;
            }
        }
        let cut =
            (0..=fit).rev().map(|index| (self.text(index), index)).find(|(text, _)| fits(text));
        cut.unwrap_or_else(|| (self.shortest(fits), 0))
    }

    fn text(&self, shown: usize) -> String {
        let chosen: BTreeSet<_> = self.by_weight[..shown].iter().copied().collect();
        let mut text = HEADER.to_owned();
        for (_, group) in self.groups.iter().enumerate().filter(|(index, _)| chosen.contains(index))
        {
            text += "\n";
            text += &group.line();
        }
        if shown < self.groups.len() {
            text += "\n";
            text += &self.omitted_line(&chosen);
        }
        text + "\n\n" + CLOSING
    }

    /// The line that counts the servers left out.
    fn omitted_line(&self, chosen: &BTreeSet<usize>) -> String {
        let omitted = self.groups.iter().enumerate().filter(|(index, _)| !chosen.contains(index));
        let tools = omitted.map(|(_, group)| group.tools).sum();
        let servers = self.groups.len() - chosen.len();
        let more = if chosen.is_empty() { "" } else { "more " };
        let servers = counted(servers, &format!("{more}server"));
        format!("{BULLET}{servers} with {}", counted(tools, "tool"))
    }

    /// The text for a budget without room for whole sentences.
    fn shortest(&self, fits: impl Fn(&String) -> bool) -> String {
        let count = format!(
            "{} of {}",
            counted(self.tools(), "tool"),
            counted(self.groups.len(), "server")
        );
        [format!("{HEADER}\n{BULLET}{count}"), count].into_iter().find(fits).unwrap_or_default()
    }
}

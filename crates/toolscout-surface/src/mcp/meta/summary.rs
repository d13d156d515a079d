//! The description of `tool_search`, which summarizes the tools behind it. Agents do not use a
//! search whose description does not mention any tools.
//!
//! The summary consists of source ids and single words of tool names. It contains no text of
//! servers, because the model would read that in every session, even if it never finds the tool.

use super::verbs::{first_verb, verb, words};
use crate::output::counted;
use crate::tokens;
use std::collections::{BTreeMap, BTreeSet};
use toolscout_core::{SourceId, Status, Tool};
use toolscout_gateway::Snapshot;

/// Maximum number of tokens of the summary, so that both definitions together stay under 600.
pub(super) const BUDGET: usize = 280;
/// Number of verbs per source if there is room, and for all sources together if there is not.
const VERBS_EACH: usize = 4;
const VERBS_TOGETHER: usize = 10;
/// Number of example queries.
const EXAMPLES: usize = 3;

/// The description of `tool_search`. It is deterministic, and never longer than [`BUDGET`] tokens.
pub(super) fn summary(snapshot: &Snapshot, delegates: &[&SourceId]) -> String {
    let content = Content::of(snapshot, delegates);
    let most = content.sources.len();
    let fits = |it: &String| tokens::fits(it, BUDGET);
    let whole = [content.each(), content.together(most)].into_iter().find(fits);
    whole.unwrap_or_else(|| {
        // More sources never take fewer tokens, so a binary search finds the most that fit.
        let (mut fit, mut too_many) = (0, most);
        while too_many - fit > 1 {
            let middle = usize::midpoint(fit, too_many);
            if fits(&content.together(middle)) {
                fit = middle;
            } else {
                too_many = middle;
            }
        }
        content.together(fit)
    })
}

/// The contents of the summary.
struct Content<'a> {
    sources: BTreeMap<&'a str, Share>,
    verbs: Counts,
    examples: Vec<String>,
}

#[derive(Default)]
struct Share {
    tools: usize,
    /// Whether the source searches for itself and has an unknown number of other tools.
    has_more: bool,
    verbs: Counts,
}

#[derive(Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl<'a> Content<'a> {
    fn of(snapshot: &'a Snapshot, delegates: &[&'a SourceId]) -> Self {
        let mut content =
            Self { sources: BTreeMap::new(), verbs: Counts::default(), examples: Vec::new() };
        for id in delegates {
            content.sources.entry(id.as_str()).or_default().has_more = true;
        }
        let mut named = Vec::new();
        for tool in snapshot.tools().filter(|it| !matches!(it.status, Status::Quarantined(_))) {
            let share = content.sources.entry(tool.id.source.as_str()).or_default();
            share.tools += 1;
            if let Some(verb) = first_verb(tool.id.name.as_str()) {
                share.verbs.add(verb);
                content.verbs.add(verb);
                named.push(tool.as_ref());
            }
        }
        named.sort_by_key(|it| (it.id.source.as_str(), it.id.name.as_str()));
        content.examples = spread(&named);
        content
    }

    /// Lists every source with its verbs.
    fn each(&self) -> String {
        let sources = self.sources.iter().map(|(id, share)| match share.verbs.first(VERBS_EACH) {
            verbs if verbs.is_empty() => format!("{id} ({})", share.count()),
            verbs => format!("{id} ({}: {})", share.count(), verbs.join(", ")),
        });
        self.told(&sources.collect::<Vec<_>>().join("; "), "")
    }

    /// Lists the largest sources, and the verbs of all together.
    fn together(&self, shown: usize) -> String {
        let mut largest: Vec<_> = self.sources.iter().collect();
        largest.sort_by_key(|(id, share)| (std::cmp::Reverse(share.tools), **id));
        let shown: BTreeSet<_> = largest.iter().take(shown).map(|(id, _)| **id).collect();
        let sources = self.sources.iter().filter(|(id, _)| shown.contains(**id));
        let mut sources: Vec<_> =
            sources.map(|(id, share)| format!("{id} ({})", share.count())).collect();
        match self.sources.len() - shown.len() {
            0 => {}
            more => sources.push(format!("and {more} more")),
        }
        let verbs = self.verbs.first(VERBS_TOGETHER).join(", ");
        let verbs = if verbs.is_empty() { verbs } else { format!(" They {verbs} and more.") };
        self.told(&sources.join("; "), &verbs)
    }

    fn told(&self, sources: &str, verbs: &str) -> String {
        let tools: usize = self.sources.values().map(|it| it.tools).sum();
        let tools = match (tools, self.sources.values().any(|it| it.has_more)) {
            (0, true) => "Tools".to_owned(),
            (tools, true) => format!("{} and more", counted(tools, "tool")),
            (tools, false) => counted(tools, "tool"),
        };
        let count = counted(self.sources.len(), "server");
        let mut text = format!("Finds tools by what they do. {tools} of {count} are behind this");
        text += &if sources.is_empty() { ".".to_owned() } else { format!(": {sources}.{verbs}") };
        if !self.examples.is_empty() {
            text += &format!(" Example queries: {}.", self.examples.join("; "));
        }
        text + " Search before you say that something cannot be done, and before you write code for it; run what you \
            find with execute_tool."
    }
}

impl Share {
    fn count(&self) -> String {
        match (self.tools, self.has_more) {
            (0, true) => "asked when you search".to_owned(),
            (tools, true) => format!("{tools} and more"),
            (tools, false) => tools.to_string(),
        }
    }
}

impl Counts {
    fn add(&mut self, word: &'static str) {
        *self.0.entry(word).or_default() += 1;
    }

    /// The most frequent words first, then in alphabetical order.
    fn first(&self, most: usize) -> Vec<&'static str> {
        let mut words: Vec<_> = self.0.iter().collect();
        words.sort_by_key(|(word, count)| (std::cmp::Reverse(**count), *word));
        words.into_iter().take(most).map(|(word, _)| *word).collect()
    }
}

/// A query that finds this tool: a verb and one or two words after it.
fn example(tool: &Tool) -> Option<String> {
    let words = words(tool.id.name.as_str());
    let at = words.iter().position(|it| verb(it).is_some())?;
    let after: Vec<_> = words[at + 1..].iter().take(2).map(String::as_str).collect();
    (!after.is_empty())
        .then(|| format!("{} {}", words[at], after.join(" ")))
        .filter(|_| tool.status.reason().is_none())
}

/// Examples from as many different sources as possible, without duplicates.
fn spread(tools: &[&Tool]) -> Vec<String> {
    let by_source = tools.chunk_by(|one, other| one.id.source == other.id.source);
    let first_of_each = by_source.filter_map(|it| it.iter().find_map(|it| example(it)));
    let mut chosen: Vec<String> = Vec::new();
    for example in first_of_each.chain(tools.iter().filter_map(|it| example(it))) {
        if !chosen.contains(&example) {
            chosen.push(example);
        }
        if chosen.len() == EXAMPLES {
            break;
        }
    }
    chosen
}

//! The description of `tool_search`, which summarizes the tools behind it. Agents do not use a
//! search whose description does not mention any tools.
//!
//! The summary consists of source ids and single words of tool names. It contains no text of
//! servers, because the model would read that in every session, even if it never finds the tool.

use super::verbs::{first_verb, verb, words};
use crate::context::is_usable;
use crate::output::counted;
use crate::tokens;
use std::collections::{BTreeMap, BTreeSet};
use toolscout_core::{SourceId, Tool};
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
    let content = Content::new(snapshot, delegates);
    let total = content.sources.len();
    let fits = |text: &String| tokens::fits(text, BUDGET);
    let full_text = [content.list_all(), content.list_largest(total)].into_iter().find(fits);
    full_text.unwrap_or_else(|| {
        // More sources never take fewer tokens, so a binary search finds the most that fit.
        let (mut fit, mut too_many) = (0, total);
        while too_many - fit > 1 {
            let middle = usize::midpoint(fit, too_many);
            if fits(&content.list_largest(middle)) {
                fit = middle;
            } else {
                too_many = middle;
            }
        }
        content.list_largest(fit)
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
    fn new(snapshot: &'a Snapshot, delegates: &[&'a SourceId]) -> Self {
        let mut content =
            Self { sources: BTreeMap::new(), verbs: Counts::default(), examples: Vec::new() };
        for id in delegates {
            content.sources.entry(id.as_str()).or_default().has_more = true;
        }
        let mut named = Vec::new();
        for tool in snapshot.tools().filter(|tool| is_usable(tool)) {
            let share = content.sources.entry(tool.id.source.as_str()).or_default();
            share.tools += 1;
            if let Some(verb) = first_verb(tool.id.name.as_str()) {
                share.verbs.add(verb);
                content.verbs.add(verb);
                named.push(tool.as_ref());
            }
        }
        named.sort_by_key(|item| (item.id.source.as_str(), item.id.name.as_str()));
        content.examples = pick_examples(&named);
        content
    }

    /// Lists every source with its verbs.
    fn list_all(&self) -> String {
        let sources =
            self.sources.iter().map(|(id, share)| match share.verbs.most_frequent(VERBS_EACH) {
                verbs if verbs.is_empty() => format!("{id} ({})", share.count()),
                verbs => format!("{id} ({}: {})", share.count(), verbs.join(", ")),
            });
        self.render(&sources.collect::<Vec<_>>().join("; "), "")
    }

    /// Lists the largest sources, and the verbs of all together.
    fn list_largest(&self, shown: usize) -> String {
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
        let verbs = self.verbs.most_frequent(VERBS_TOGETHER).join(", ");
        let verbs = if verbs.is_empty() { verbs } else { format!(" They {verbs} and more.") };
        self.render(&sources.join("; "), &verbs)
    }

    fn render(&self, sources: &str, verbs: &str) -> String {
        let tools: usize = self.sources.values().map(|source| source.tools).sum();
        let tools = match (tools, self.sources.values().any(|source| source.has_more)) {
            (0, true) => "tools".to_owned(),
            (tools, true) => format!("{} and more", counted(tools, "tool")),
            (tools, false) => counted(tools, "tool"),
        };
        let count = counted(self.sources.len(), "source");
        let mut text = format!("Finds tools by what they do, among {tools} of {count}");
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
            (0, true) => "searched remotely".to_owned(),
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
    fn most_frequent(&self, limit: usize) -> Vec<&'static str> {
        let mut words: Vec<_> = self.0.iter().collect();
        words.sort_by_key(|(word, count)| (std::cmp::Reverse(**count), *word));
        words.into_iter().take(limit).map(|(word, _)| *word).collect()
    }
}

/// A query that finds this tool: a verb and one or two words after it.
fn example(tool: &Tool) -> Option<String> {
    let words = words(tool.id.name.as_str());
    let index = words.iter().position(|word| verb(word).is_some())?;
    let after: Vec<_> = words[index + 1..].iter().take(2).map(String::as_str).collect();
    (!after.is_empty())
        .then(|| format!("{} {}", words[index], after.join(" ")))
        .filter(|_| tool.status.reason().is_none())
}

/// Examples from as many different sources as possible, without duplicates.
fn pick_examples(tools: &[&Tool]) -> Vec<String> {
    let by_source = tools.chunk_by(|one, other| one.id.source == other.id.source);
    let first_of_each = by_source.filter_map(|tools| tools.iter().find_map(|tool| example(tool)));
    let mut chosen: Vec<String> = Vec::new();
    for example in first_of_each.chain(tools.iter().filter_map(|tool| example(tool))) {
        if !chosen.contains(&example) {
            chosen.push(example);
        }
        if chosen.len() == EXAMPLES {
            break;
        }
    }
    chosen
}

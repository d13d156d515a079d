//! Generates tools that resemble those of real servers, and queries for them.
//!
//! A source has its own topic and naming style; a tool has one to four sentences and two to eight
//! described parameters. Sizes and word frequencies are those of published definitions; the texts
//! are artificial.

use super::words::WordList;
use crate::random::SplitMix64;
use serde_json::{Map, Value, json};

/// Generates sources in sequence, deterministic for a seed.
pub(super) struct Generator {
    chance: SplitMix64,
    words: WordList,
}

/// A source, as a server would list it.
pub(super) struct GeneratedSource {
    pub(super) source: String,
    pub(super) tools: Vec<Value>,
}

/// The naming style of a source.
#[derive(Clone, Copy)]
enum NameStyle {
    Snake,
    Camel,
    Kebab,
}

/// The topic of a source.
struct Topic {
    words: Vec<String>,
    style: NameStyle,
}

const STYLES: [NameStyle; 4] =
    [NameStyle::Snake, NameStyle::Snake, NameStyle::Camel, NameStyle::Kebab];
const KINDS: [&str; 5] = ["string", "string", "integer", "boolean", "number"];
const LINKS: [&str; 8] =
    ["of the", "for a", "with the", "in each", "by its", "from one", "and the", "without a"];

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        let mut chance = SplitMix64::seeded(seed);
        let words = WordList::new(&mut chance);
        Self { chance, words }
    }

    /// A source with this many tools.
    pub(super) fn source(&mut self, number: usize, tools: usize) -> GeneratedSource {
        let words = (0..24).map(|_| self.words.rare(&mut self.chance).to_owned()).collect();
        let topic = Topic { words, style: self.chance.one_of(&STYLES) };
        let source = format!("{}-{number:04}", topic.words[0]);
        let tools = (0..tools).map(|at| self.tool(&topic, at)).collect();
        GeneratedSource { source, tools }
    }

    /// A query for this tool: three to twelve of its words, some misspelt, and some unrelated
    /// words.
    pub(super) fn question(&mut self, tool: &Value) -> String {
        let text = format!(
            "{} {}",
            tool["description"].as_str().unwrap_or_default(),
            tool["title"].as_str().unwrap_or_default()
        );
        let own: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 3).collect();
        let count = self.chance.between(3, 12);
        let mut asked: Vec<String> = (0..count).map(|_| self.asked_word(&own)).collect();
        if self.chance.percent(20) {
            let at = self.chance.below(asked.len());
            asked[at] = self.misspelt(&asked[at]);
        }
        asked.join(" ").to_lowercase()
    }

    fn asked_word(&mut self, own: &[&str]) -> String {
        if own.is_empty() || self.chance.percent(30) {
            return self.words.any(&mut self.chance).to_owned();
        }
        self.chance.one_of(own).to_owned()
    }

    /// The word with two letters swapped, or one left out.
    fn misspelt(&mut self, word: &str) -> String {
        let mut letters: Vec<char> = word.chars().collect();
        if letters.len() > 3 {
            let at = self.chance.between(1, letters.len() - 2);
            if self.chance.percent(50) {
                letters.swap(at, at + 1)
            } else {
                letters.remove(at);
            }
        }
        letters.into_iter().collect()
    }

    fn tool(&mut self, topic: &Topic, number: usize) -> Value {
        let verb = self.words.verb(&mut self.chance);
        let mut parts = vec![verb.to_owned(), self.about(topic)];
        if self.chance.percent(60) {
            parts.push(self.words.noun(&mut self.chance).to_owned());
        }
        let title = parts.join(" ");
        // A number makes the name unique.
        parts.push(number.to_string());
        let sentences = self.chance.between(1, 4);
        let first = format!(
            "{}s {} {}.",
            capital(verb),
            self.chance.one_of(&["the", "one", "every"]),
            self.phrase(topic, 3, 9)
        );
        let more: Vec<String> =
            (1..sentences).map(|_| capital(&format!("{}.", self.phrase(topic, 6, 16)))).collect();
        let description = [vec![first], more].concat().join(" ");
        json!({"name": spelt(&parts, topic.style), "title": title, "description": description, "inputSchema": self.schema(topic)})
    }

    /// A word of the topic, or occasionally any word.
    fn about(&mut self, topic: &Topic) -> String {
        if self.chance.percent(45) {
            topic.words[self.chance.below(topic.words.len())].clone()
        } else {
            self.words.any(&mut self.chance).to_owned()
        }
    }

    fn phrase(&mut self, topic: &Topic, least: usize, most: usize) -> String {
        let count = self.chance.between(least, most);
        let mut text = self.about(topic);
        for at in 1..count {
            let link = if at % 3 == 0 { self.chance.one_of(&LINKS) } else { "" };
            text.extend([" ", link, if link.is_empty() { "" } else { " " }, &self.about(topic)]);
        }
        text
    }

    fn schema(&mut self, topic: &Topic) -> Value {
        let count = self.chance.between(2, 8);
        let mut properties = Map::new();
        for _ in 0..count {
            let name = [self.words.noun(&mut self.chance).to_owned(), self.about(topic)];
            let mut property = json!({"type": self.chance.one_of(&KINDS), "description": capital(&self.phrase(topic, 4, 10))});
            if self.chance.percent(15) {
                property = json!({"type": "string", "enum": [self.about(topic), self.about(topic), self.about(topic)],
                    "description": property["description"]});
            }
            properties.insert(spelt(&name, topic.style), property);
        }
        let required: Vec<String> = properties.keys().take(2).cloned().collect();
        json!({"type": "object", "properties": properties, "required": required})
    }
}

fn spelt(parts: &[String], style: NameStyle) -> String {
    match style {
        NameStyle::Snake => parts.join("_"),
        NameStyle::Kebab => parts.join("-"),
        NameStyle::Camel => parts
            .iter()
            .enumerate()
            .map(|(at, part)| if at == 0 { part.clone() } else { capital(part) })
            .collect(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|letter| letter.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

//! Hits as text, and their explanation: how the query was parsed, and the parts of each score.

use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::escape;
use toolscout_gateway::{Explanation, QueryReading, QueryWordReading, ScoreParts, SearchHit};
use toolscout_surface::output::tools;
use toolscout_surface::search::rounded;

/// The question as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingView {
    /// Word by word in English; null where it was asked so.
    english: Option<String>,
    /// The words that count.
    words: Vec<WordView>,
}

/// A word of the question, and what answers it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WordView {
    /// As it was typed, or translated.
    word: String,
    /// Whether a tool has it.
    known: bool,
    /// What it was taken for, where no tool has it.
    corrected: Vec<String>,
    /// What else answers it.
    related: Vec<String>,
}

/// What a score is made of.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartsView {
    /// Whether the question is its name.
    named: bool,
    /// How much of the question its words answer, from 0 to 1.
    words: f64,
    /// How alike the two are in meaning; null where that is not known.
    meaning: Option<f64>,
    /// What earlier questions add.
    learned: f64,
    /// Whether its source is one that a person wants.
    approved: bool,
}

impl From<&QueryReading> for ReadingView {
    fn from(reading: &QueryReading) -> Self {
        let word = |it: &QueryWordReading| WordView {
            word: it.word.clone(),
            known: it.is_known,
            corrected: it.corrected.clone(),
            related: it.related.clone(),
        };
        Self { english: reading.english.clone(), words: reading.words.iter().map(word).collect() }
    }
}

impl From<&ScoreParts> for PartsView {
    fn from(parts: &ScoreParts) -> Self {
        Self {
            named: parts.is_named,
            words: rounded(parts.words),
            meaning: parts.meaning.map(rounded),
            learned: rounded(parts.learned),
            approved: parts.is_approved,
        }
    }
}

/// Score, id and description of each hit, with the reason below it; as wide as the terminal, if
/// there is one.
pub(super) fn hit_lines(hits: &[SearchHit], width: Option<usize>) -> String {
    hits.iter().map(|it| line(it, width) + &because(it)).collect()
}

fn line(hit: &SearchHit, width: Option<usize>) -> String {
    let before = format!("{:.2}  {} - ", hit.score, escape::line(&hit.tool.id.to_string()));
    let about = tools::in_brief(&hit.tool, width, &before);
    format!("{before}{about}\n")
}

fn because(hit: &SearchHit) -> String {
    if hit.why.is_empty() {
        return String::new();
    }
    format!("      because: {}\n", escape::line(&hit.why.join(", ")))
}

/// How the query was parsed, then each hit with the parts of its score.
pub(super) fn explained_lines(
    hits: &[SearchHit],
    explanation: &Explanation,
    width: Option<usize>,
) -> String {
    let mut out = question(&explanation.reading);
    for (hit, parts) in hits.iter().zip(&explanation.parts) {
        out += &line(hit, width);
        out += &parts.as_ref().map(made_of).unwrap_or_default();
        out += &because(hit);
    }
    out
}

/// How the query was parsed; empty if the query has no words.
fn question(reading: &QueryReading) -> String {
    let mut out = String::new();
    if let Some(english) = &reading.english {
        out += &format!("in English: {}\n", escape::line(english));
    }
    if !reading.words.is_empty() {
        let words: Vec<_> = reading.words.iter().map(word).collect();
        out += &format!("read as: {}\n", words.join(", "));
    }
    out
}

fn word(read: &QueryWordReading) -> String {
    let word = escape::line(&read.word).into_owned();
    let all = |words: &[String]| escape::line(&words.join(" or ")).into_owned();
    let related = match read.related.is_empty() {
        true => String::new(),
        false => format!(" (or {})", all(&read.related)),
    };
    match (read.is_known, read.corrected.is_empty(), read.related.is_empty()) {
        (false, false, _) => format!("{word} (taken for {})", all(&read.corrected)),
        (false, true, true) => format!("{word} (no tool has it)"),
        _ => format!("{word}{related}"),
    }
}

fn made_of(parts: &ScoreParts) -> String {
    let mut all = Vec::new();
    if parts.is_named {
        all.push("its name".to_owned());
    }
    all.push(format!("words {:.2}", parts.words));
    all.extend(parts.meaning.map(|it| format!("meaning {it:.2}")));
    if parts.learned > 0.0 {
        all.push(format!("learned {:.2}", parts.learned));
    }
    all.push(if parts.is_approved { "source approved" } else { "source not approved" }.to_owned());
    format!("      made of: {}\n", all.join(", "))
}

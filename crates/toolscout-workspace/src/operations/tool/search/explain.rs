//! Hits as text, and their explanation: how the query was parsed, and the parts of each score.

use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::escape;
use toolscout_gateway::{Explanation, QueryReading, QueryWordReading, ScoreParts, SearchHit};
use toolscout_surface::operation::Text;
use toolscout_surface::output::table::{Cell, table};
use toolscout_surface::output::tools;
use toolscout_surface::search::rounded;

/// The parsed query.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingView {
    /// The translation to English, word by word; null if the query is in English.
    english: Option<String>,
    /// The words that are searched for.
    words: Vec<WordView>,
}

/// A word of the query, and the words that match it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WordView {
    /// The word, as typed or translated.
    word: String,
    /// Whether a tool contains this word.
    matched: bool,
    /// Spelling corrections; only if no tool contains the word.
    corrected: Vec<String>,
    /// Related words that also match.
    related: Vec<String>,
}

/// The parts of a score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartsView {
    /// Whether the query is the name of the tool.
    name_match: bool,
    /// How much of the query the tool's words match, from 0 to 1.
    lexical: f64,
    /// The similarity of query and tool by their embeddings; null if the tool has no embedding yet.
    semantic: Option<f64>,
    /// The boost from relevance feedback.
    learned: f64,
    /// Whether an operator approved the source.
    source_approved: bool,
}

impl From<&QueryReading> for ReadingView {
    fn from(reading: &QueryReading) -> Self {
        let word = |word_reading: &QueryWordReading| WordView {
            word: word_reading.word.clone(),
            matched: word_reading.is_known,
            corrected: word_reading.corrected.clone(),
            related: word_reading.related.clone(),
        };
        Self { english: reading.english.clone(), words: reading.words.iter().map(word).collect() }
    }
}

impl From<&ScoreParts> for PartsView {
    fn from(parts: &ScoreParts) -> Self {
        Self {
            name_match: parts.is_named,
            lexical: rounded(parts.lexical),
            semantic: parts.semantic.map(rounded),
            learned: rounded(parts.feedback),
            source_approved: parts.is_approved,
        }
    }
}

/// Score, id and description of each hit, with the reason below it; as wide as the terminal, if
/// there is one.
pub(super) fn hit_lines(hits: &[SearchHit], text: &Text) -> String {
    let lines = first_lines(hits, text);
    hits.iter().zip(lines).map(|(hit, line)| line + &reason_line(hit, text)).collect()
}

/// The first line of each hit. At a terminal the columns are aligned.
fn first_lines(hits: &[SearchHit], text: &Text) -> Vec<String> {
    if !text.is_terminal {
        return hits.iter().map(|hit| line(hit, text)).collect();
    }
    let row = |hit: &SearchHit| {
        let (score, id) = (format!("{:.2}", hit.score), hit.tool.id.to_string());
        vec![Cell::text(score), Cell::id(escape::line(&id)), Cell::text(tools::about(&hit.tool))]
    };
    let table = table(&hits.iter().map(row).collect::<Vec<_>>(), text);
    table.split_inclusive('\n').map(str::to_owned).collect()
}

fn line(hit: &SearchHit, text: &Text) -> String {
    let id = hit.tool.id.to_string();
    let id = escape::line(&id);
    let before = format!("{:.2}  {id} - ", hit.score);
    let about = tools::in_brief(&hit.tool, text.width, &before);
    format!("{:.2}  {} - {about}\n", hit.score, text.style.bold(&id))
}

fn reason_line(hit: &SearchHit, text: &Text) -> String {
    if hit.why.is_empty() {
        return String::new();
    }
    let reason = format!("because: {}", escape::line(&hit.why.join(", ")));
    format!("      {}\n", text.style.faint(&reason))
}

/// How the query was parsed, then each hit with the parts of its score.
pub(super) fn explained_lines(
    hits: &[SearchHit],
    explanation: &Explanation,
    text: &Text,
) -> String {
    let mut out = reading_lines(&explanation.reading);
    let lines = first_lines(hits, text);
    for ((hit, line), parts) in hits.iter().zip(lines).zip(&explanation.parts) {
        out += &line;
        out += &parts.as_ref().map(score_line).unwrap_or_default();
        out += &reason_line(hit, text);
    }
    out
}

/// How the query was parsed; empty if the query has no words.
fn reading_lines(reading: &QueryReading) -> String {
    let mut out = String::new();
    if let Some(english) = &reading.english {
        out += &format!("in English: {}\n", escape::line(english));
    }
    if !reading.words.is_empty() {
        let words: Vec<_> = reading.words.iter().map(word_text).collect();
        out += &format!("read as: {}\n", words.join(", "));
    }
    out
}

fn word_text(read: &QueryWordReading) -> String {
    let word = escape::line(&read.word).into_owned();
    let all = |words: &[String]| escape::line(&words.join(" or ")).into_owned();
    let related = if read.related.is_empty() {
        String::new()
    } else {
        format!(" (or {})", all(&read.related))
    };
    match (read.is_known, read.corrected.is_empty(), read.related.is_empty()) {
        (false, false, _) => format!("{word} (corrected to {})", all(&read.corrected)),
        (false, true, true) => format!("{word} (no tool mentions it)"),
        _ => format!("{word}{related}"),
    }
}

fn score_line(parts: &ScoreParts) -> String {
    let mut all = Vec::new();
    if parts.is_named {
        all.push("exact name".to_owned());
    }
    all.push(format!("keywords {:.2}", parts.lexical));
    all.extend(parts.semantic.map(|meaning| format!("similarity {meaning:.2}")));
    if parts.feedback > 0.0 {
        all.push(format!("feedback {:.2}", parts.feedback));
    }
    all.push(if parts.is_approved { "source approved" } else { "source not approved" }.to_owned());
    format!("      score: {}\n", all.join(", "))
}

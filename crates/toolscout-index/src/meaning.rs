//! What is encoded of a tool and of a question.

use crate::{Encoder, Vector, lexicon, words};
use std::borrow::Cow;
use toolscout_core::Tool;

/// What a question means: as a whole, and part by part where it asks for several things.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryEmbedding {
    pub(crate) whole: Vec<f32>,
    pub(crate) parts: Vec<Vec<f32>>,
}

/// More parts than that are not looked at.
const MOST_PARTS: usize = 8;
/// A part of fewer words asks for nothing.
const PART: usize = 3;
/// Nobody asks a longer question; more would cost time and change nothing.
const LONGEST: usize = 4096;

impl QueryEmbedding {
    /// The whole question, as it is kept beside what it taught.
    pub fn vector(&self) -> Vector {
        Vector::of(&self.whole)
    }

    /// Of vectors that were made elsewhere: of the whole question, and of its parts where it has several.
    pub fn from_parts(whole: Vec<f32>, parts: Vec<Vec<f32>>) -> Self {
        Self { whole, parts }
    }

    /// Encodes a question; one in another language word by word in English.
    pub fn of(encoder: &dyn Encoder, text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let text = lexicon::in_english(text, |_| false).map_or(Cow::Borrowed(text), Cow::Owned);
        let parts = parts(&text);
        let parts = if parts.len() > 1 { encoder.encode_all(&parts) } else { Vec::new() };
        Self { whole: encoder.encode(&text), parts }
    }
}

/// Sentences, and what is strung together by `and then` and the like.
fn parts(text: &str) -> Vec<&str> {
    const LINKS: [&str; 7] = [" and then ", ", and ", ", then ", ", also ", ", while ", ", plus ", "; "];
    let sentences = text.split_inclusive(['\n', '.', '!', '?']).flat_map(|it| it.split(", and then "));
    let mut all: Vec<&str> = sentences.collect();
    for link in LINKS {
        all = all.into_iter().flat_map(|it| it.split(link)).collect();
    }
    let is_whole = |it: &&str| it.split_whitespace().count() >= PART;
    all.into_iter().map(str::trim).filter(is_whole).take(MOST_PARTS).collect()
}

/// What is encoded of a tool: its name in words, and what it says it does.
pub fn text_of(tool: &Tool) -> String {
    let mut text = String::new();
    words::each(tool.id.name.as_str(), |word| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    });
    let about = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default().trim();
    if !about.is_empty() {
        text.push_str(": ");
        // An encoder reads a page at most.
        text.push_str(&about[..about.floor_char_boundary(LONGEST / 2)]);
    }
    text
}

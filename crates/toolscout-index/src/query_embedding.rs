//! The texts of tools and queries that are encoded.

use crate::{Encoder, Vector, lexicon, words};
use std::borrow::Cow;
use toolscout_core::Tool;

/// The embedding of a query: of the whole, and of each part if it requests several things.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryEmbedding {
    pub(crate) whole: Vec<f32>,
    pub(crate) parts: Vec<Vec<f32>>,
}

/// Maximum number of parts.
const MAX_PARTS: usize = 8;
/// Minimum number of words of a part.
const MIN_PART_WORDS: usize = 3;
/// Maximum length of the encoded text in bytes. Real queries are shorter; more would cost time and
/// change nothing.
const MAX_TEXT_BYTES: usize = 4096;

impl QueryEmbedding {
    /// The embedding of the whole query, quantized, as stored in feedback records.
    pub fn vector(&self) -> Vector {
        Vector::quantize(&self.whole)
    }

    /// From vectors that were computed elsewhere: of the whole query, and of its parts if it has
    /// several.
    pub fn from_parts(whole: Vec<f32>, parts: Vec<Vec<f32>>) -> Self {
        Self { whole, parts }
    }

    /// Encodes a query; if it is in another language, its word-by-word translation to English.
    pub fn encode(encoder: &dyn Encoder, text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let text = lexicon::in_english(text, |_| false).map_or(Cow::Borrowed(text), Cow::Owned);
        let parts = parts(&text);
        let parts = if parts.len() > 1 { encoder.encode_all(&parts) } else { Vec::new() };
        Self { whole: encoder.encode(&text), parts }
    }
}

/// Splits at sentences and at links such as `and then`.
fn parts(text: &str) -> Vec<&str> {
    const LINKS: [&str; 7] =
        [" and then ", ", and ", ", then ", ", also ", ", while ", ", plus ", "; "];
    let sentences =
        text.split_inclusive(['\n', '.', '!', '?']).flat_map(|part| part.split(", and then "));
    let mut all: Vec<&str> = sentences.collect();
    for link in LINKS {
        all = all.into_iter().flat_map(|item| item.split(link)).collect();
    }
    let is_long_enough = |text: &&str| text.split_whitespace().count() >= MIN_PART_WORDS;
    all.into_iter().map(str::trim).filter(is_long_enough).take(MAX_PARTS).collect()
}

/// The text of a tool to encode: its name as words, and its description or title.
pub fn encoded_text(tool: &Tool) -> String {
    let mut text = String::new();
    words::for_each(tool.id.name.as_str(), |word| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    });
    let description =
        tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default().trim();
    if !description.is_empty() {
        text.push_str(": ");
        // Encoders read about a page of text.
        text.push_str(&description[..description.floor_char_boundary(MAX_TEXT_BYTES / 2)]);
    }
    text
}

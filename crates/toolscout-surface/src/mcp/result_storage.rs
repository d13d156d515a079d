//! Results that are too large to be delivered at once. The client gets the beginning, and can read
//! the rest piece by piece.
//!
//! A model cannot use megabytes, and some clients break on them. The whole result is stored for a
//! while, for the user who received the beginning.

#[cfg(test)]
mod tests;

use super::object::Object;
use super::replica_tag::tagged;
use super::spotlight::Spotlight;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::jsonrpc::quoted;
use toolscout_core::{BoundedCache, RawJson, ToolOutput};

/// The tool that reads more of a result. It is never listed; truncated results name it.
pub(super) const READ_RESULT: &str = "toolscout__read_result";
/// How long a result is stored.
const RETENTION: Duration = Duration::from_secs(600);
/// Maximum size in bytes of all stored results together.
const CAPACITY: usize = 64 << 20;
/// Maximum size of one piece in bytes.
const MAX_PIECE: usize = 64 << 10;

/// Stored results, by handle.
pub(super) struct ResultStorage {
    /// In a fleet, the replica that stores them.
    replica: Option<Arc<str>>,
    results: Mutex<BoundedCache<String, StoredResult>>,
}

impl Default for ResultStorage {
    fn default() -> Self {
        Self::of_replica(None)
    }
}

struct StoredResult {
    user: Option<Arc<str>>,
    stored_at: Instant,
    output: ToolOutput,
    text: String,
    /// Whether every piece of it is marked as data.
    is_marked: bool,
}

#[derive(Deserialize)]
struct ReadRequest {
    result: String,
    #[serde(default)]
    offset: usize,
    #[serde(default)]
    part: Part,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Part {
    /// The text blocks, one after the other.
    #[default]
    Text,
    /// The whole unchanged result, as JSON.
    Raw,
}

impl ResultStorage {
    /// An empty storage. In a fleet, handles name this replica.
    pub(super) fn of_replica(replica: Option<Arc<str>>) -> Self {
        let weight = |stored: &StoredResult| stored.text.len() + stored.output.raw().as_str().len();
        Self { replica, results: Mutex::new(BoundedCache::weighted(CAPACITY, weight)) }
    }

    /// The result to deliver: all of it, or its beginning with a note how to read on. If
    /// `is_marked`, texts are marked as data. `user` is only called if the result is stored.
    pub(super) fn deliver(
        &self,
        output: &ToolOutput,
        limit: usize,
        is_marked: bool,
        user: impl FnOnce() -> Option<Arc<str>>,
    ) -> String {
        let raw = output.raw().as_str();
        let spotlight = is_marked.then(Spotlight::random).flatten();
        if raw.len() <= limit {
            return spotlight
                .map_or_else(|| raw.to_owned(), |spotlight| spotlight.mark_result(raw));
        }
        let text = texts(output);
        let shown = &text[..floor(&text, MAX_PIECE.min(limit))];
        let handle = self.store(output, &text, is_marked, user());
        let note = note(raw.len(), text.len(), shown.len(), handle.as_deref());
        let shown = spotlight.map_or_else(|| shown.to_owned(), |spotlight| spotlight.mark(shown));
        let mut truncated = Object::default();
        let content =
            json!([{"type": "text", "text": shown}, {"type": "text", "text": note}]).to_string();
        truncated.set("content", content.as_str());
        if output.is_error() {
            truncated.set("isError", "true");
        }
        truncated.to_string()
    }

    /// Reads a piece of a stored result, for the user who received its beginning.
    pub(super) fn read(&self, arguments: Option<&RawJson>, user: Option<&Arc<str>>) -> ToolOutput {
        let request = arguments
            .and_then(|arguments| serde_json::from_str::<ReadRequest>(arguments.as_str()).ok());
        let Some(ReadRequest { result, offset, part }) = request else {
            return ToolOutput::failure(
                "pass {\"result\": \"…\", \"offset\": 0} as in the note of the truncated result",
            );
        };
        self.remove_expired();
        let stored = self.results.lock();
        let Some(found) = stored.peek(&result).filter(|found| found.user.as_ref() == user) else {
            return ToolOutput::failure("that result has expired; call its tool again");
        };
        let full = match part {
            Part::Text => found.text.as_str(),
            Part::Raw => found.output.raw().as_str(),
        };
        let from = floor(full, offset);
        let to = floor(full, from.saturating_add(MAX_PIECE));
        let next = if to < full.len() {
            format!("continue at offset {to}")
        } else {
            "end of the result".to_owned()
        };
        let next = format!("bytes {from} to {to} of {}; {next}", full.len());
        let spotlight = found.is_marked.then(Spotlight::random).flatten();
        let piece = &full[from..to];
        let piece = spotlight.map_or_else(|| piece.to_owned(), |spotlight| spotlight.mark(piece));
        let content =
            json!({"content": [{"type": "text", "text": piece}, {"type": "text", "text": next}]});
        ToolOutput::from_raw(RawJson::from_value(&content)).unwrap_or_else(ToolOutput::failure)
    }

    fn store(
        &self,
        output: &ToolOutput,
        text: &str,
        is_marked: bool,
        user: Option<Arc<str>>,
    ) -> Option<String> {
        let mut bytes = [0; 16];
        SystemRandom::new().fill(&mut bytes).ok()?;
        let handle = tagged(self.replica.as_deref(), &URL_SAFE_NO_PAD.encode(bytes));
        let entry = StoredResult {
            user,
            stored_at: Instant::now(),
            output: output.clone(),
            text: text.to_owned(),
            is_marked,
        };
        self.remove_expired();
        let evicted = self.results.lock().insert(handle.clone(), entry);
        drop(evicted);
        Some(handle)
    }

    /// Drops expired results.
    pub(super) fn remove_expired(&self) {
        let expired =
            self.results.lock().remove_if(|stored| stored.stored_at.elapsed() >= RETENTION);
        drop(expired);
    }
}

fn texts(output: &ToolOutput) -> String {
    let blocks = output.content();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    if texts.is_empty() {
        return output.structured_content().as_ref().map(Value::to_string).unwrap_or_default();
    }
    texts.join("\n")
}

fn note(raw: usize, text: usize, shown: usize, handle: Option<&str>) -> String {
    let truncated = format!(
        "[truncated: the result is {raw} bytes, its text {text}; the first {shown} bytes of the text are shown."
    );
    let Some(handle) = handle else { return format!("{truncated} Request less from the tool.]") };
    let handle = quoted(handle);
    format!(
        "{truncated} Continue with execute_tool {{\"name\":\"{READ_RESULT}\",\"arguments\":{{\"result\":{handle},\"offset\":{shown}}}}}; \
         \"part\":\"raw\" gives the whole result as JSON. Available for ten minutes.]"
    )
}

/// The last character boundary at or before this position.
fn floor(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

//! The media types that a client accepts.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// The media types that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accept {
    pub(super) json: bool,
    pub(super) events: bool,
    /// The header names `text/event-stream`, and not only a wildcard.
    pub(super) names_events: bool,
}

impl Accept {
    /// Reads the `Accept` header. A client that sends none accepts everything.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        if !headers.contains_key(ACCEPT) {
            return Self { json: true, events: true, names_events: false };
        }
        let values = headers.get_all(ACCEPT).iter().filter_map(|item| item.to_str().ok());
        let kinds = values
            .flat_map(|value| value.split(','))
            .map(|part| part.split(';').next().unwrap_or_default().trim());
        let mut accept = Self { json: false, events: false, names_events: false };
        for kind in kinds {
            let is_one_of = |media_types: &[&str]| {
                media_types.iter().any(|media_type| kind.eq_ignore_ascii_case(media_type))
            };
            accept.json |= is_one_of(&["application/json", "application/*", "*/*"]);
            accept.events |= is_one_of(&["text/event-stream", "text/*", "*/*"]);
            accept.names_events |= is_one_of(&["text/event-stream"]);
        }
        accept
    }

    pub(super) fn is_empty(self) -> bool {
        !self.json && !self.events
    }
}

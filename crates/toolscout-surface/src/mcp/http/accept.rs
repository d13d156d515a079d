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
    pub(super) fn of(headers: &HeaderMap) -> Self {
        if !headers.contains_key(ACCEPT) {
            return Self { json: true, events: true, names_events: false };
        }
        let values = headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok());
        let kinds = values
            .flat_map(|it| it.split(','))
            .map(|it| it.split(';').next().unwrap_or_default().trim());
        let mut accept = Self { json: false, events: false, names_events: false };
        for kind in kinds {
            let is = |words: &[&str]| words.iter().any(|it| kind.eq_ignore_ascii_case(it));
            accept.json |= is(&["application/json", "application/*", "*/*"]);
            accept.events |= is(&["text/event-stream", "text/*", "*/*"]);
            accept.names_events |= is(&["text/event-stream"]);
        }
        accept
    }

    pub(super) fn is_nothing(self) -> bool {
        !self.json && !self.events
    }
}

//! Writes server-sent events. The parser for the events of servers is in
//! `toolscout-mcp-client`.

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use std::time::Duration;

/// Media type of an event stream.
pub(crate) const MEDIA_TYPE: &str = "text/event-stream";
/// The interval of comments on an idle stream, so that proxies do not close it.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment: keeps the stream open, and is ignored by clients.
pub(crate) fn comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}

/// Appends an event. Data of several lines stays one event.
pub(crate) fn push_event(stream: &mut String, name: &str, data: &str) {
    stream.push_str("event: ");
    stream.push_str(name);
    for line in data.lines() {
        stream.push_str("\ndata: ");
        stream.push_str(line);
    }
    stream.push_str("\n\n");
}

/// A response that streams these events.
pub(crate) fn response(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

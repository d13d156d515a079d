//! Limits of the HTTP listener: sizes, counts and times.

use std::time::Duration;

/// Limits of the HTTP listener.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Concurrent connections. Beyond that, the oldest one without an authenticated request makes
    /// room; if there is none, new ones wait until one is closed.
    pub connections: usize,
    /// Bytes of one body.
    pub body: usize,
    /// Bytes of all bodies in memory at once; half of them for one principal.
    pub bodies: usize,
    /// Bytes of the headers of one request.
    pub headers: usize,
    /// The time from the connection to the end of the headers of its first request.
    pub first_head_time: Duration,
    /// The time for the headers of the next request; an idle connection is closed after it as well.
    pub head_time: Duration,
    /// The time for a whole body.
    pub body_time: Duration,
    /// A connection is closed if its client reads nothing for this long.
    pub stall_time: Duration,
    /// Concurrent requests.
    pub requests: usize,
    /// Concurrent requests of one principal; one client of it gets half of them at most.
    pub requests_each: usize,
    /// Concurrent event streams.
    pub streams: usize,
    /// Concurrent event streams of one principal; one client of it gets half of them at most.
    pub streams_each: usize,
    /// MCP sessions, which only clients of the protocol revisions with `initialize` have.
    pub sessions: usize,
    /// Sessions of one principal.
    pub sessions_each: usize,
    /// An unused session ends after this time.
    pub session_time: Duration,
    /// The time that running requests have to finish when the listener stops.
    pub drain_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4_096,
            body: 8 << 20,
            bodies: 128 << 20,
            headers: 32 << 10,
            first_head_time: Duration::from_secs(10),
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            stall_time: Duration::from_secs(60),
            requests: 2_048,
            requests_each: 512,
            streams: 2_048,
            streams_each: 512,
            sessions: 10_000,
            sessions_each: 1_000,
            session_time: Duration::from_secs(30 * 60),
            drain_time: Duration::from_secs(10),
        }
    }
}

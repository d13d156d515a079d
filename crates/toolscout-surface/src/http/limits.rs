//! Limits of the HTTP listener: sizes, counts and times.

use std::time::Duration;

/// Limits of the HTTP listener: sizes, counts and times.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at once; further ones wait until one is closed.
    pub connections: usize,
    /// Bytes of one body.
    pub body: usize,
    /// Bytes of all bodies that are held at once.
    pub bodies: usize,
    /// Bytes of the headers of one request.
    pub headers: usize,
    /// The time for the headers of the next request; an idle connection is closed after it as well.
    pub head_time: Duration,
    /// The time for a whole body.
    pub body_time: Duration,
    /// A connection whose client reads nothing for so long is closed.
    pub stall_time: Duration,
    /// Requests under way at once.
    pub requests: usize,
    /// Requests of one principal under way at once.
    pub requests_each: usize,
    /// Streams of events open at once.
    pub streams: usize,
    /// Streams of events of one principal open at once.
    pub streams_each: usize,
    /// Sessions of the old era.
    pub sessions: usize,
    /// Sessions of one principal.
    pub sessions_each: usize,
    /// An unused session ends after so long.
    pub session_time: Duration,
    /// The time that running requests have to finish when the listener stops.
    pub drain_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4_096,
            body: 8 << 20,
            bodies: 256 << 20,
            headers: 32 << 10,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            stall_time: Duration::from_secs(60),
            requests: 2_048,
            requests_each: 256,
            streams: 2_048,
            streams_each: 256,
            sessions: 10_000,
            sessions_each: 1_000,
            session_time: Duration::from_secs(30 * 60),
            drain_time: Duration::from_secs(10),
        }
    }
}

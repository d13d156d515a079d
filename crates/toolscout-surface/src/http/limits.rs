//! How much is taken over HTTP, and how long it may take.

use std::time::Duration;

/// How much is taken over HTTP, and how long it may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at once; who comes later waits until one is done.
    pub connections: usize,
    /// Bytes of one body.
    pub body: usize,
    /// Bytes of all bodies that are held at once.
    pub bodies: usize,
    /// Bytes of the headers of one request.
    pub headers: usize,
    /// Until the headers of the next request are there; an idle connection is closed after it, too.
    pub head_time: Duration,
    /// Until a body is there.
    pub body_time: Duration,
    /// A client that has read nothing for so long is gone.
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
    /// A session that was not used for so long has ended.
    pub session_time: Duration,
    /// What is under way when the listener is told to stop has so long to end.
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

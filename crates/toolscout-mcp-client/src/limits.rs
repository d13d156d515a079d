//! The limits for the amount of data a server may send, and for the time it may take.

use std::time::Duration;

/// The limits for one server; docs/reference/limits.md documents the defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Bytes of one decoded message.
    pub message: usize,
    /// The nesting depth of one message.
    pub depth: usize,
    /// Values in one message; keys do not count.
    pub nodes: usize,
    /// The last bytes of stderr that are kept.
    pub stderr: usize,
    /// Bytes of one tool's definition.
    pub definition: usize,
    /// Bytes of one schema within it.
    pub schema: usize,
    /// Values in one schema.
    pub schema_nodes: usize,
    /// Tools of one server.
    pub tools: usize,
    /// Pages of one listing.
    pub pages: usize,
    /// Bytes of all pages of one listing together.
    pub listing: usize,
    /// Bytes of a cursor.
    pub cursor: usize,
    /// Content items of a result.
    pub content_items: usize,
    /// Concurrent pending calls. One principal gets half of them at most, and one client of it a
    /// quarter; see [`toolscout_core::FairShares`].
    pub pending: usize,
    /// Calls that wait for a place among the pending ones, divided in the same way.
    pub queued: usize,
    /// Notifications that are processed: per second, and the burst size; more are dropped and
    /// counted.
    pub notifications: (u32, u32),
    /// Reverse requests that are answered: per second, and the burst size; more are dropped and
    /// counted.
    pub requests: (u32, u32),
    /// How long a server may take to reveal its era before it is treated as a legacy server.
    pub probe: Duration,
    /// The time limit of a handshake and the first listing together.
    pub discovery: Duration,
    /// Like `discovery`, if a package runner may have to install the server first.
    pub installing: Duration,
    /// The time limit of a listing with all its pages.
    pub list: Duration,
    /// The minimum time from the end of a listing to the next one that the server causes.
    pub listing_interval: Duration,
    /// The time limit of a call, unless its caller has a shorter one.
    pub call: Duration,
    /// The longest time limit of a call, regardless of the progress it reports.
    pub call_at_most: Duration,
    /// The time from the request to exit until a process is killed.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 8 << 20,
            depth: 64,
            nodes: 250_000,
            stderr: 64 << 10,
            definition: 256 << 10,
            schema: 64 << 10,
            schema_nodes: 5_000,
            tools: 10_000,
            pages: 100,
            listing: 32 << 20,
            cursor: 8 << 10,
            content_items: 2_000,
            pending: 256,
            queued: 512,
            notifications: (100, 1_000),
            requests: (10, 50),
            probe: Duration::from_secs(2),
            discovery: Duration::from_secs(30),
            installing: Duration::from_secs(120),
            list: Duration::from_secs(15),
            listing_interval: Duration::from_secs(5),
            call: Duration::from_secs(60),
            call_at_most: Duration::from_secs(600),
            grace: Duration::from_secs(2),
        }
    }
}

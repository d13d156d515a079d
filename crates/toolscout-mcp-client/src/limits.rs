//! How much of anything a server may send, and how long it may take.

use std::time::Duration;

/// The limits for one server; the defaults are those of docs/limits.md.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Bytes of one message, decoded.
    pub message: usize,
    /// How deep one message may nest.
    pub depth: usize,
    /// Values in one message, keys not counted.
    pub nodes: usize,
    /// Bytes of standard error that are kept, the last ones.
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
    /// Calls waiting for an answer at once.
    pub pending: usize,
    /// Notifications a second that are looked at, and how many at once; more are dropped and counted.
    pub notifications: (u32, u32),
    /// Requests of the server a second that are answered, and how many at once; more are dropped and counted.
    pub requests: (u32, u32),
    /// How long a server may take to say which era it is of before it is taken for a legacy one.
    pub probe: Duration,
    /// How long a handshake and a first listing may take together.
    pub discovery: Duration,
    /// As `discovery`, where a package runner may have to install the server first.
    pub installing: Duration,
    /// How long a listing may take, all its pages.
    pub list: Duration,
    /// From the end of a list to the next one that the server itself makes necessary.
    pub apart: Duration,
    /// How long a call may take, unless its caller is in more of a hurry.
    pub call: Duration,
    /// How long a call may take at most, whatever progress it reports.
    pub call_at_most: Duration,
    /// From asking a process to end until it is killed.
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
            pending: 64,
            notifications: (100, 1_000),
            requests: (10, 50),
            probe: Duration::from_secs(2),
            discovery: Duration::from_secs(30),
            installing: Duration::from_secs(120),
            list: Duration::from_secs(15),
            apart: Duration::from_secs(5),
            call: Duration::from_secs(60),
            call_at_most: Duration::from_secs(600),
            grace: Duration::from_secs(2),
        }
    }
}

//! Counts of messages that were ignored.

/// How many messages of a server were ignored, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeerCounts {
    /// Lines that were no message.
    pub noise: u64,
    /// Messages that could not be read and failed the requests they were about.
    pub unreadable: u64,
    /// Responses to unknown or abandoned requests.
    pub unknown: u64,
    /// Notifications beyond the rate limit.
    pub dropped: u64,
    /// Requests of the server to us.
    pub requests: u64,
    /// Those of them without a response: beyond the rate limit, or in an era without such requests.
    pub unanswered: u64,
    /// Messages of ours for which the queue had no room.
    pub unsent: u64,
}

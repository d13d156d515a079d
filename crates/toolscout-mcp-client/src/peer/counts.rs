//! Counts of ignored messages.

/// The number of ignored messages of a server, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeerCounts {
    /// Lines that were not messages.
    pub noise: u64,
    /// Messages that could not be parsed and failed the requests they belonged to.
    pub unreadable: u64,
    /// Responses to unknown or abandoned requests.
    pub unknown: u64,
    /// Notifications beyond the rate limit.
    pub dropped: u64,
    /// Reverse requests.
    pub requests: u64,
    /// Reverse requests without a response: beyond the rate limit, or in an era without reverse
    /// requests.
    pub unanswered: u64,
    /// Messages to the server that did not fit into the queue.
    pub unsent: u64,
}

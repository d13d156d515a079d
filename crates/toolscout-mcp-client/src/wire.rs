//! The transport of messages to a server and back.

use super::ClientError;
use super::era::ProtocolEra;
use std::time::{Duration, Instant};
use toolscout_core::BoxFuture;

/// Carries messages to a server. Messages of the server go to a [`WireObserver`].
pub(crate) trait Wire: Send + Sync + 'static {
    /// Sends one message; completes when it has been accepted, not when it is answered. Never waits
    /// past the message's deadline. Dropping the future early may leave the message unsent, but
    /// never partially sent.
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>>;

    /// Reports that the response to this request is no longer awaited, so that it may be discarded.
    fn forget(&self, id: u64) {
        let _ = id;
    }

    /// Sets the agreed era after the handshake. HTTP headers depend on it.
    fn set_era(&self, era: &ProtocolEra) {
        let _ = era;
    }

    /// Closes the connection and ends the process behind it, within five seconds; later calls do
    /// nothing.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// The end of the server's stderr, not escaped.
    fn tail(&self) -> String {
        String::new()
    }

    /// The process id, if there is one.
    fn process(&self) -> Option<u32> {
        None
    }

    /// Whether the server is a program that runs in a sandbox.
    fn is_confined(&self) -> bool {
        false
    }
}

/// An outgoing message.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    /// The complete JSON-RPC message, on one line, without a line feed.
    pub(crate) body: String,
    /// The id, if this is a request of the client.
    pub(crate) id: Option<u64>,
    /// The method; `None` for a response.
    pub(crate) method: Option<String>,
    /// The subject of the request, for `Mcp-Name`: the name of the tool or the URI of the resource.
    pub(crate) name: Option<String>,
    /// Arguments that the tool's schema requires to be mirrored as `Mcp-Param-…`: name without that
    /// prefix, and value.
    pub(crate) mirrored: Vec<(String, String)>,
    pub(crate) deadline: Instant,
    /// How much longer the response may take, if the server may send reverse requests first.
    pub(crate) extra_time: Duration,
}

/// Receives the messages of a wire. None of its methods waits or blocks for long.
pub(crate) trait WireObserver: Send + Sync + 'static {
    /// One complete message, as received; it may have any content.
    fn message(&self, bytes: &[u8]);

    /// The same, if the wire knows the request that the message belongs to.
    fn message_for(&self, request: u64, bytes: &[u8]) {
        let _ = request;
        self.message(bytes);
    }

    /// The server has closed the stream of this request before its response. The wire requests
    /// the rest after this time.
    fn stream_closed(&self, id: u64, retry: Duration) {
        let _ = (id, retry);
    }

    /// This request failed; the others are still pending.
    fn failed(&self, id: u64, error: ClientError);

    /// The connection is lost, and all pending requests fail.
    fn lost(&self, error: ClientError);
}

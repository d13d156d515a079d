//! The transport of messages to a server and back.

use super::ClientError;
use super::era::ProtocolEra;
use std::time::{Duration, Instant};
use toolscout_core::BoxFuture;

/// Carries messages to a server. Messages of the server go to a [`WireObserver`].
pub(crate) trait Wire: Send + Sync + 'static {
    /// Sends one message; done when it has been taken, not when it is answered. Never waits past the message's deadline.
    /// Dropping the future before it is done may leave the message unsent, never half sent.
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>>;

    /// Nobody waits for the answer to this request any more: what still arrives for it may be thrown away.
    fn forget(&self, id: u64) {
        let _ = id;
    }

    /// Says which era was agreed on, once the handshake is done. HTTP sends other headers in each.
    fn agreed(&self, era: &ProtocolEra) {
        let _ = era;
    }

    /// Ends the connection and whatever stands behind it, within five seconds; later calls do nothing.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// The end of the server's stderr, not escaped.
    fn tail(&self) -> String {
        String::new()
    }

    /// The process id, if there is one.
    fn process(&self) -> Option<u32> {
        None
    }
}

/// One message on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    /// The whole JSON-RPC message, on one line, without a line feed.
    pub(crate) body: String,
    /// The id, if this is a request of ours.
    pub(crate) id: Option<u64>,
    /// The method; none for an answer.
    pub(crate) method: Option<String>,
    /// The subject of the request, for `Mcp-Name`: the tool's name or the resource's address.
    pub(crate) name: Option<String>,
    /// Arguments that the tool's schema wants mirrored as `Mcp-Param-…`: name without that prefix, and value.
    pub(crate) mirrored: Vec<(String, String)>,
    /// The deadline.
    pub(crate) deadline: Instant,
    /// How much longer the response may take, if the server may send reverse requests first.
    pub(crate) longer: Duration,
}

/// Hears what arrives on a wire. None of its methods waits or blocks for long.
pub(crate) trait WireObserver: Send + Sync + 'static {
    /// One whole message, as it came; may be anything at all.
    fn message(&self, bytes: &[u8]);

    /// The same, if the wire knows to which request of ours it belongs.
    fn message_for(&self, request: u64, bytes: &[u8]) {
        let _ = request;
        self.message(bytes);
    }

    /// This request cannot be answered any more; the others can.
    fn failed(&self, id: u64, error: ClientError);

    /// The connection is gone, and with it all answers that were waited for.
    fn lost(&self, error: ClientError);
}

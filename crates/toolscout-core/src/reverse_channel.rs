//! The client that made a request and can answer reverse requests.

use crate::jsonrpc::RpcError;
use crate::{BoxFuture, RawJson};
use std::time::Duration;

/// The client that made a request, if it accepts reverse requests while the request runs: a form to
/// fill in, a text from a model, the folders of a project.
///
/// Messages are those of the MCP protocol and pass unchanged, so intermediaries need not understand
/// them.
pub trait ReverseChannel: Send + Sync {
    /// The `capabilities` object that the client sent.
    fn capabilities(&self) -> RawJson;

    /// Sends a reverse request to the client, such as `elicitation/create`,
    /// `sampling/createMessage` or `roots/list`.
    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>>;

    /// Sends a notification that belongs to the request, such as `notifications/message`. Never
    /// blocks; notifications keep their order.
    fn notify(&self, method: &str, params: RawJson);

    /// Whether the client supports reverse requests, and can receive them only while its own
    /// request runs: a client of the legacy era with such a capability. Some servers of both eras
    /// can send it requests only over a legacy connection.
    fn expects_requests_during_call(&self) -> bool {
        false
    }

    /// The server has closed the stream of the request, and will continue it when the stream is
    /// requested again after this time. The stream to a client that polls may be closed as well.
    fn stream_closed(&self, retry: Duration) {
        let _ = retry;
    }
}

//! The client that made a request and can answer reverse requests.

use crate::jsonrpc::RpcError;
use crate::{BoxFuture, RawJson};

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
    fn tell(&self, method: &str, params: RawJson);
}

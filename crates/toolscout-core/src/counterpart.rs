//! Who is on the other end of a request, and can be asked something back.

use crate::jsonrpc::RpcError;
use crate::{BoxFuture, RawJson};

/// Whoever made a request, where something can be wanted of them in the middle of it: a form to be filled in, a text by
/// a model, the folders of a project.
///
/// What goes back and forth is of the MCP protocol and passes as it came; whoever stands between need not understand it.
pub trait Counterpart: Send + Sync {
    /// What they can do: the `capabilities` object they sent.
    fn capabilities(&self) -> RawJson;

    /// Puts a request to them, such as `elicitation/create`, `sampling/createMessage` or `roots/list`.
    fn ask<'a>(&'a self, method: &'a str, params: RawJson) -> BoxFuture<'a, Result<RawJson, RpcError>>;

    /// Tells them something that belongs to the request, such as `notifications/message`. Never waits; in order.
    fn tell(&self, method: &str, params: RawJson);
}

//! Batches: several messages in one array, which only one protocol revision has.

use super::message::{Incoming, Unreadable};
use super::server::Reply;
use futures_util::future::join_all;
use toolscout_core::jsonrpc::RpcError;

/// Has each message of a batch handled. The reply is an array of responses in the order of the
/// requests; none if there is no response. Cancel-safe if `handle` is.
pub(super) async fn respond<F: Future<Output = Option<Reply>>>(
    batch: Vec<Result<Incoming, Unreadable>>,
    handle: impl Fn(Incoming) -> F,
) -> Option<Reply> {
    let replies = batch.into_iter().map(async |message| match message {
        Ok(Incoming::Request(request)) if request.method == "initialize" => {
            let message = "`initialize` cannot be part of a batch";
            let error = RpcError::new(RpcError::REQUEST, message);
            Some(Reply::error(Some(&request.id), &error))
        }
        Ok(incoming) => handle(incoming).await,
        Err(unreadable) => Some(Reply::error(unreadable.id.as_ref(), &unreadable.error)),
    });
    let replies = join_all(replies).await;
    let texts: Vec<_> = replies.into_iter().flatten().map(|reply| reply.text).collect();
    (!texts.is_empty()).then(|| Reply { text: format!("[{}]", texts.join(",")), code: None })
}

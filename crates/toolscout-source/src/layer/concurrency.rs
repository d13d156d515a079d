//! Limits the number of concurrent calls of a source.

use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;
use toolscout_core::{
    Authorized, BoxFuture, Cx, Layer, Source, SourceError, SourceWrapper, ToolCall, ToolOutput,
};

/// At most this many concurrent calls, at least one; further calls wait in a queue until their
/// deadline. Each source has its own queue.
#[derive(Debug, Clone, Copy)]
pub struct Concurrency(pub usize);

impl Layer for Concurrency {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        let permits = self.0.clamp(1, Semaphore::MAX_PERMITS);
        Arc::new(Limited { permits: Semaphore::new(permits), inner })
    }
}

struct Limited {
    permits: Semaphore,
    inner: Arc<dyn Source>,
}

impl SourceWrapper for Limited {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    /// Cancel-safe: a dropped call releases its permit or leaves the queue.
    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let limit = cx.remaining().unwrap_or_default();
            let permit = self.permits.acquire();
            let permit = match cx.deadline {
                None => permit.await,
                Some(deadline) => timeout_at(deadline.into(), permit).await.map_err(|_| {
                    SourceError::TimedOut {
                        id: self.id().clone(),
                        what: format!("waiting to call `{}`", call.get().tool.name),
                        limit,
                    }
                })?,
            };
            let _permit = permit.expect("the semaphore is never closed");
            self.inner.call(call, cx).await
        })
    }
}

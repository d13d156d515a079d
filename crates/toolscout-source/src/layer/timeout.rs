//! Limits the time that a source may take.

use futures_util::{StreamExt, stream};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, Layer, Source, SourceError, SourceWrapper,
    Tool, ToolCall, ToolName, ToolOutput,
};

/// Limits the time of each listing, loading and call; the time that the client takes for reverse
/// requests is added. Tools that a listing found in time are kept.
#[derive(Debug, Clone, Copy)]
pub struct Timeout(pub Duration);

impl Layer for Timeout {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Bounded { limit: self.0, inner })
    }
}

struct Bounded {
    limit: Duration,
    inner: Arc<dyn Source>,
}

impl SourceWrapper for Bounded {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let deadline = Instant::now() + self.limit;
        let inner = self.inner.discover(cx.within(self.limit));
        Box::pin(stream::unfold(Some(inner), move |inner| async move {
            let mut inner = inner?;
            match timeout_at(deadline, inner.next()).await {
                Ok(found) => Some((found?, Some(inner))),
                Err(_) => Some((Err(self.timed_out("listing".to_owned())), None)),
            }
        }))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let step = format!("loading `{name}`");
        Box::pin(self.bound(step, Duration::ZERO, self.inner.load(name, cx.within(self.limit))))
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let step = format!("`{}`", call.get().tool.name);
        let allowance = cx.reverse_request_allowance();
        Box::pin(self.bound(step, allowance, self.inner.call(call, cx.within(self.limit))))
    }
}

impl Bounded {
    async fn bound<T>(
        &self,
        step: String,
        allowance: Duration,
        work: impl Future<Output = Result<T, SourceError>>,
    ) -> Result<T, SourceError> {
        timeout(self.limit + allowance, work).await.unwrap_or_else(|_| Err(self.timed_out(step)))
    }

    fn timed_out(&self, step: String) -> SourceError {
        SourceError::TimedOut { id: self.id().clone(), what: step, limit: self.limit }
    }
}

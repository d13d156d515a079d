//! Asks again where asking twice does no harm.

use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, ErrorKind, Found, Layer, Origin, Problem, RawJson, Source, SourceError,
    SourceId, Tool, ToolCall, ToolName, ToolOutput,
};

/// Asks again when a source was out of reach or too slow, each time after twice the wait.
///
/// Listing and loading only read, so they are always asked again; a call only where the tool says that it reads only
/// (`readOnlyHint`) or that twice is as good as once (`idempotentHint`). A wait that would outlast the request is not begun.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    /// How often to ask at most, the first time included.
    pub attempts: u32,
    /// How long to wait before the second time.
    pub delay: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, delay: Duration::from_millis(100) }
    }
}

impl Layer for Retry {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Retried { retry: *self, inner })
    }
}

struct Retried {
    retry: Retry,
    inner: Arc<dyn Source>,
}

impl Source for Retried {
    fn id(&self) -> &SourceId {
        self.inner.id()
    }

    fn origin(&self) -> Origin {
        self.inner.origin()
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<Found, SourceError>> {
        let listing = Listing { found: self.inner.discover(cx.clone()), said: Vec::new(), attempt: 1 };
        Box::pin(stream::unfold(Some(listing), move |listing| {
            let cx = cx.clone();
            async move { listing?.next(self, &cx).await }
        }))
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.inner.load(name, cx.clone()).await {
                    Err(error) if self.may_wait(&error, &mut attempt, &cx).await => {}
                    other => return other,
                }
            }
        })
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.inner.call(call.clone(), cx.clone()).await {
                    Err(error) if is_passing(&error) && attempt < self.retry.attempts => {
                        let harmless = self.is_harmless(&call.get().tool.name, &cx).await;
                        if !harmless || !self.may_wait(&error, &mut attempt, &cx).await {
                            return Err(error);
                        }
                    }
                    other => return other,
                }
            }
        })
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        self.inner.changes()
    }
}

impl Retried {
    /// Waits, where there is a point in it, and counts; says whether to ask again.
    async fn may_wait(&self, error: &SourceError, attempt: &mut u32, cx: &Cx) -> bool {
        let wait = self.retry.delay.saturating_mul(2_u32.saturating_pow(*attempt - 1));
        let in_time = cx.remaining().is_none_or(|left| left > wait);
        if !is_passing(error) || *attempt >= self.retry.attempts || !in_time {
            return false;
        }
        *attempt += 1;
        tokio::time::sleep(wait).await;
        true
    }

    async fn is_harmless(&self, name: &ToolName, cx: &Cx) -> bool {
        let tool = self.inner.load(name, cx.clone()).await.ok().flatten();
        let hints = tool.and_then(|it| it.annotations).map_or(Value::Null, |it: RawJson| it.to_value());
        ["readOnlyHint", "idempotentHint"].iter().any(|hint| hints[*hint] == true)
    }
}

fn is_passing(error: &SourceError) -> bool {
    matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::TimedOut)
}

/// A listing that may begin anew. Tools that come again replace themselves; problems are said once.
struct Listing<'a> {
    found: BoxStream<'a, Result<Found, SourceError>>,
    said: Vec<Problem>,
    attempt: u32,
}

impl<'a> Listing<'a> {
    async fn next(mut self, source: &'a Retried, cx: &Cx) -> Option<(Result<Found, SourceError>, Option<Self>)> {
        loop {
            match self.found.next().await? {
                Err(error) if source.may_wait(&error, &mut self.attempt, cx).await => {
                    self.found = source.inner.discover(cx.clone());
                }
                Err(error) => return Some((Err(error), None)),
                Ok(Found::Problem(problem)) if self.said.contains(&problem) => {}
                Ok(found) => {
                    if let Found::Problem(problem) = &found {
                        self.said.push(problem.clone());
                    }
                    return Some((Ok(found), Some(self)));
                }
            }
        }
    }
}

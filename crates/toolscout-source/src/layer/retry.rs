//! Asks again where asking twice does no harm.

use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, DiscoveryItem, ErrorKind, Layer, RawJson, Source, SourceError,
    SourceId, Through, Tool, ToolCall, ToolName, ToolOutput, escape, redact,
};

/// Asks again when a source was out of reach, busy or too slow, each time after twice the wait.
///
/// Listing and loading only read, so they are always asked again; a call only where the tool says that it reads only
/// (`readOnlyHint`) or that twice is as good as once (`idempotentHint`). A source that asks to be left alone is left
/// alone, for as long as it says or for seconds where it does not say; one that says more than a minute, or wants a
/// login, is not asked again. A wait that would outlast the request is not begun. Each is said in the log, as `retry`.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    /// How often to ask at most, the first time included.
    pub attempts: u32,
    /// How long to wait before the second time.
    pub delay: Duration,
    /// How much of a fifth is added to a wait, from 0 to 1: chance, so that many who failed together do not come back
    /// together.
    pub jitter: fn() -> f64,
}

impl Retry {
    /// How long to wait before the second time where a source is busy and does not say for how long.
    const BUSY: Duration = Duration::from_secs(5);
    /// No single wait is longer.
    const LONGEST: Duration = Duration::from_secs(60);

    /// How long to wait after this attempt; `None` where asking again would not help.
    fn wait(&self, error: &SourceError, attempt: u32) -> Option<Duration> {
        if !is_passing(error) || attempt >= self.attempts {
            return None;
        }
        let grown = |first: Duration| first.saturating_mul(2_u32.saturating_pow(attempt - 1));
        let wait = match error {
            SourceError::Busy { after: Some(after), .. } if *after > Self::LONGEST => return None,
            SourceError::Busy { after: Some(after), .. } => grown(self.delay).max(*after),
            SourceError::Busy { .. } => grown(self.delay.max(Self::BUSY)),
            _ => grown(self.delay),
        };
        let share = Some((self.jitter)()).filter(|it| !it.is_nan()).unwrap_or_default().clamp(0.0, 1.0);
        let added = wait.min(Self::LONGEST).mul_f64(share / 5.0);
        Some(wait.saturating_add(added).min(Self::LONGEST))
    }

    /// Waits, where there is a point in it and the time for it is left, and counts; says whether to ask again.
    pub async fn may_wait(
        &self,
        id: &SourceId,
        error: &SourceError,
        attempt: &mut u32,
        left: Option<Duration>,
    ) -> bool {
        let Some(wait) = self.wait(error, *attempt) else { return false };
        if left.is_some_and(|left| left <= wait) {
            return false;
        }
        *attempt += 1;
        let reason = || escape::line(&redact::text(&error.to_string())).into_owned();
        tracing::info!(event = "retry", server = %id, attempt = *attempt, delay_ms = wait.as_millis() as u64, reason = %reason());
        tokio::time::sleep(wait).await;
        true
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, delay: Duration::from_millis(100), jitter: chance }
    }
}

/// Anything from 0 to 1. Every state made for hashing begins with another key; no more randomness is needed here.
fn chance() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
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

impl Through for Retried {
    fn behind(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let listing = RetriedListing { found: self.inner.discover(cx.clone()), said: Vec::new(), attempt: 1 };
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
}

impl Retried {
    async fn may_wait(&self, error: &SourceError, attempt: &mut u32, cx: &Cx) -> bool {
        self.retry.may_wait(self.id(), error, attempt, cx.remaining()).await
    }

    async fn is_harmless(&self, name: &ToolName, cx: &Cx) -> bool {
        let tool = self.inner.load(name, cx.clone()).await.ok().flatten();
        let hints = tool.and_then(|it| it.annotations).map_or(Value::Null, |it: RawJson| it.to_value());
        ["readOnlyHint", "idempotentHint"].iter().any(|hint| hints[*hint] == true)
    }
}

fn is_passing(error: &SourceError) -> bool {
    let is_login = matches!(error, SourceError::Login { .. });
    !is_login && matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::TimedOut)
}

/// A listing that may begin anew. Tools that come again replace themselves; problems are said once.
struct RetriedListing<'a> {
    found: BoxStream<'a, Result<DiscoveryItem, SourceError>>,
    said: Vec<Diagnostic>,
    attempt: u32,
}

impl<'a> RetriedListing<'a> {
    async fn next(
        mut self,
        source: &'a Retried,
        cx: &Cx,
    ) -> Option<(Result<DiscoveryItem, SourceError>, Option<Self>)> {
        loop {
            match self.found.next().await? {
                Err(error) if source.may_wait(&error, &mut self.attempt, cx).await => {
                    self.found = source.inner.discover(cx.clone());
                }
                Err(error) => return Some((Err(error), None)),
                Ok(DiscoveryItem::Diagnostic(problem)) if self.said.contains(&problem) => {}
                Ok(found) => {
                    if let DiscoveryItem::Diagnostic(problem) = &found {
                        self.said.push(problem.clone());
                    }
                    return Some((Ok(found), Some(self)));
                }
            }
        }
    }
}

//! Repeats requests that can be repeated without harm.

use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, DiscoveryItem, ErrorKind, Layer, RawJson,
    Source, SourceError, SourceId, SourceWrapper, Tool, ToolCall, ToolName, ToolOutput, escape,
    redact,
};

/// Retries if a source was unreachable, busy or too slow, with exponential backoff.
///
/// Listing and loading only read, so they are always retried; a call is retried only if the tool is
/// marked as read-only (`readOnlyHint`) or idempotent (`idempotentHint`). A busy source gets no
/// request for as long as it demands, or for some seconds if it states no time; a source that
/// demands more than a minute, or a login, is not retried. A wait that would exceed the deadline of
/// the request is not started. Each retry is logged as event `retry`.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    /// Maximum number of attempts, including the first.
    pub attempts: u32,
    /// The wait before the second attempt.
    pub delay: Duration,
    /// Random number from 0 to 1: the part of a fifth of the wait that is added to it, so that
    /// clients that failed together do not retry together.
    pub jitter: fn() -> f64,
}

impl Retry {
    /// The wait before the second attempt if a source is busy and does not state for how long.
    const BUSY_WAIT: Duration = Duration::from_secs(5);
    /// Maximum length of a wait.
    const MAX_WAIT: Duration = Duration::from_secs(60);

    /// The wait after this attempt; `None` if a retry would not help.
    fn wait(&self, error: &SourceError, attempt: u32) -> Option<Duration> {
        if !is_transient(error) || attempt >= self.attempts {
            return None;
        }
        let backoff = |first: Duration| first.saturating_mul(2_u32.saturating_pow(attempt - 1));
        let wait = match error {
            SourceError::Busy { after: Some(after), .. } if *after > Self::MAX_WAIT => return None,
            SourceError::Busy { after: Some(after), .. } => backoff(self.delay).max(*after),
            SourceError::Busy { .. } => backoff(self.delay.max(Self::BUSY_WAIT)),
            _ => backoff(self.delay),
        };
        let share = Some((self.jitter)())
            .filter(|value| !value.is_nan())
            .unwrap_or_default()
            .clamp(0.0, 1.0);
        let jitter_part = wait.min(Self::MAX_WAIT).mul_f64(share / 5.0);
        Some(wait.saturating_add(jitter_part).min(Self::MAX_WAIT))
    }

    /// Waits, if a retry may help and there is enough time left, and counts the attempt; returns
    /// whether to retry.
    pub async fn wait_for_retry(
        &self,
        id: &SourceId,
        error: &SourceError,
        attempt: &mut u32,
        remaining: Option<Duration>,
    ) -> bool {
        let Some(wait) = self.wait(error, *attempt) else { return false };
        if remaining.is_some_and(|remaining| remaining <= wait) {
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
        Self { attempts: 3, delay: Duration::from_millis(100), jitter: random_fraction }
    }
}

/// A random number from 0 to 1. Every `RandomState` has another key, which is random enough here.
fn random_fraction() -> f64 {
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

impl SourceWrapper for Retried {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let listing = RetriedListing {
            found: self.inner.discover(cx.clone()),
            reported: Vec::new(),
            attempt: 1,
        };
        Box::pin(stream::unfold(Some(listing), move |listing| {
            let cx = cx.clone();
            async move { listing?.next(self, &cx).await }
        }))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.inner.load(name, cx.clone()).await {
                    Err(error) if self.wait_for_retry(&error, &mut attempt, &cx).await => {}
                    other => return other,
                }
            }
        })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.inner.call(call.clone(), cx.clone()).await {
                    Err(error) if is_transient(&error) && attempt < self.retry.attempts => {
                        let is_safe = self.is_safe_to_repeat(&call.get().tool.name, &cx).await;
                        if !is_safe || !self.wait_for_retry(&error, &mut attempt, &cx).await {
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
    async fn wait_for_retry(&self, error: &SourceError, attempt: &mut u32, cx: &Cx) -> bool {
        self.retry.wait_for_retry(self.id(), error, attempt, cx.remaining()).await
    }

    async fn is_safe_to_repeat(&self, name: &ToolName, cx: &Cx) -> bool {
        let tool = self.inner.load(name, cx.clone()).await.ok().flatten();
        let hints = tool
            .and_then(|tool| tool.annotations)
            .map_or(Value::Null, |value: RawJson| value.to_value());
        ["readOnlyHint", "idempotentHint"].iter().any(|hint| hints[*hint] == true)
    }
}

fn is_transient(error: &SourceError) -> bool {
    let is_login = matches!(error, SourceError::Login { .. });
    !is_login && matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::TimedOut)
}

/// A listing that may start over. Repeated tools replace themselves; each diagnostic is reported
/// once.
struct RetriedListing<'a> {
    found: BoxStream<'a, Result<DiscoveryItem, SourceError>>,
    reported: Vec<Diagnostic>,
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
                Err(error) if source.wait_for_retry(&error, &mut self.attempt, cx).await => {
                    self.found = source.inner.discover(cx.clone());
                }
                Err(error) => return Some((Err(error), None)),
                Ok(DiscoveryItem::Diagnostic(diagnostic))
                    if self.reported.contains(&diagnostic) => {}
                Ok(found) => {
                    if let DiscoveryItem::Diagnostic(diagnostic) = &found {
                        self.reported.push(diagnostic.clone());
                    }
                    return Some((Ok(found), Some(self)));
                }
            }
        }
    }
}

//! The guarantees of each layer, one file each. A test wraps a [`Fake`] source, sends requests, and
//! reads its log.

mod chain;
mod concurrency;
mod filter;
mod library;
mod prefix;
mod retry;
mod timeout;

use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::watch;
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Caller, Cx, Diagnostic, DiagnosticKind, DiscoveryItem, Layer,
    RawJson, ReviewMode, Source, SourceError, SourceId, SourceKind, Tool, ToolCall, ToolId,
    ToolName, ToolOutput,
};

/// A source with scripted behaviour that logs its requests.
struct Fake {
    id: SourceId,
    tools: Vec<Tool>,
    review: ReviewMode,
    /// Emitted once in every listing, before the tools.
    problem: Option<Diagnostic>,
    /// The duration of each response: of every step of a listing, a loading, a call.
    pace: Duration,
    /// The next failures, and the kind of request that fails: `list`, `load`, `call`.
    failures: Mutex<VecDeque<(&'static str, Failure)>>,
    log: Mutex<Vec<String>>,
    busy: AtomicUsize,
    busiest: AtomicUsize,
    changed: watch::Sender<()>,
}

#[derive(Debug, Clone, Copy)]
enum Failure {
    Unavailable,
    TooSlow,
    Refused,
    Garbled,
    /// With or without a retry time in seconds.
    Busy(Option<u64>),
    Login,
    Answered,
}

impl Fake {
    fn new(id: &str, tools: &[&str]) -> Self {
        let id = SourceId::new(id).unwrap();
        Self {
            tools: tools
                .iter()
                .map(|tool| Tool::new(ToolId::new(id.clone(), name(tool))))
                .collect(),
            id,
            review: ReviewMode::Unneeded,
            problem: None,
            pace: Duration::ZERO,
            failures: Mutex::default(),
            log: Mutex::default(),
            busy: AtomicUsize::new(0),
            busiest: AtomicUsize::new(0),
            changed: watch::channel(()).0,
        }
    }

    fn pace(self, millis: u64) -> Self {
        Self { pace: Duration::from_millis(millis), ..self }
    }

    fn annotated(mut self, annotations: Value) -> Self {
        for tool in &mut self.tools {
            tool.annotations = Some(RawJson::from_value(&annotations));
        }
        self
    }

    fn failing(self, what: &'static str, times: usize, failure: Failure) -> Self {
        self.failures.lock().extend(std::iter::repeat_n((what, failure), times));
        self
    }

    fn log(&self) -> String {
        self.log.lock().join(", ")
    }

    /// Logs the request and fails if a failure is scripted.
    fn record_request(&self, what: &str, name: &str) -> Result<(), SourceError> {
        self.log.lock().push(format!("{what} {name}").trim().to_owned());
        let mut failures = self.failures.lock();
        match failures.front() {
            Some((kind, _)) if *kind == what => {
                failures.pop_front().map_or(Ok(()), |(_, value)| Err(self.error(value)))
            }
            _ => Ok(()),
        }
    }

    fn error(&self, failure: Failure) -> SourceError {
        let id = self.id.clone();
        match failure {
            Failure::Unavailable => {
                SourceError::Unavailable { id, what: "out of reach".to_owned() }
            }
            Failure::TooSlow => {
                SourceError::TimedOut { id, what: "it".to_owned(), limit: Duration::from_millis(1) }
            }
            Failure::Refused => SourceError::Refused { reason: "not for you".to_owned() },
            Failure::Garbled => SourceError::Protocol { id, reason: "makes no sense".to_owned() },
            Failure::Busy(after) => SourceError::Busy {
                id,
                what: "too many requests".to_owned(),
                after: after.map(Duration::from_secs),
            },
            Failure::Login => SourceError::Login { id, what: "log in first".to_owned() },
            Failure::Answered => {
                SourceError::Answered { id, code: -32_000, message: "no".to_owned(), data: None }
            }
        }
    }

    fn find(&self, name: &ToolName) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.id.name == *name).cloned()
    }
}

impl Source for Fake {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn review(&self) -> ReviewMode {
        self.review.clone()
    }

    /// A failing listing still emits its first tool.
    fn discover(&self, _cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let problem = self.problem.clone().map(DiscoveryItem::Diagnostic);
        let tools = self.tools.iter().cloned().map(|tool| DiscoveryItem::Tool(Arc::new(tool)));
        let mut found: Vec<_> = problem.into_iter().chain(tools).map(Ok).collect();
        if let Err(error) = self.record_request("list", "") {
            found.truncate(1 + usize::from(self.problem.is_some()));
            found.push(Err(error));
        }
        Box::pin(stream::iter(found).then(async |item| {
            tokio::time::sleep(self.pace).await;
            item
        }))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async {
            self.record_request("load", name.as_str())?;
            tokio::time::sleep(self.pace).await;
            Ok(self.find(name))
        })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let name = &call.get().tool.name;
            self.record_request("call", name.as_str())?;
            if self.find(name).is_none() {
                return Err(super::not_mine(&self.id, name));
            }
            self.busiest.fetch_max(self.busy.fetch_add(1, SeqCst) + 1, SeqCst);
            tokio::time::sleep(self.pace).await;
            self.busy.fetch_sub(1, SeqCst);
            Ok(ToolOutput::text(format!("{name} of {}", self.id)))
        })
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        let listener = self.changed.subscribe();
        Box::pin(stream::unfold(listener, |mut value| async {
            value.changed().await.ok().map(|()| ((), value))
        }))
    }
}

/// The fake, and the same source with a layer around it.
fn wrap(fake: Fake, layer: &impl Layer) -> (Arc<Fake>, Arc<dyn Source>) {
    let fake = Arc::new(fake);
    (fake.clone(), layer.layer(fake))
}

fn name(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

fn cx() -> Cx {
    Cx::new(Caller::Cli)
}

/// All discovered items, a word or a sentence each.
async fn list(source: &dyn Source) -> String {
    let lines: Vec<_> = source.discover(cx()).map(describe).collect().await;
    lines.join(", ")
}

fn describe(found: Result<DiscoveryItem, SourceError>) -> String {
    match found {
        Ok(DiscoveryItem::Tool(tool)) => tool.id.to_string(),
        Ok(DiscoveryItem::Diagnostic(problem)) => format!("problem: {}", problem.message),
        Ok(_) => "?".to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

async fn load(source: &dyn Source, tool: &str) -> String {
    match source.load(&name(tool), cx()).await {
        Ok(tool) => tool.map_or("nothing".to_owned(), |tool| tool.id.to_string()),
        Err(error) => format!("error: {error}"),
    }
}

async fn call(source: &dyn Source, tool: &str) -> String {
    call_within(source, tool, cx()).await
}

async fn call_within(source: &dyn Source, tool: &str, cx: Cx) -> String {
    match source.call(authorized(source, tool), cx).await {
        Ok(output) => output.content()[0]["text"].as_str().unwrap_or_default().to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

fn authorized(source: &dyn Source, tool: &str) -> Authorized<ToolCall> {
    let tool = Tool::new(ToolId::new(source.id().clone(), name(tool)));
    let now = AuthorizationContext::new(Caller::Cli);
    authorize(ToolCall::new(tool.id.clone(), Map::new()), &tool, now).unwrap()
}

fn problem(message: &str) -> Diagnostic {
    Diagnostic::warning(DiagnosticKind::Broken, message)
}

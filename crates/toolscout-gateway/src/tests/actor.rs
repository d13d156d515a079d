//! A source controlled by a test, which counts its requests.

use futures_util::stream;
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Notify, mpsc};
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Caller, Cx, DiscoveryItem, Library, LibraryContents,
    LibraryEvent, RawJson, Resume, ReviewMode, Source, SourceError, SourceId, SourceKind, Tool,
    ToolCall, ToolId, ToolName, ToolOutput,
};

pub(crate) struct Actor {
    id: SourceId,
    about: Option<Arc<str>>,
    origin: SourceKind,
    review: ReviewMode,
    tools: Mutex<Vec<Tool>>,
    answer: Mutex<Answer>,
    /// A discovery or a call waits for this before it continues.
    gate: Option<Arc<Notify>>,
    hints: Channel<()>,
    events: Channel<LibraryEvent>,
    discoveries: AtomicUsize,
    calls: Mutex<Vec<Option<Resume>>>,
}

type Channel<T> = (mpsc::UnboundedSender<T>, Mutex<Option<mpsc::UnboundedReceiver<T>>>);

/// The outcome of a call.
#[derive(Clone)]
pub(super) enum Answer {
    /// Its own id.
    Id,
    NotMine,
    Down,
    /// An error result of the tool.
    Fails,
    /// A request for input, with this state.
    Wants(&'static str),
}

pub(crate) fn agent() -> Cx {
    Cx::new(Caller::Mcp)
}

/// Whether the future is still pending.
pub(crate) async fn waits(future: &mut (impl Future + Unpin)) -> bool {
    futures_util::future::poll_immediate(future).await.is_none()
}

impl Actor {
    /// A source with tools given as `name` or `name: description`.
    pub(crate) fn new(id: &str, tools: &[&str]) -> Self {
        let actor = Self {
            id: SourceId::new(id).unwrap(),
            about: None,
            origin: SourceKind::Mcp,
            review: ReviewMode::Unneeded,
            tools: Mutex::default(),
            answer: Mutex::new(Answer::Id),
            gate: None,
            hints: channel(),
            events: channel(),
            discoveries: AtomicUsize::new(0),
            calls: Mutex::default(),
        };
        actor.set_tools(tools);
        actor
    }

    /// Sets its description of itself.
    pub(crate) fn about(self, about: &str) -> Self {
        Self { about: Some(about.into()), ..self }
    }

    pub(crate) fn with_kind(self, origin: SourceKind) -> Self {
        Self { origin, ..self }
    }

    /// Approved when first seen, quarantined when it changes.
    pub(super) fn reviewed(self) -> Self {
        let review = ReviewMode::Needed {
            approves_first_sight: true,
            approves_new_tools: true,
            accepts_changes: false,
            entry: "entry".into(),
        };
        Self { review, ..self }
    }

    /// Discoveries and calls wait until the gate lets them through, one by one.
    pub(super) fn gated_by(self, gate: &Arc<Notify>) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }

    /// Replaces its tools.
    pub(crate) fn set_tools(&self, tools: &[&str]) {
        let tools = tools.iter().map(|item| {
            let (name, description) = item.split_once(": ").unwrap_or((item, "Does something"));
            let mut tool = Tool::new(ToolId::new(self.id.clone(), ToolName::new(name).unwrap()));
            tool.description = Some(description.to_owned());
            tool.provenance.trusted = true;
            tool
        });
        *self.tools.lock() = tools.collect();
    }

    pub(super) fn set_answer(&self, answer: Answer) {
        *self.answer.lock() = answer;
    }

    pub(super) fn hint(&self) {
        self.hints.0.send(()).unwrap();
    }

    pub(super) fn send_event(&self, event: LibraryEvent) {
        self.events.0.send(event).unwrap();
    }

    pub(super) fn discovered(&self) -> usize {
        self.discoveries.load(Ordering::SeqCst)
    }

    pub(crate) fn called(&self) -> usize {
        self.calls.lock().len()
    }

    /// The resume data of each call.
    pub(super) fn resumed(&self) -> Vec<Option<Resume>> {
        self.calls.lock().clone()
    }

    async fn pass(&self) {
        if let Some(gate) = &self.gate {
            gate.notified().await;
        }
    }
}

fn channel<T>() -> Channel<T> {
    let (sender, receiver) = mpsc::unbounded_channel();
    (sender, Mutex::new(Some(receiver)))
}

fn listen<T: Send + 'static>(channel: &Channel<T>) -> BoxStream<'_, T> {
    let receiver = channel.1.lock().take().expect("the receiver is taken once");
    Box::pin(stream::unfold(receiver, |mut value| async {
        value.recv().await.map(|event| (event, value))
    }))
}

impl Source for Actor {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        self.origin
    }

    fn review(&self) -> ReviewMode {
        self.review.clone()
    }

    /// Takes the list of tools when the discovery begins, and emits it when the gate opens.
    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        self.discoveries.fetch_add(1, Ordering::SeqCst);
        let mut found: Vec<_> = self
            .tools
            .lock()
            .iter()
            .cloned()
            .map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool))))
            .collect();
        if matches!(*self.answer.lock(), Answer::Down) {
            found.push(Err(SourceError::Unavailable {
                id: self.id.clone(),
                what: "down".to_owned(),
            }));
        }
        Box::pin(stream::unfold(
            (found.into_iter(), true),
            move |(mut found, is_first)| async move {
                if is_first {
                    self.pass().await;
                }
                found.next().map(|value| (value, (found, false)))
            },
        ))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let tool = self.tools.lock().iter().find(|tool| tool.id.name == *name).cloned();
        Box::pin(async { Ok(tool) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let call = call.into_inner();
            self.calls.lock().push(call.resume);
            self.pass().await;
            let (id, name) = (self.id.clone(), call.tool.name.to_string());
            match self.answer.lock().clone() {
                Answer::Id => Ok(ToolOutput::text(self.id.as_str())),
                Answer::NotMine => Err(SourceError::NotMine { id, name }),
                Answer::Down => Err(SourceError::Unavailable { id, what: "down".to_owned() }),
                Answer::Fails => Ok(ToolOutput::failure("no")),
                Answer::Wants(state) => {
                    let wanted = json!({"resultType": "input_required", "inputRequests": {}, "requestState": state});
                    Ok(ToolOutput::from_raw(RawJson::from_value(&wanted)).unwrap())
                }
            }
        })
    }

    fn about(&self) -> Option<Arc<str>> {
        self.about.clone()
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(self)
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        listen(&self.hints)
    }
}

impl Library for Actor {
    fn contents(&self, _: &Cx) -> Result<LibraryContents, SourceError> {
        Ok(LibraryContents {
            instructions: Some(format!("how to use {}", self.id)),
            ..LibraryContents::default()
        })
    }

    fn request<'a>(
        &'a self,
        _: &'a str,
        params: RawJson,
        _: Cx,
    ) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        Box::pin(async { Ok(params) })
    }

    fn events(&self) -> BoxStream<'_, LibraryEvent> {
        listen(&self.events)
    }
}

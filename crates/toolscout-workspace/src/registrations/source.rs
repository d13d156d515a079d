//! The tools of one registration as a source.

use super::callback::Callback;
use super::connection::{CallQueue, ProgramCall};
use super::definitions::{self, Definition};
use futures_util::stream;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, ReviewMode, Source, SourceError, SourceId,
    SourceKind, Tool, ToolCall, ToolName, ToolOutput,
};
use toolscout_folder::call_context;

/// The tools that a program has registered.
pub(crate) struct RegisteredSource {
    id: SourceId,
    /// As the program sent them.
    pub(super) definitions: Vec<Definition>,
    pub(super) tools: Vec<Arc<Tool>>,
    /// Identifies the program for reviews.
    pub(super) entry: Arc<str>,
    pub(super) delivery: Delivery,
    timeout: Duration,
}

/// The way in which calls reach the program.
pub(crate) enum Delivery {
    /// A request to its callback URL.
    Callback(Box<Callback>),
    /// A message on the stream that it holds open.
    Connection(CallQueue),
    /// Not from this process: another one has the registration.
    Elsewhere,
}

impl RegisteredSource {
    /// The tools of a program, and warnings about definitions that cannot be used.
    pub(crate) fn new(
        id: SourceId,
        definitions: Vec<Definition>,
        delivery: Delivery,
        timeout: Duration,
    ) -> (Self, Vec<String>) {
        let receiver = match &delivery {
            Delivery::Callback(callback) => callback.receiver(),
            Delivery::Connection(_) | Delivery::Elsewhere => "connection".to_owned(),
        };
        let entry = blake3::hash(receiver.as_bytes()).to_hex().as_str().into();
        let (tools, warnings) = definitions::parse(&id, &definitions);
        (Self { id, definitions, tools, entry, delivery, timeout }, warnings)
    }

    /// The tools of a program that another process of this project serves. They cannot be called
    /// here.
    pub(super) fn elsewhere(id: SourceId, definitions: Vec<Definition>, entry: &str) -> Self {
        let source = Self::new(id, definitions, Delivery::Elsewhere, Duration::ZERO).0;
        Self { entry: entry.into(), ..source }
    }

    /// The names of its tools.
    pub(crate) fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.id.name.to_string()).collect()
    }

    fn find(&self, name: &ToolName) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.id.name == *name)
    }

    async fn deliver(&self, call: ToolCall, cx: Cx) -> Result<ToolOutput, SourceError> {
        call.refuse_rest()?;
        if self.find(&call.tool.name).is_none() {
            let name = call.tool.name.to_string();
            return Err(SourceError::NotMine { id: self.id.clone(), name });
        }
        let limit = cx.remaining().map_or(self.timeout, |remaining| remaining.min(self.timeout));
        let context = call_context(&call, &cx);
        let tool = call.tool.name.to_string();
        let what = format!("the call of `{tool}`");
        let delivered = async {
            match &self.delivery {
                Delivery::Callback(callback) => {
                    let request =
                        json!({"tool": tool, "arguments": call.arguments, "context": context});
                    callback.call(&request, &cx.trace).await
                }
                Delivery::Connection(queue) => {
                    let timeout_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
                    let (id, arguments) = (String::new(), call.arguments);
                    queue.call(ProgramCall { id, tool, arguments, context, timeout_ms }).await
                }
                Delivery::Elsewhere => Err("the program that registered it is gone".to_owned()),
            }
        };
        let id = || self.id.clone();
        match tokio::time::timeout(limit, delivered).await {
            Ok(result) => result.map_err(|what| SourceError::Unavailable { id: id(), what }),
            Err(_) => Err(SourceError::TimedOut { id: id(), what, limit }),
        }
    }
}

impl Source for RegisteredSource {
    fn id(&self) -> &SourceId {
        &self.id
    }

    /// The precedence of a server: a program that registers tools takes the place of one.
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    /// As for a server that was added over the API: an operator reviews every definition.
    fn review(&self) -> ReviewMode {
        ReviewMode::Needed {
            approves_first_sight: false,
            approves_new_tools: false,
            accepts_changes: false,
            entry: self.entry.clone(),
        }
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Box::pin(stream::iter(self.tools.iter().cloned().map(|tool| Ok(DiscoveryItem::Tool(tool)))))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let found = self.find(name).map(|tool| Tool::clone(tool));
        Box::pin(async { Ok(found) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(self.deliver(call.into_inner(), cx))
    }
}

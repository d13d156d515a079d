//! A server in this process, whose definitions a test can change.

use futures_util::stream;
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, RawJson, ReviewMode, Source, SourceError,
    SourceId, SourceKind, Tool, ToolCall, ToolId, ToolName, ToolOutput,
};

pub(super) struct Server {
    id: SourceId,
    pub(super) trusted: bool,
    pub(super) reviewed: bool,
    /// The current tools; the gateway knows those of the last discovery.
    tools: Mutex<Vec<Tool>>,
    pub(super) executions: AtomicUsize,
}

impl Server {
    /// A server with tools given as `name: description`.
    pub(super) fn new(id: &str, tools: &[&str]) -> Self {
        let server = Self {
            id: SourceId::new(id).unwrap(),
            trusted: true,
            reviewed: true,
            tools: Mutex::default(),
            executions: AtomicUsize::new(0),
        };
        server.set_tools(tools);
        server
    }

    /// Replaces its tools.
    pub(super) fn set_tools(&self, tools: &[&str]) {
        let tools = tools.iter().map(|item| {
            let (name, description) = item.split_once(": ").unwrap_or((item, "Does something"));
            let mut tool = Tool::new(ToolId::new(self.id.clone(), ToolName::new(name).unwrap()));
            tool.description = Some(description.to_owned());
            tool.provenance.trusted = true;
            let read_only = json!({"readOnlyHint": name.starts_with("read")});
            tool.annotations = Some(RawJson::from_value(&read_only));
            tool
        });
        *self.tools.lock() = tools.collect();
    }

    pub(super) fn executed(&self) -> usize {
        self.executions.load(Ordering::SeqCst)
    }

    fn tool(&self, name: &ToolName) -> Option<Tool> {
        self.tools.lock().iter().find(|tool| tool.id.name == *name).cloned()
    }
}

impl Source for Server {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn review(&self) -> ReviewMode {
        if self.reviewed {
            ReviewMode::Needed {
                approves_first_sight: self.trusted,
                approves_new_tools: self.trusted,
                accepts_changes: false,
                entry: "entry".into(),
            }
        } else {
            ReviewMode::Unneeded
        }
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let tools = self.tools.lock().clone();
        Box::pin(stream::iter(
            tools.into_iter().map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool)))),
        ))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(self.tool(name)) })
    }

    /// Checks, as a real server does, that the authorized definition is the current one.
    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let call = call.into_inner();
            let (id, name) = (self.id.clone(), call.tool.name.to_string());
            let tool = self
                .tool(&call.tool.name)
                .ok_or(SourceError::NotMine { id: id.clone(), name: name.clone() })?;
            if call.expect != Some(tool.digest()) {
                return Err(SourceError::Changed { id, name });
            }
            if name == "fail" {
                return Err(SourceError::Unavailable { id, what: "it fails".to_owned() });
            }
            tokio::task::yield_now().await;
            self.executions.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text(name))
        })
    }
}

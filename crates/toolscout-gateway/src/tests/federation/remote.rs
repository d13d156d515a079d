//! A remote gateway in this process, controlled by a test.

use futures_util::stream;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Arguments, Authorized, BoxFuture, BoxStream, Cx, Delegation, DiscoveryItem, RawJson,
    ReviewMode, Source, SourceError, SourceId, SourceKind, Tool, ToolCall, ToolId, ToolName,
    ToolOutput,
};

pub(super) struct Remote {
    pub(super) id: SourceId,
    pub(super) delegation: Option<Delegation>,
    pub(super) review: ReviewMode,
    /// The listed tools, with name and description.
    pub(super) listed: Mutex<Vec<(&'static str, String)>>,
    /// The result of its `tool_search`.
    pub(super) finds: Mutex<Value>,
    /// The delay of each response.
    pub(super) pause: Duration,
    pub(super) fails: bool,
    pub(super) calls: Mutex<Vec<ToolCall>>,
}

pub(super) const UP: Delegation =
    Delegation { is_enabled: true, is_running: true, is_unfiltered: true };
pub(super) const DOWN: Delegation =
    Delegation { is_enabled: true, is_running: false, is_unfiltered: true };

impl Remote {
    /// A running gateway that finds these results, returned as structured content.
    pub(super) fn new(id: &str, results: Value) -> Self {
        Self {
            id: SourceId::new(id).unwrap(),
            delegation: Some(UP),
            review: ReviewMode::Unneeded,
            listed: Mutex::new(
                ["tool_search", "execute_tool"]
                    .map(|value| (value, "As always.".to_owned()))
                    .to_vec(),
            ),
            finds: Mutex::new(json!({"content": [], "structuredContent": {"results": results}})),
            pause: Duration::ZERO,
            fails: false,
            calls: Mutex::default(),
        }
    }

    /// The arguments of all calls of this tool.
    pub(super) fn calls_of(&self, name: &str) -> Vec<Arguments> {
        let calls = self.calls.lock();
        calls
            .iter()
            .filter(|call| call.tool.name.as_str() == name)
            .map(|call| call.arguments.clone())
            .collect()
    }

    pub(super) fn last_meta(&self) -> Value {
        self.calls.lock().last().unwrap().meta.as_ref().unwrap().to_value()
    }

    fn tools(&self) -> Vec<Tool> {
        let tool = |(name, description): &(&str, String)| {
            let mut tool = Tool::new(ToolId::new(self.id.clone(), ToolName::new(name).unwrap()));
            tool.description = Some(description.clone());
            tool.provenance.trusted = true;
            let text = json!({"type": "string"});
            let takes = match *name {
                "tool_search" => {
                    json!({"query": text, "max_results": {"type": "integer", "maximum": 100}})
                }
                "execute_tool" => {
                    json!({"name": text, "arguments": {"type": "object"}, "expect": text})
                }
                _ => json!({}),
            };
            tool.input_schema =
                RawJson::from_value(&json!({"type": "object", "properties": takes}));
            tool
        };
        self.listed.lock().iter().map(tool).collect()
    }
}

impl Source for Remote {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn review(&self) -> ReviewMode {
        self.review.clone()
    }

    fn delegation(&self) -> Option<Delegation> {
        self.delegation
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Box::pin(stream::iter(
            self.tools().into_iter().map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool)))),
        ))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(self.tools().into_iter().find(|tool| tool.id.name == *name)) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let call = call.into_inner();
            self.calls.lock().push(call.clone());
            tokio::time::sleep(self.pause).await;
            if self.fails {
                return Err(SourceError::Unavailable {
                    id: self.id.clone(),
                    what: "nobody answers".to_owned(),
                });
            }
            let answer = match call.tool.name.as_str() {
                "tool_search" => self.finds.lock().clone(),
                "execute_tool" => {
                    json!({"content": [{"type": "text", "text": "done"}], "_meta": {"own": 1}})
                }
                other => json!({"content": [{"type": "text", "text": other}]}),
            };
            Ok(ToolOutput::from_raw(RawJson::from_value(&answer)).unwrap())
        })
    }
}

//! Lists observed tools among all other tools.

use super::{Observed, SeenTool};
use futures_util::stream;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, Source, SourceError, SourceId, SourceKind,
    Status, Tool, ToolCall, ToolId, ToolName, ToolOutput,
};

const UNAVAILABLE_REASON: &str = "only observed in an agent's messages; add its server to call it";

/// The source `observed`: its tools are listed and found, and a call returns an error that they
/// cannot be called from here.
pub struct ObservedSource {
    id: SourceId,
    observed: Observed,
}

impl ObservedSource {
    /// A source of the tools that were observed in a project. None if there are none.
    pub fn new(observed: Observed) -> Option<Self> {
        let id = SourceId::new("observed").ok()?;
        (!observed.tools().is_empty()).then_some(Self { id, observed })
    }

    fn tool(&self, seen: SeenTool) -> Option<Tool> {
        let mut tool = Tool::new(ToolId::new(self.id.clone(), seen.tool_name()?));
        tool.description = Some(seen.description);
        tool.input_schema = seen.input_schema;
        tool.status = Status::Unavailable(UNAVAILABLE_REASON.to_owned());
        tool.provenance.last_listed = Some(seen.last_seen);
        // Nothing of it can run. A caller must get the error about that, not a request to trust the
        // source.
        tool.provenance.trusted = true;
        Some(tool)
    }

    fn tools(&self) -> impl Iterator<Item = Tool> + Send + '_ {
        self.observed.tools().into_iter().filter_map(|tool| self.tool(tool))
    }
}

impl Source for ObservedSource {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Box::pin(stream::iter(self.tools().map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool))))))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move { Ok(self.tools().find(|tool| tool.id.name == *name)) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let what = format!(
            "`{}` was {UNAVAILABLE_REASON}",
            toolscout_core::escape::line(call.get().tool.name.as_str())
        );
        Box::pin(async move { Err(SourceError::Unavailable { id: self.id.clone(), what }) })
    }
}

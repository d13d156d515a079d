//! A source with one tool that tells a fortune.

use crate::{AppError, Startup};
use futures_util::stream;
use serde_json::json;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, RawJson, Source, SourceError, SourceId, SourceKind, Tool,
    ToolCall, ToolId, ToolName, ToolOutput,
};

pub(super) fn source(_: &Startup) -> Result<Option<Arc<dyn Source>>, AppError> {
    let fortune = SourceId::new("fortune").ok().and_then(|id| {
        let name = ToolName::new("tell").ok()?;
        let tool = Tool::new(ToolId::new(id.clone(), name));
        Some(Fortune { id, tool: Tool { description: Some("Tell a fortune".to_owned()), ..tool } })
    });
    Ok(fortune.map(|fortune| Arc::new(fortune) as Arc<dyn Source>))
}

struct Fortune {
    id: SourceId,
    tool: Tool,
}

impl Source for Fortune {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Code
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let tool = DiscoveryItem::Tool(Arc::new(self.tool.clone()));
        Box::pin(stream::iter([Ok(tool)]))
    }

    fn load<'a>(&'a self, name: &'a ToolName, _: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let found = (self.tool.id.name == *name).then(|| self.tool.clone());
        Box::pin(async { Ok(found) })
    }

    fn call(&self, _: Authorized<ToolCall>, _: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let text = "You will write a small file.";
        let result = RawJson::from_value(&json!({"content": [{"type": "text", "text": text}]}));
        let output = ToolOutput::from_raw(result).unwrap_or_else(ToolOutput::failure);
        Box::pin(async { Ok(output) })
    }
}

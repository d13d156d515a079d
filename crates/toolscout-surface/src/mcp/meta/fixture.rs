//! Catalogs for tests, one tool per line: `source/tool -- description -- {input schema}`.
//!
//! A leading `*` lists the tool; `!` quarantines it. `app` is code, `local` a folder, `mine` a
//! source of one request.

use futures_util::stream;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Caller, Cx, DiscoveryItem, RawJson, Source, SourceError,
    SourceId, SourceKind, Status, Tool, ToolCall, ToolId, ToolName, ToolOutput, Visibility,
};
use toolscout_gateway::{Gateway, Snapshot};

pub(crate) fn gateway(lines: &str) -> Gateway {
    let mut sources: BTreeMap<SourceId, Vec<Arc<Tool>>> = BTreeMap::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let tool = tool(line);
        sources.entry(tool.id.source.clone()).or_default().push(Arc::new(tool));
    }
    let mut builder = Gateway::builder();
    for (id, tools) in sources {
        builder = builder.source(Arc::new(Fake { id, tools }));
    }
    let gateway = builder.build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(gateway.refresh(&Cx::new(Caller::Mcp)));
    gateway
}

pub(crate) fn snapshot(lines: &str) -> Arc<Snapshot> {
    gateway(lines).snapshot()
}

pub(crate) fn tool(line: &str) -> Tool {
    let (marks, rest) = line.split_at(line.find(|item| !matches!(item, '*' | '!')).unwrap());
    let mut parts = rest.splitn(3, " -- ");
    let mut tool = Tool::new(id(parts.next().unwrap().trim()));
    tool.description = parts.next().map(str::to_owned);
    if let Some(schema) = parts.next() {
        tool.input_schema = RawJson::parse(schema).unwrap();
    }
    tool.provenance.trusted = true;
    if marks.contains('*') {
        tool.visibility = Visibility::Listed;
    }
    if marks.contains('!') {
        tool.status = Status::Quarantined("it has changed".to_owned());
    }
    tool
}

pub(crate) fn id(text: &str) -> ToolId {
    let (source, name) = text.split_once('/').unwrap();
    ToolId::new(SourceId::new(source).unwrap(), ToolName::new(name).unwrap())
}

/// The texts of a result, one for each block.
pub(crate) fn texts(output: &ToolOutput) -> Vec<String> {
    output
        .content()
        .iter()
        .map(|content| content["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

pub(crate) fn raw(value: Value) -> RawJson {
    RawJson::from_value(&value)
}

struct Fake {
    id: SourceId,
    tools: Vec<Arc<Tool>>,
}

impl Source for Fake {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        match self.id.as_str() {
            "app" => SourceKind::Code,
            "local" => SourceKind::Folder,
            "mine" => SourceKind::Request,
            _ => SourceKind::Mcp,
        }
    }

    fn discover(&self, _cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Box::pin(stream::iter(self.tools.iter().cloned().map(|tool| Ok(DiscoveryItem::Tool(tool)))))
    }

    fn load<'a>(
        &'a self,
        _name: &'a ToolName,
        _cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    fn call(
        &self,
        _call: Authorized<ToolCall>,
        _cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async { Ok(ToolOutput::text("done")) })
    }
}

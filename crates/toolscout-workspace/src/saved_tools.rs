//! Tools from the output of an earlier `discover --json`: listed without discovery.

use crate::AppError;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, CliHints, Cx, DiscoveryItem, RawJson, Source, SourceError,
    SourceId, SourceKind, Status, Store, Tool, ToolCall, ToolId, ToolName, ToolOutput, Visibility,
};
use toolscout_folder::{FolderSource, FolderSourceBuilder};

/// The saved form of one tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedTool {
    id: String,
    pub(crate) source: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    description: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    path: Option<PathBuf>,
    input_schema: RawJson,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<RawJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotations: Option<RawJson>,
    #[serde(default)]
    visibility: Visibility,
    #[serde(default)]
    cli: CliHints,
    pub(crate) status: String,
}

impl From<&Tool> for SavedTool {
    fn from(tool: &Tool) -> Self {
        Self {
            id: tool.id.to_string(),
            source: tool.id.source.to_string(),
            name: tool.id.name.to_string(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            keywords: tool.keywords.clone(),
            path: tool.provenance.path.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
            annotations: tool.annotations.clone(),
            visibility: tool.visibility,
            cli: tool.cli.clone(),
            status: tool.status.as_str().to_owned(),
        }
    }
}

/// The tools of one source in a saved list. A call reads only the file of its tool.
pub struct SavedTools {
    id: SourceId,
    tools: Vec<Tool>,
    by_name: HashMap<ToolName, usize>,
    store: Arc<dyn Store>,
    open: OpenFolder,
}

/// Creates a builder for a folder source that contains only this file.
type OpenFolder = fn(PathBuf) -> FolderSourceBuilder;

impl SavedTools {
    /// The tools of source `id` in this file.
    pub fn read(
        file: &Path,
        id: SourceId,
        store: Arc<dyn Store>,
        open: OpenFolder,
    ) -> Result<Self, AppError> {
        let text = std::fs::read_to_string(file).map_err(AppError::io("read", file))?;
        let list: Vec<SavedTool> = serde_json::from_str(&text).map_err(|error| {
            AppError::invalid(
                format!("`{}` is not a list of tools: {error}", file.display()),
                format!("create one with `toolscout discover --json > {}`", file.display()),
            )
        })?;
        let tools: Vec<Tool> = list.into_iter().filter_map(|saved| restore(saved, &id)).collect();
        let by_name =
            tools.iter().enumerate().map(|(index, tool)| (tool.id.name.clone(), index)).collect();
        Ok(Self { id, tools, by_name, store, open })
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// A folder source that contains only the file of this tool.
    fn folder_source_for(&self, name: &ToolName, cx: &Cx) -> Result<FolderSource, SourceError> {
        let path =
            self.by_name.get(name).and_then(|index| self.tools[*index].provenance.path.clone());
        let reason = || format!("the saved list of tools does not name the file of `{name}`");
        let path = path.ok_or_else(|| SourceError::Invalid { reason: reason() })?;
        if !path.exists() {
            let what = format!("`{}`, the file of `{name}`, no longer exists", path.display());
            return Err(SourceError::Unavailable { id: self.id.clone(), what });
        }
        // Only the file itself may define which tools it contains. It may be started only for a
        // call that a person typed.
        let is_user = cx.caller.is_user();
        let builder = (self.open)(path).id(self.id.clone()).store(self.store.clone());
        Ok(builder.trust(move |_: &Path| is_user).build())
    }
}

/// Restores a saved tool; `None` for tools of other sources.
fn restore(saved: SavedTool, source: &SourceId) -> Option<Tool> {
    if saved.source != source.as_str() {
        return None;
    }
    let mut tool = Tool::new(ToolId::new(source.clone(), ToolName::new(&saved.name).ok()?));
    tool.title = saved.title;
    tool.description = saved.description;
    tool.keywords = saved.keywords;
    tool.input_schema = saved.input_schema;
    tool.output_schema = saved.output_schema;
    tool.annotations = saved.annotations;
    tool.visibility = saved.visibility;
    tool.cli = saved.cli;
    tool.provenance.path = saved.path;
    // Whatever its status was then, the tool now comes from a list without discovery.
    tool.status = Status::Static;
    Some(tool)
}

impl Source for SavedTools {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Folder
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let tools = self.tools.iter().map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool.clone()))));
        Box::pin(futures_util::stream::iter(tools))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move { self.folder_source_for(name, &cx)?.load(name, cx).await })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(
            async move { self.folder_source_for(&call.get().tool.name, &cx)?.call(call, cx).await },
        )
    }
}

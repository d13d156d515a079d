//! Declared tools without a handler: names that users expect an agent to have, so that catalogs and
//! policies can refer to them.

use crate::{AppError, Startup};
use futures_util::stream;
use std::sync::Arc;
use toolscout_config::ToolPreset;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, Provenance, Source, SourceError, SourceId,
    SourceKind, Status, Tool, ToolCall, ToolId, ToolName, ToolOutput,
};

/// The built-in abilities of most agents.
const NATIVE: [(&str, &str); 15] = [
    ("bash", "Execute shell commands"),
    ("file_read", "Read files"),
    ("file_write", "Write files"),
    ("file_edit", "Edit files"),
    ("file_list", "List directory contents"),
    ("ripgrep_search", "Search files"),
    ("file_find", "Find files"),
    ("delegate", "Delegate to sub-agent"),
    ("url_fetch", "Fetch URLs"),
    ("task_create", "Create tasks"),
    ("task_list", "List tasks"),
    ("task_complete", "Complete tasks"),
    ("task_update", "Update tasks"),
    ("task_add_note", "Add task notes"),
    ("task_view", "View tasks"),
];

/// The presets that the configuration names.
pub(super) fn source(startup: &Startup) -> Result<Option<Arc<dyn Source>>, AppError> {
    let wanted = startup.config.settings.presets.as_deref().unwrap_or_default();
    let preset = if wanted.contains(&ToolPreset::Native) { Preset::native() } else { None };
    Ok(preset.map(|preset| Arc::new(preset) as Arc<dyn Source>))
}

/// A declared list of tools that cannot run here.
struct Preset {
    id: SourceId,
    tools: Vec<Arc<Tool>>,
}

impl Preset {
    /// The built-in abilities of agents.
    fn native() -> Option<Self> {
        let id = SourceId::new("preset").ok()?;
        let tool = |(name, about): (&str, &str)| {
            let tool = Tool::new(ToolId::new(id.clone(), ToolName::new(name).ok()?));
            let status = Status::Unavailable(
                "declared by a preset; only the agent itself can run it".to_owned(),
            );
            let provenance = Provenance { trusted: true, ..Provenance::default() };
            Some(Arc::new(Tool { description: Some(about.to_owned()), status, provenance, ..tool }))
        };
        let tools = NATIVE.into_iter().map(tool).collect::<Option<_>>()?;
        Some(Self { id, tools })
    }
}

impl Source for Preset {
    fn id(&self) -> &SourceId {
        &self.id
    }

    /// The lowest precedence: a runnable tool with the same name wins.
    fn kind(&self) -> SourceKind {
        SourceKind::Request
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        Box::pin(stream::iter(self.tools.iter().cloned().map(|tool| Ok(DiscoveryItem::Tool(tool)))))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        let found =
            self.tools.iter().find(|tool| tool.id.name == *name).map(|tool| Tool::clone(tool));
        Box::pin(async { Ok(found) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let name = &call.get().tool.name;
        let what = format!(
            "`{name}` is declared by a preset and has no handler in toolscout; use the agent's own tool"
        );
        Box::pin(async { Err(SourceError::Unavailable { id: self.id.clone(), what }) })
    }
}

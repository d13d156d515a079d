//! What the routes that are not operations yet need from the app.

use crate::RunCx;
use crate::plugins::serve::mcp_servers::McpServers;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::{Caller, Cx, SourceId, Tool};
use toolscout_gateway::Gateway;
use toolscout_mcp_client::{McpSource, partition};
use toolscout_surface::api::{Desk, Discovery};

/// Where the API has things done.
pub(in crate::plugins::serve) struct FrontDesk {
    cx: RunCx,
    mcp: Arc<McpServers>,
}

impl FrontDesk {
    pub(in crate::plugins::serve) fn new(cx: &RunCx, mcp: &Arc<McpServers>) -> Self {
        Self { cx: cx.clone(), mcp: mcp.clone() }
    }
}

impl Desk for FrontDesk {
    fn gateway(&self) -> Arc<Gateway> {
        self.mcp.served_gateway()
    }

    fn everything(&self) -> Arc<Gateway> {
        self.cx.tools().shared_gateway()
    }

    fn request(&self) -> Cx {
        Cx { caller: Caller::Http, asker: None, ..self.cx.request() }
    }

    fn project_id(&self) -> String {
        partition(self.cx.request().project.as_deref().map_or(Path::new("."), |it| it.as_path()))
    }

    fn project_name(&self) -> String {
        let project = self.cx.request().project;
        let name = project.as_deref().and_then(|it| it.file_name()).map(|it| it.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "/".to_owned())
    }

    fn discoveries(&self, cx: &Cx) -> BTreeMap<SourceId, Discovery> {
        let Some(set) = self.cx.workspace().configured_servers() else { return BTreeMap::new() };
        let of = |id: &SourceId| {
            let record = set.shared.as_ref().and_then(|it| it.records().read(id, cx.user.as_deref()).ok());
            Discovery {
                status: record.as_ref().map_or("never", |it| it.status.word()),
                last: record.and_then(|it| it.last_discovery).map(|it| it.to_string()),
            }
        };
        set.configured.iter().map(|it| (it.server.id.clone(), of(&it.server.id))).collect()
    }

    fn live(&self) -> BTreeMap<SourceId, Vec<Arc<Tool>>> {
        let Some(set) = self.cx.workspace().configured_servers() else { return BTreeMap::new() };
        let listed = |it: &Arc<McpSource>| {
            let tools = it.listed()?.into_iter().map(Arc::new).collect();
            Some((it.server().id.clone(), tools))
        };
        set.sources.iter().filter_map(listed).collect()
    }

    fn metrics(&self) -> String {
        self.cx.workspace().parts.metrics.as_ref().map(|it| it.render()).unwrap_or_default()
    }
}

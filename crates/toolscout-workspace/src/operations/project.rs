//! `project …`: the served projects, their configuration, and the catalog of their tools.

mod configuration;
mod list;
mod update;

pub(super) use configuration::Configuration;
pub(crate) use configuration::ShowProjectConfiguration;
pub(crate) use list::{ListProjects, ShowProject};
pub(crate) use update::UpdateProjectConfiguration;

use super::server_tool_description;
use crate::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Cx, RawJson, SourceId, SourceKind, Tool};
use toolscout_gateway::Snapshot;
use toolscout_gateway::policy::Policies;

/// The source of tools that are only declared.
const PRESET: &str = "preset";

/// A tool in a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AvailableTool {
    /// The name of a native tool, or `server/tool`.
    name: String,
    /// What it does.
    description: String,
    /// `native` or `mcp`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The configured policy; missing if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    configured_policy: Option<&'static str>,
    /// The discovery status of its server: `never`, `discovering`, `success` or `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    discovery_status: Option<&'static str>,
    /// When its server last listed it; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_discovered: Option<String>,
}

/// Describes tools for a catalog.
pub(super) struct ToolCatalog<'a> {
    policies: &'a Policies,
    discoveries: BTreeMap<SourceId, LastDiscovery>,
}

struct LastDiscovery {
    status: &'static str,
    at: Option<String>,
}

impl<'a> ToolCatalog<'a> {
    /// For the servers of this snapshot, which may be other ones than those that are configured
    /// by now.
    pub(super) fn new(
        workspace: &Workspace,
        snapshot: &Snapshot,
        policies: &'a Policies,
        cx: &Cx,
    ) -> Self {
        let set = workspace.servers();
        let last_discovery = |id: &SourceId| {
            let record = set
                .shared
                .as_ref()
                .and_then(|shared| shared.records().read(id, cx.user.as_deref()).ok());
            LastDiscovery {
                status: record.as_ref().map_or("never", |record| record.status.word()),
                at: record
                    .and_then(|record| record.last_discovery)
                    .map(|moment| moment.to_string()),
            }
        };
        let discoveries = server_ids(snapshot).map(|id| (id.clone(), last_discovery(id))).collect();
        Self { policies, discoveries }
    }

    /// All tools of a snapshot, native ones first.
    fn all_tools(&self, snapshot: &Snapshot) -> Vec<AvailableTool> {
        let mut all = self.native_tools(snapshot, |_| true);
        all.extend(
            server_ids(snapshot)
                .flat_map(|id| snapshot.tools_of(id))
                .map(|tool| self.server_tool(tool)),
        );
        all
    }

    /// The tools that do not come from a server. If two tools share a name, the one with
    /// precedence gets the bare name.
    pub(super) fn native_tools(
        &self,
        snapshot: &Snapshot,
        is_selected: impl Fn(&Tool) -> bool,
    ) -> Vec<AvailableTool> {
        let sources = snapshot.sources().filter(|(_, origin)| *origin != SourceKind::Mcp);
        let tools =
            sources.flat_map(|(id, _)| snapshot.tools_of(id)).filter(|tool| is_selected(tool));
        let native = |tool: &Arc<Tool>| {
            let name = tool.id.name.as_str();
            let first =
                snapshot.tools_named(name).iter().find(|named| named.kind != SourceKind::Mcp);
            let is_first = first.is_some_and(|named| named.tool.id == tool.id);
            // A declared tool is not listed if a tool of that name exists.
            if !is_first && tool.id.source.as_str() == PRESET {
                return None;
            }
            Some(AvailableTool {
                name: if is_first { name.to_owned() } else { tool.id.to_string() },
                description: tool.description.clone().unwrap_or_default(),
                kind: "native",
                configured_policy: self.policies.configured(&tool.id).map(|policy| policy.as_str()),
                discovery_status: None,
                last_discovered: None,
            })
        };
        tools.filter_map(native).collect()
    }

    /// A tool of a server.
    pub(super) fn server_tool(&self, tool: &Tool) -> AvailableTool {
        let discovery = self.discoveries.get(&tool.id.source);
        let seen = tool.provenance.last_listed.map(|moment| moment.to_string());
        AvailableTool {
            name: tool.id.to_string(),
            description: server_tool_description(tool),
            kind: "mcp",
            configured_policy: self.policies.configured(&tool.id).map(|policy| policy.as_str()),
            discovery_status: Some(discovery.map_or("never", |discovery| discovery.status)),
            last_discovered: seen.or_else(|| discovery?.at.clone()),
        }
    }
}

/// The servers of a snapshot, in their order.
pub(super) fn server_ids(snapshot: &Snapshot) -> impl Iterator<Item = &SourceId> {
    snapshot.sources().filter(|(_, origin)| *origin == SourceKind::Mcp).map(|(id, _)| id)
}

/// The tools that the servers running in this process have listed since their start.
pub(super) fn live_tools(workspace: &Workspace) -> BTreeMap<SourceId, Vec<Arc<Tool>>> {
    let set = workspace.servers();
    let sources = set.sources.iter();
    let listed = sources.filter_map(|source| {
        let tools = source.listed()?.into_iter().map(Arc::new).collect();
        Some((source.server().id.clone(), tools))
    });
    listed.collect()
}

/// Whether its author marks it as internal to a program, and not for users to choose.
pub(super) fn is_internal(tool: &Tool) -> bool {
    let is_marked = |raw: &RawJson, path: &[&str]| {
        // A substring check avoids parsing for nearly all tools.
        raw.as_str().contains("nternal") && {
            let value = raw.to_value();
            let marks = path.iter().fold(&value, |value, key| &value[*key]);
            ["safeInternal", "safe-internal"].iter().any(|mark| marks[*mark] == true)
        }
    };
    tool.annotations.as_ref().is_some_and(|raw| is_marked(raw, &[]))
        || tool.extra.as_ref().is_some_and(|raw| is_marked(raw, &["_meta"]))
}

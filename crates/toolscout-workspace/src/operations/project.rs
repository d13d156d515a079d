//! `project …`: the served project, and all its tools.

use super::status::NoInput;
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::authorization::Policy;
use toolscout_core::{Cx, RawJson, SourceId, SourceKind, Tool, escape};
use toolscout_gateway::Snapshot;
use toolscout_gateway::policy::{Mode, Policies};
use toolscout_mcp_client::partition;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};

/// The source of tools that are only declared.
const PRESET: &str = "preset";

/// Show the served project.
pub(crate) struct ListProjects;

/// All projects: a process serves one.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectList {
    projects: Vec<ProjectInfo>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Project")]
struct ProjectInfo {
    /// Names it in paths; so does `current`.
    id: String,
    /// The name of its folder.
    name: String,
    /// Whether it is the one that is served.
    current: bool,
    /// How many servers it has.
    servers: usize,
    /// How many tools it has.
    tools: usize,
}

impl Operation<Workspace> for ListProjects {
    type Input = NoInput;
    type Output = ProjectList;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/projects"],
        ..OperationSpec::read("project list", "Show the project that is served", "/api/projects")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ProjectList, OperationError> {
        let tools = workspace.gateway_for(cx).view(cx).await.snapshot().len();
        let servers = workspace.servers().configured.len();
        let project = ProjectInfo { id: id(cx), name: name(cx), current: true, servers, tools };
        Ok(ProjectList { projects: vec![project] })
    }

    fn text(output: &ProjectList, _: &Text) -> String {
        output
            .projects
            .iter()
            .map(|project| format!("{}  {}\n", project.id, escape::line(&project.name)))
            .collect()
    }
}

/// Show the configuration of the project.
pub(crate) struct ShowProjectConfiguration;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowProjectConfigurationInput {
    /// The id of the project, or `current`.
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectConfiguration {
    configuration: Configuration,
}

/// What is configured, and which tools there are.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Configuration {
    /// The id of the project, or of the session.
    id: String,
    /// Its name.
    name: String,
    /// The policy of tools without a rule: `allow`, `ask`, `deny` or `disable`.
    default_policy: &'static str,
    /// How policies are applied: `normal`, `read-only` or `allow-all`.
    mode: &'static str,
    /// Of a session: `runtime` if it has running servers, else `cached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<&'static str>,
    /// Native tools first, then those of servers.
    available_tools: Vec<AvailableTool>,
}

impl Operation<Workspace> for ShowProjectConfiguration {
    type Input = ShowProjectConfigurationInput;
    type Output = ProjectConfiguration;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/projects/current/configuration"],
        ..OperationSpec::read(
            "project configuration",
            "Show every tool of the project, its policy and how it was discovered",
            "/api/projects/{id}/configuration",
        )
    };

    /// D-17: this process has no data about other projects.
    async fn run(
        workspace: &Workspace,
        input: ShowProjectConfigurationInput,
        cx: &Cx,
    ) -> Result<ProjectConfiguration, OperationError> {
        if !is_this_project(cx, &input.id) {
            return Err(OperationError::not_found("Project"));
        }
        let gateway = workspace.gateway_for(cx);
        let (view, policies) = (gateway.view(cx).await, gateway.policies());
        let tools = ToolCatalog::new(workspace, &policies, cx).of_snapshot(&view.snapshot());
        Ok(ProjectConfiguration {
            configuration: Configuration::new(id(cx), name(cx), &policies, tools),
        })
    }

    fn text(output: &ProjectConfiguration, _: &Text) -> String {
        output.configuration.text()
    }
}

impl Configuration {
    pub(super) fn new(
        id: String,
        name: String,
        policies: &Policies,
        available_tools: Vec<AvailableTool>,
    ) -> Self {
        let default: Policy =
            policies.levels.iter().filter_map(|level| level.default).max().unwrap_or_default();
        let mode = match policies.mode {
            Mode::Normal => "normal",
            Mode::ReadOnly => "read-only",
            Mode::AllowAll => "allow-all",
        };
        Self { id, name, default_policy: default.word(), mode, source: None, available_tools }
    }

    pub(super) fn text(&self) -> String {
        self.available_tools.iter().map(|tool| format!("{}\n", escape::line(&tool.name))).collect()
    }
}

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
    pub(super) fn new(workspace: &Workspace, policies: &'a Policies, cx: &Cx) -> Self {
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
        let ids = set.configured.iter().map(|configured| &configured.server.id);
        Self { policies, discoveries: ids.map(|id| (id.clone(), last(id))).collect() }
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
        let description = tool.description.clone().filter(|text| !text.is_empty());
        let seen = tool.provenance.last_listed.map(|moment| moment.to_string());
        AvailableTool {
            name: tool.id.to_string(),
            description: description
                .unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name)),
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

/// Whether this names the project of the request.
pub(super) fn is_this_project(cx: &Cx, name: &str) -> bool {
    name == "current" || name == id(cx)
}

fn id(cx: &Cx) -> String {
    partition(cx.project.as_deref().map_or(Path::new("."), |folder| folder.as_path()))
}

fn name(cx: &Cx) -> String {
    let folder = cx.project.as_deref().and_then(|folder| folder.file_name());
    folder.map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

//! `project configuration`: the policies and the tools of a project.

use super::list::project_name;
use super::{AvailableTool, ToolCatalog};
use crate::Workspace;
use crate::operations::status::NoInput;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use toolscout_config::Settings;
use toolscout_core::authorization::Policy;
use toolscout_core::cx::Role;
use toolscout_core::{Cx, escape};
use toolscout_gateway::policy::Policies;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};

/// Show the configuration of the project.
pub(crate) struct ShowProjectConfiguration;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectConfiguration {
    /// The configuration of the project.
    configuration: Configuration,
}

/// The policies and tools of a project or a session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::operations) struct Configuration {
    /// The id of the project, or of the session.
    id: String,
    /// The name of the project's folder, or of the session's client.
    name: String,
    /// The policy of tools without a rule: `allow`, `ask`, `deny` or `disable`.
    default_policy: &'static str,
    /// The policy mode: `normal`, `read-only` or `allow-all`.
    mode: &'static str,
    /// Only for a session: `runtime` if servers are running, else `cached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::operations) source: Option<&'static str>,
    /// Only for a project, and for operators: the settings in effect, as in `toolscout.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Map<String, Value>>,
    /// All tools: native tools first, then the tools of servers.
    available_tools: Vec<AvailableTool>,
}

impl Operation<Workspace> for ShowProjectConfiguration {
    type Input = NoInput;
    type Output = ProjectConfiguration;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/configuration"],
        ..OperationSpec::read(
            "project configuration",
            "Show every tool of the project, its policy and how it was discovered",
            "/api/configuration",
        )
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ProjectConfiguration, OperationError> {
        Ok(ProjectConfiguration { configuration: current_configuration(workspace, cx).await })
    }

    fn text(output: &ProjectConfiguration, _: &Text) -> String {
        output.configuration.text()
    }
}

/// The configuration of the project now.
pub(super) async fn current_configuration(workspace: &Workspace, cx: &Cx) -> Configuration {
    let view = workspace.gateway_for(cx).view(cx).await;
    let (policies, snapshot) = (view.policies(), view.snapshot());
    let tools = ToolCatalog::new(workspace, &snapshot, &policies, cx).all_tools(&snapshot);
    let (id, name) = (workspace.project_id(), project_name(workspace));
    let configuration = Configuration::new(id, name, &policies, tools);
    let settings = (cx.role == Role::Operator).then(|| settings(&workspace.config().settings));
    Configuration { settings, ..configuration }
}

/// The settings that have a value.
fn settings(settings: &Settings) -> Map<String, Value> {
    let mut all = serde_json::to_value(settings).unwrap_or_default();
    remove_empty(&mut all);
    all.as_object().cloned().unwrap_or_default()
}

fn remove_empty(value: &mut Value) {
    let Some(table) = value.as_object_mut() else { return };
    table.values_mut().for_each(remove_empty);
    let is_empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    table.retain(|_, value| !is_empty(value));
}

impl Configuration {
    pub(in crate::operations) fn new(
        id: String,
        name: String,
        policies: &Policies,
        available_tools: Vec<AvailableTool>,
    ) -> Self {
        let default: Policy =
            policies.levels.iter().filter_map(|level| level.default).max().unwrap_or_default();
        let (default_policy, mode) = (default.as_str(), policies.mode.as_str());
        let (source, settings) = (None, None);
        Self { id, name, default_policy, mode, source, settings, available_tools }
    }

    pub(in crate::operations) fn text(&self) -> String {
        self.available_tools.iter().map(|tool| format!("{}\n", escape::line(&tool.name))).collect()
    }
}

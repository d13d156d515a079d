//! `project list` and `project show`: the projects that this process serves.

use crate::operations::status::NoInput;
use crate::{Trust, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};

/// List the served projects.
pub(crate) struct ListProjects;
/// Show one project.
pub(crate) struct ShowProject;

/// The projects that this process serves.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectList {
    /// The projects, the first one first.
    projects: Vec<ProjectInfo>,
}

/// One project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownProject {
    /// The project.
    project: ProjectInfo,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Project")]
struct ProjectInfo {
    /// The id in paths: `/api/projects/{id}/…` and `/projects/{id}/mcp`.
    id: String,
    /// The name of its folder.
    name: String,
    /// Whether routes without a project are about this one.
    current: bool,
    /// Whether its folder is trusted. Otherwise none of its files and servers is started.
    trusted: bool,
    /// The number of its servers.
    servers: usize,
    /// The number of its tools.
    tools: usize,
}

impl Operation<Workspace> for ListProjects {
    type Input = NoInput;
    type Output = ProjectList;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/projects"],
        ..OperationSpec::read("project list", "List the projects that are served", "/api/projects")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ProjectList, OperationError> {
        let mut projects = Vec::new();
        for project in workspace.served_projects() {
            projects.push(ProjectInfo::new(&project, &project.request(cx)).await);
        }
        Ok(ProjectList { projects })
    }

    fn text(output: &ProjectList, _: &Text) -> String {
        output.projects.iter().map(line).collect()
    }
}

impl Operation<Workspace> for ShowProject {
    type Input = NoInput;
    type Output = ShownProject;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/project"],
        ..OperationSpec::read("project show", "Show the project", "/api/project")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ShownProject, OperationError> {
        Ok(ShownProject { project: ProjectInfo::new(workspace, cx).await })
    }

    fn text(output: &ShownProject, _: &Text) -> String {
        line(&output.project)
    }
}

impl ProjectInfo {
    async fn new(workspace: &Workspace, cx: &Cx) -> Self {
        let id = workspace.project_id();
        let first = workspace.served_projects().first().map(|project| project.project_id());
        let trust = Trust::new(&workspace.environment, &workspace.options);
        Self {
            name: project_name(workspace),
            current: first.as_ref() == Some(&id),
            trusted: trust.covers(workspace.config().project_folder()),
            servers: workspace.servers().configured.len(),
            tools: workspace.gateway_for(cx).view(cx).await.snapshot().len(),
            id,
        }
    }
}

fn line(project: &ProjectInfo) -> String {
    format!("{}  {}\n", project.id, escape::line(&project.name))
}

/// The name of the project's folder.
pub(super) fn project_name(workspace: &Workspace) -> String {
    let config = workspace.config();
    let name = config.project_folder().file_name();
    name.map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

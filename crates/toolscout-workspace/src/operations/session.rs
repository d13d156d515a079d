//! `session …`: connected clients, and the configuration of each.

mod eager;
mod servers;

pub(crate) use servers::{ControlSessionServer, ListSessionServers};

use super::project::{
    AvailableTool, Configuration, ToolCatalog, is_internal, live_tools, server_ids,
};
use super::status::NoInput;
use crate::Workspace;
use crate::projects::{CURRENT, ProjectRef};
use crate::random;
use eager::StartedServer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolscout_core::{Cx, Moment, escape};
use toolscout_surface::mcp::SessionInfo;
use toolscout_surface::operation::{
    CommandName, ErrorCode, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// List sessions.
pub(crate) struct ListSessions;

#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionList {
    /// The sessions visible to the caller.
    sessions: Vec<SessionInfo>,
}

impl Operation<Workspace> for ListSessions {
    type Input = NoInput;
    type Output = SessionList;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/sessions"],
        ..OperationSpec::read("session list", "List sessions", "/api/sessions")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<SessionList, OperationError> {
        let projects = workspace.projects_of(cx);
        let sessions = projects.iter().flat_map(|project| visible(project, cx)).collect();
        Ok(SessionList { sessions })
    }

    fn text(output: &SessionList, _: &Text) -> String {
        output.sessions.iter().map(line).collect()
    }
}

/// The sessions of a project that the caller may see.
fn visible(project: &Workspace, cx: &Cx) -> Vec<SessionInfo> {
    let mut sessions = project.parts.sessions.visible(cx);
    sessions.iter_mut().for_each(|session| session.project = Some(project.project_id()));
    sessions
}

/// A session and its project. A request that names no project finds the sessions of all.
fn find<'a>(
    workspace: &'a Workspace,
    id: &str,
    cx: &Cx,
) -> Result<(ProjectRef<'a>, SessionInfo), OperationError> {
    let found = workspace.projects_of(cx).into_iter().find_map(|project| {
        let session = visible(&project, cx).into_iter().find(|session| session.id == id)?;
        Some((project, session))
    });
    found.ok_or_else(|| OperationError::not_found("Session"))
}

fn line(session: &SessionInfo) -> String {
    let client = session.client.as_deref().unwrap_or("unknown client");
    format!("{}  {}  {}  {}\n", session.id, session.kind, escape::line(client), session.created)
}

/// Start a session.
pub(crate) struct StartSession;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartSessionInput {
    /// The id of the project; `current` by default
    #[serde(default)]
    project: Option<String>,
    /// The name of the client
    #[serde(default)]
    #[schemars(length(max = 100))]
    name: Option<String>,
    /// Start all servers of the session now, and list their tools again; for operators only
    #[serde(default)]
    eager: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StartedSession {
    /// The session.
    session: SessionInfo,
    /// With `eager`: the servers that were started. One that is still `starting` continues in the
    /// background.
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<Vec<StartedServer>>,
}

impl Operation<Workspace> for StartSession {
    type Input = StartSessionInput;
    type Output = StartedSession;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/sessions", status: 201 },
        commands: CommandName::NONE,
        examples: &[
            "POST /api/sessions {\"name\": \"my-agent\"}",
            "POST /api/sessions {\"eager\": true}",
        ],
        ..OperationSpec::read("session start", "Start a session", "")
    };

    async fn run(
        workspace: &Workspace,
        input: StartSessionInput,
        cx: &Cx,
    ) -> Result<StartedSession, OperationError> {
        let project = workspace
            .project(input.project.as_deref().unwrap_or(CURRENT), cx)
            .ok_or_else(|| OperationError::not_found("Project"))?;
        let servers = if input.eager {
            Some(eager::start_servers(&project, &project.request(cx)).await?)
        } else {
            None
        };
        let session = SessionInfo {
            id: random::hex::<8>()?,
            kind: "api",
            client: input.name.or_else(|| cx.client.as_deref().map(str::to_owned)),
            created: Moment::now().to_string(),
            project: Some(project.project_id()),
            owner: cx.user.clone(),
            is_local: true,
        };
        project.parts.sessions.add(session.clone());
        Ok(StartedSession { session, servers })
    }

    fn text(output: &StartedSession, _: &Text) -> String {
        line(&output.session)
    }
}

/// End a session that was started over the API.
pub(crate) struct EndSession;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndSessionInput {
    /// The id of the session
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EndedSession {
    /// The id of the ended session.
    ended: String,
}

impl Operation<Workspace> for EndSession {
    type Input = EndSessionInput;
    type Output = EndedSession;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "DELETE", path: "/api/sessions/{id}", status: 200 },
        commands: CommandName::NONE,
        examples: &["DELETE /api/sessions/{id}"],
        ..OperationSpec::read("session end", "End a session that was started over the API", "")
    };

    async fn run(
        workspace: &Workspace,
        input: EndSessionInput,
        cx: &Cx,
    ) -> Result<EndedSession, OperationError> {
        let (project, session) = find(workspace, &input.id, cx)?;
        if project.parts.sessions.remove(&session.id) {
            Ok(EndedSession { ended: session.id })
        } else {
            Err(OperationError::new(ErrorCode::Conflict, "only its client can end an MCP session"))
        }
    }

    fn text(output: &EndedSession, _: &Text) -> String {
        format!("Ended session {}\n", output.ended)
    }
}

/// Show the configuration of a session.
pub(crate) struct ShowSessionConfiguration;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowSessionConfigurationInput {
    /// The id of the session
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionConfiguration {
    /// The configuration of the session.
    configuration: Configuration,
}

impl Operation<Workspace> for ShowSessionConfiguration {
    type Input = ShowSessionConfigurationInput;
    type Output = SessionConfiguration;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/sessions/{id}/configuration"],
        ..OperationSpec::read(
            "session configuration",
            "Show the tools of a session: listed by running servers, otherwise cached",
            "/api/sessions/{id}/configuration",
        )
    };

    /// D-15, D-16, D-17.
    async fn run(
        workspace: &Workspace,
        input: ShowSessionConfigurationInput,
        cx: &Cx,
    ) -> Result<SessionConfiguration, OperationError> {
        let (project, session) = find(workspace, &input.id, cx)?;
        let cx = &project.request(cx);
        // This process does not know which servers run for sessions of other processes.
        let live = if session.is_local { live_tools(&project) } else { BTreeMap::new() };
        let view = project.gateway_for(cx).view(cx).await;
        let policies = view.policies();
        let snapshot = view.snapshot();
        let catalog = ToolCatalog::new(&project, &snapshot, &policies, cx);
        let mut tools: Vec<AvailableTool> =
            catalog.native_tools(&snapshot, |tool| !is_internal(tool));
        for id in server_ids(&snapshot).chain(live.keys()).collect::<BTreeSet<_>>() {
            let listed = live.get(id).map_or(snapshot.tools_of(id), Vec::as_slice);
            tools.extend(
                listed
                    .iter()
                    .filter(|tool| !is_internal(tool))
                    .map(|tool| catalog.server_tool(tool)),
            );
        }
        let source = if live.is_empty() { "cached" } else { "runtime" };
        let name = session.client.unwrap_or_else(|| session.kind.to_owned());
        let mut configuration = Configuration::new(session.id, name, &policies, tools);
        configuration.source = Some(source);
        Ok(SessionConfiguration { configuration })
    }

    fn text(output: &SessionConfiguration, _: &Text) -> String {
        output.configuration.text()
    }
}

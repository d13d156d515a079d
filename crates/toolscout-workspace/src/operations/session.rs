//! `session …`: connected clients, and the configuration of each.

use super::project::{
    AvailableTool, Configuration, ToolCatalog, is_internal, is_this_project, live, servers,
};
use super::status::NoInput;
use crate::Workspace;
use ring::rand::{SecureRandom, SystemRandom};
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
        Ok(SessionList { sessions: workspace.parts.sessions.visible(cx) })
    }

    fn text(output: &SessionList, _: &Text) -> String {
        output.sessions.iter().map(line).collect()
    }
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
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StartedSession {
    /// The session.
    session: SessionInfo,
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
    ) -> Result<BegunSession, OperationError> {
        if !is_this_project(cx, input.project.as_deref().unwrap_or("current")) {
            return Err(OperationError::not_found("Project"));
        }
        let session = SessionInfo {
            id: new_id()?,
            kind: "api",
            client: input.name.or_else(|| cx.client.as_deref().map(str::to_owned)),
            created: Moment::now().to_string(),
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

fn new_id() -> Result<String, OperationError> {
    let mut bytes = [0; 8];
    let no_random =
        |_| OperationError::new(ErrorCode::Internal, "the system returned no random numbers");
    SystemRandom::new().fill(&mut bytes).map_err(no_random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// End a session that was begun over the API.
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
        let sessions = &workspace.parts.sessions;
        let session = sessions.find(&input.id, cx)?;
        if sessions.remove(&session.id) {
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
        let session = workspace.parts.sessions.find(&input.id, cx)?;
        // This process does not know which servers run for sessions of other processes.
        let live = if session.is_here { live(workspace) } else { BTreeMap::new() };
        let gateway = workspace.gateway_for(cx);
        let (view, policies) = (gateway.view(cx).await, gateway.policies());
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

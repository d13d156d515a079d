//! `init`: find the MCP servers of other clients, add them to toolscout, and connect the clients.

mod setup_text;

use super::client::{SecretStorage, apply_added, client_folders, client_list, own_launch_command};
use super::server::{DiscoveredServer, discover_with_progress};
use super::shown_path;
use crate::error::failure;
use crate::{Workspace, config};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolscout_config::connect::{ConnectAction, PlannedClient, SetupPlan, SetupRequest};
use toolscout_config::import::{
    self, ImportAction, OwnProgram, PlannedFile, PlannedServer, PreparedEntry, ServerSelection,
    StoredSecret,
};
use toolscout_config::{ConfigError, ConfigScope, ServerEntry};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, SourceId};
use toolscout_mcp_client::{ConfigText, ReferenceLookup};
use toolscout_surface::operation::{
    Access, CommandName, Confirm, HttpRoute, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// Add the servers of other clients, and connect the clients.
pub(crate) struct Init;
/// Show what `init` would do.
pub(crate) struct ShowSetup;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetupInput {
    /// The clients to set up; all that are found if omitted
    #[serde(default)]
    #[schemars(schema_with = "client_list", extend("x-cli" = {"positional": true, "value": "CLIENT"}))]
    clients: Vec<String>,
    /// Import only this server; CLIENT/NAME is that of one client, NAME=ID renames it
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    only: Option<Vec<String>>,
    /// Where to store secrets
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "WHERE"}))]
    secrets: SecretStorage,
    /// Leave the clients as they are
    #[serde(default)]
    no_connect: bool,
}

/// The found servers and clients, and what happened to them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Setup {
    /// Whether anything was written.
    written: bool,
    /// All servers that were found.
    servers: Vec<SetupServer>,
    /// The files of clients that are connected.
    clients: Vec<SetupClient>,
    /// The number of tools of the added servers.
    tool_count: usize,
    #[serde(skip)]
    planned: Option<PlannedChange>,
    #[serde(skip)]
    is_read_in_place: bool,
}

/// A server in the file of a client.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetupServer {
    /// Its name in the file.
    name: String,
    /// The client.
    client: &'static str,
    #[serde(skip)]
    title: &'static str,
    /// The file of the client.
    path: String,
    /// `user` or `project`.
    scope: &'static str,
    /// `add`, `same` (already configured, or a duplicate of another client's server) or `skip`.
    action: &'static str,
    /// Its id in toolscout.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The configuration file that it is added to.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// `stdio`, `http` or `sse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    /// Its command line or its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
    /// Its secrets, and where they go.
    secrets: Vec<SetupSecret>,
    /// Variables that it needs, and that are neither set nor stored.
    missing: Vec<String>,
    /// Remarks about the entry.
    notes: Vec<String>,
    /// Why it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// After it was added: `loaded`, `failed` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// The number of its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_count: Option<usize>,
    /// Why its tools could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetupSecret {
    /// Its location in the entry.
    location: String,
    /// The reference that replaces it, or `plain text`.
    stored: String,
}

/// The file of a client.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetupClient {
    /// The client.
    client: &'static str,
    /// The client's name in messages.
    title: &'static str,
    /// The file.
    path: String,
    /// `connect`, `none` (it is already connected) or `skip`.
    action: &'static str,
    /// The servers that are removed from the file, because toolscout has them.
    moved: Vec<String>,
    /// Why it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Operation<Workspace> for Init {
    type Input = SetupInput;
    type Output = Setup;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/setup", status: 200 },
        confirm: Confirm::Always,
        notes: &[
            "Servers move from your own files to your user configuration. Those of project files are copied to the project's configuration.",
            "Secrets go to files that only you can read. `toolscout undo` takes everything back.",
        ],
        examples: &["toolscout init", "toolscout init claude-code cursor --yes"],
        ..OperationSpec::change(
            "init",
            "Set up toolscout with the servers of your MCP clients",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: SetupInput,
        cx: &Cx,
    ) -> Result<Setup, OperationError> {
        let mut plan = plan(workspace, input)?;
        let lookup = workspace.environment.lookup();
        if plan.changes_nothing() {
            return Ok(Setup::new(&plan, &lookup));
        }
        let change = match cx.change(planned_change(&plan)) {
            Ok(change) => change,
            Err(DryRun(planned)) => {
                return Ok(Setup { planned: Some(planned), ..Setup::new(&plan, &lookup) });
            }
        };
        let editor = config::editor(workspace, Self::SPEC.name, &change.planned().summary);
        let added = plan.apply(&editor, &*workspace.environment.store()).map_err(failure)?;
        let mut setup = Setup { written: true, ..Setup::new(&plan, &lookup) };
        drop(plan);
        apply_added(workspace, &added, &editor).await?;
        change.commit();
        setup.record(discover_with_progress(workspace, &added, cx).await?);
        Ok(setup)
    }

    fn text(output: &Setup, _: &Text) -> String {
        setup_text::plan(output)
    }

    fn is_data(_: &Setup) -> bool {
        true
    }

    fn planned(output: &Setup) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &Setup, _: &Text) -> String {
        setup_text::outcome(output)
    }
}

impl Operation<Workspace> for ShowSetup {
    type Input = SetupInput;
    type Output = Setup;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: CommandName::NONE,
        examples: &["GET /api/setup"],
        ..OperationSpec::read("setup", "Show what `init` would do", "/api/setup")
    };

    async fn run(
        workspace: &Workspace,
        input: SetupInput,
        _: &Cx,
    ) -> Result<Setup, OperationError> {
        Ok(Setup::new(&plan(workspace, input)?, &workspace.environment.lookup()))
    }

    fn text(output: &Setup, _: &Text) -> String {
        setup_text::plan(output)
    }
}

/// What `init` would do, such as `add 3 servers and connect Codex`; `None` if there is nothing to
/// set up.
pub fn available_setup(workspace: &Workspace) -> Option<String> {
    let plan = plan(workspace, SetupInput::default()).ok()?;
    (!plan.changes_nothing()).then(|| planned_change(&plan).summary)
}

fn plan(workspace: &Workspace, input: SetupInput) -> Result<SetupPlan, OperationError> {
    let config = workspace.config();
    let only =
        input.only.as_deref().map(ServerSelection::parse_all).transpose().map_err(failure)?;
    let request = SetupRequest {
        clients: input.clients.iter().filter_map(|name| import::find_client(name)).collect(),
        only,
        secrets: input.secrets.handling(&config)?,
        connect: !input.no_connect,
        folders: &client_folders(workspace, &config),
        own: &OwnProgram::running(&workspace.program),
    };
    // The command is the same for all clients of a kind, and cannot fail for one of them only.
    let in_terminal = own_launch_command(workspace, false)?;
    let on_desktop = own_launch_command(workspace, true)?;
    let launch = |client: &import::ClientFormat| -> Result<_, ConfigError> {
        Ok(if client.is_desktop { on_desktop.clone() } else { in_terminal.clone() })
    };
    SetupPlan::new(request, &launch, &config).map_err(failure)
}

fn planned_change(plan: &SetupPlan) -> PlannedChange {
    let ids: Vec<_> = plan.import.additions().map(|(id, _)| id.as_str()).collect();
    let clients: Vec<_> = plan.connected().map(|client| client.client.title).collect();
    let names: Vec<_> = plan.connected().map(|client| client.client.name).collect();
    let added = (!ids.is_empty()).then(|| format!("add {}", counted(ids.len(), "server")));
    let connected =
        (!clients.is_empty()).then(|| format!("connect {}", setup_text::list(&clients)));
    let summary = added.into_iter().chain(connected).collect::<Vec<_>>().join(" and ");
    let subject = ids.into_iter().chain(names).collect::<Vec<_>>().join(", ");
    PlannedChange { kind: ChangeKind::Client, subject, action: "set up", summary }
}

impl Setup {
    fn new(plan: &SetupPlan, lookup: &ReferenceLookup) -> Self {
        let servers = plan.import.files.iter().flat_map(|file| {
            let target = plan.import.target(file.scope).map(|target| shown_path(&target.file));
            let server = move |server| SetupServer::new(file, server, target.clone(), lookup);
            file.servers.iter().map(server)
        });
        let is_native = |file: &PlannedFile| {
            file.scope == ConfigScope::Project && file.path.ends_with(".mcp.json")
        };
        Self {
            written: false,
            servers: servers.collect(),
            clients: plan.clients.iter().map(SetupClient::new).collect(),
            tool_count: 0,
            planned: None,
            is_read_in_place: plan.import.files.iter().any(is_native),
        }
    }

    /// Adds the results of discovery.
    fn record(&mut self, discovered: BTreeMap<SourceId, DiscoveredServer>) {
        let added = self.servers.iter_mut().filter(|server| server.action == "add");
        for server in added {
            let id = server.id.as_deref().and_then(|id| SourceId::new(id).ok());
            let found = id.and_then(|id| discovered.get(&id));
            (server.status, server.tool_count, server.error, server.hint) = match found {
                None => (Some("disabled"), None, None, None),
                Some(DiscoveredServer::Loaded(tools)) => (Some("loaded"), Some(*tools), None, None),
                Some(DiscoveredServer::Failed { error, hint }) => {
                    (Some("failed"), None, Some(error.clone()), hint.clone())
                }
            };
            self.tool_count += server.tool_count.unwrap_or(0);
        }
    }
}

impl SetupServer {
    fn new(
        file: &PlannedFile,
        server: &PlannedServer,
        target: Option<String>,
        lookup: &ReferenceLookup,
    ) -> Self {
        let mut info = Self {
            name: server.name.clone(),
            client: file.client.name,
            title: file.client.title,
            path: file.path.display().to_string(),
            scope: file.scope.word(),
            action: "skip",
            id: None,
            target: None,
            transport: None,
            runs: None,
            secrets: Vec::new(),
            missing: Vec::new(),
            notes: server.notes.clone(),
            reason: None,
            hint: None,
            status: None,
            tool_count: None,
            error: None,
        };
        match &server.action {
            ImportAction::Add { id, prepared } => {
                (info.action, info.id, info.target) = ("add", Some(id.to_string()), target);
                info.transport = Some(import::transport(&prepared.preview));
                info.runs = Some(import::command_line(&prepared.preview));
                info.missing = missing(prepared, lookup);
                let secret = |secret: &import::HandledSecret| SetupSecret {
                    location: secret.location.clone(),
                    stored: secret.stored.clone(),
                };
                info.secrets = prepared.handled.iter().map(secret).collect();
            }
            ImportAction::Same { id } => (info.action, info.id) = ("same", Some(id.clone())),
            ImportAction::Skip { reason, hint } => {
                (info.reason, info.hint) = (Some(reason.clone()), hint.clone());
            }
        }
        info
    }
}

impl SetupClient {
    fn new(planned: &PlannedClient) -> Self {
        let (action, reason) = match &planned.action {
            ConnectAction::Connect => ("connect", None),
            ConnectAction::Unchanged => ("none", None),
            ConnectAction::Skip(reason) => ("skip", Some(reason.clone())),
        };
        Self {
            client: planned.client.name,
            title: planned.client.title,
            path: planned.path.display().to_string(),
            action,
            moved: planned.moved.clone(),
            reason,
        }
    }
}

/// Variables that an entry needs, and that are neither set, stored, nor about to be stored.
fn missing(prepared: &PreparedEntry, lookup: &ReferenceLookup) -> Vec<String> {
    let is_stored = |name: &str| {
        prepared
            .secrets
            .iter()
            .any(|secret| matches!(secret, StoredSecret::File(file) if file.path().ends_with(name)))
    };
    let ServerEntry { command, args, env, url, headers, bearer, .. } = &prepared.entry;
    let texts = command
        .iter()
        .chain(args)
        .chain(env.values())
        .chain(url)
        .chain(headers.values())
        .chain(bearer);
    let mut missing = Vec::new();
    for text in texts.map(|text| ConfigText::from(text.as_str())) {
        for name in text.missing_variables(lookup) {
            if !is_stored(name) && !missing.iter().any(|known| known == name) {
                missing.push(name.to_owned());
            }
        }
    }
    missing
}

//! `connect`, `connect list` and `disconnect`: manage the entry of this program in the
//! configuration of other MCP clients.

use super::client::{
    SecretStorage, TOOLS_ARE_LOADING, apply_added, client_folders, client_name, discover_added,
    own_launch_command,
};
use super::import::plan_text;
use super::shown_path;
use super::status::NoInput;
use crate::error::failure;
use crate::{Workspace, config};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use toolscout_config::ConfigScope;
use toolscout_config::connect::{
    ClientStatus, ClientTarget, ConnectPlan, DisconnectOutcome, DisconnectPlan, client_status,
};
use toolscout_config::import::{ClientFolders, ClientFormat, OwnProgram, find_client};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::{counted, json};

/// Write this program into the configuration of a client.
pub(crate) struct ConnectClient;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectClientInput {
    /// The client
    #[schemars(schema_with = "client_name", extend("x-cli" = {"positional": true, "value": "CLIENT"}))]
    client: String,
    /// The configuration scope
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "SCOPE"}))]
    scope: ClientScope,
    /// Move the other servers of the client to the toolscout configuration
    #[serde(default)]
    take: bool,
    /// Where to store secrets
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "WHERE"}))]
    secrets: SecretStorage,
}

#[derive(Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ClientScope {
    #[default]
    User,
    Project,
}

/// A connected client.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConnectedClient {
    /// The client.
    client: &'static str,
    /// The path of its configuration file.
    path: String,
    /// Whether this command changed the file.
    changed: bool,
    /// The entry of toolscout in that file, with its parent keys.
    entry: Value,
    /// The number of servers moved to the toolscout configuration.
    moved: usize,
    /// The other servers that stay in the file, and that the client starts itself.
    others: Vec<String>,
    #[serde(skip)]
    page: String,
    #[serde(skip)]
    message: String,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for ConnectClient {
    type Input = ConnectClientInput;
    type Output = ConnectedClient;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["A backup of the file is stored, and `disconnect` restores it."],
        examples: &["toolscout connect cursor", "toolscout connect claude-desktop --take"],
        ..OperationSpec::change(
            "connect",
            "Add toolscout to a client as an MCP server",
            "PUT",
            "/api/clients/{client}",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ConnectClientInput,
        cx: &Cx,
    ) -> Result<ConnectedClient, OperationError> {
        let selected = SelectedClient::resolve(workspace, &input.client, input.scope)?;
        let launch = own_launch_command(workspace, selected.client.is_desktop)?;
        let config = workspace.config();
        let secrets = input.take.then(|| input.secrets.handling(&config)).transpose()?;
        let plan =
            ConnectPlan::new(selected.target(), &launch, secrets, &config).map_err(failure)?;
        let moves = plan.moved_servers().map(|(count, file)| (count, shown_path(file)));
        let (title, path) = (plan.title, shown_path(&plan.path));
        let mut connected = ConnectedClient {
            client: selected.client.name,
            path: plan.path.display().to_string(),
            changed: !plan.changes_nothing(),
            entry: plan.document.clone(),
            moved: moves.as_ref().map_or(0, |(count, _)| *count),
            others: plan.others.clone(),
            page: plan.moves.as_ref().map(plan_text).unwrap_or_default(),
            message: format!("{title} is already connected: {path}\n"),
            planned: None,
        };
        let duplicates = duplicates_hint(selected.client, &plan.others);
        if plan.changes_nothing() {
            connected.message += &duplicates;
            return Ok(connected);
        }
        let moved = |verb: &str| {
            let with_moves = moves.as_ref().filter(|(count, _)| *count > 0);
            with_moves
                .map(|(count, file)| format!("{verb} {} to {file}\n", counted(*count, "server")))
                .unwrap_or_default()
        };
        let (subject, summary) =
            (selected.client.name.to_owned(), format!("write this entry to {path}"));
        match cx.change(PlannedChange {
            kind: ChangeKind::Client,
            subject,
            action: "connected",
            summary,
        }) {
            Ok(change) => {
                let summary = format!("connect {title}");
                let editor = config::editor(workspace, Self::SPEC.name, &summary);
                let store = workspace.environment.store();
                let added = plan.apply(&editor, &*store).map_err(failure)?;
                drop(plan);
                apply_added(workspace, &added, &editor).await?;
                change.commit();
                connected.message = moved("Moved");
                if discover_added(workspace, &added).await? {
                    connected.message += TOOLS_ARE_LOADING;
                }
                connected.message +=
                    &format!("Connected {title}: {path}\n  hint: restart {title} to finish\n");
                connected.message += &duplicates;
            }
            Err(DryRun(planned)) => {
                connected.message = moved("Would move");
                connected.planned = Some(planned);
            }
        }
        Ok(connected)
    }

    fn text(output: &ConnectedClient, _: &Text) -> String {
        let entry = output.planned.as_ref().map(|_| json::pretty(&output.entry) + "\n");
        output.page.clone() + &entry.unwrap_or_default()
    }

    fn is_data(_: &ConnectedClient) -> bool {
        true
    }

    fn planned(output: &ConnectedClient) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &ConnectedClient, _: &Text) -> String {
        output.message.clone()
    }
}

/// List other clients, and which of them are connected.
pub(crate) struct ListClients;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ClientList {
    #[schemars(with = "Vec<Value>")]
    clients: Vec<ClientStatus>,
}

impl Operation<Workspace> for ListClients {
    type Input = NoInput;
    type Output = ClientList;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[CommandName::new("connect list").alias("connect --list")],
        examples: &["toolscout connect list"],
        access: Access::Operator,
        ..OperationSpec::read(
            "connect list",
            "List clients, and show which are connected",
            "/api/clients",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<ClientList, OperationError> {
        let folders = client_folders(workspace, &workspace.config());
        Ok(ClientList {
            clients: client_status(&folders, &OwnProgram::running(&workspace.program)),
        })
    }

    fn text(output: &ClientList, _: &Text) -> String {
        let line = |status: &ClientStatus| {
            let path = status.path.as_deref().map(shown_path).unwrap_or_default();
            format!("{:<16}{:<12}{path}", status.client, status.state).trim_end().to_owned() + "\n"
        };
        output.clients.iter().map(line).collect()
    }

    fn write_json(output: &ClientList, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.clients)
    }
}

/// Take this program out of the configuration of a client.
pub(crate) struct DisconnectClient;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisconnectClientInput {
    /// The client
    #[schemars(schema_with = "client_name", extend("x-cli" = {"positional": true, "value": "CLIENT"}))]
    client: String,
    /// The configuration scope
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "SCOPE"}))]
    scope: ClientScope,
    /// Restore the whole file from the backup, even if it was changed since
    #[serde(default)]
    whole: bool,
}

/// A disconnected client.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DisconnectedClient {
    /// The client.
    client: &'static str,
    /// The path of its configuration file.
    path: String,
    /// `restored` (the file is as before), `removed` (the file did not exist before), `entry-removed` (only the entry of toolscout was
    /// removed) or `not-connected`.
    outcome: &'static str,
    #[serde(skip)]
    message: String,
}

impl Operation<Workspace> for DisconnectClient {
    type Input = DisconnectClientInput;
    type Output = DisconnectedClient;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "If the file has changed since it was connected, only the toolscout entry is removed.",
        ],
        examples: &["toolscout disconnect cursor"],
        ..OperationSpec::change(
            "disconnect",
            "Remove toolscout from a client",
            "DELETE",
            "/api/clients/{client}",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: DisconnectClientInput,
        cx: &Cx,
    ) -> Result<DisconnectedClient, OperationError> {
        let selected = SelectedClient::resolve(workspace, &input.client, input.scope)?;
        let store = workspace.environment.store();
        let plan = DisconnectPlan::new(selected.target(), input.whole, &*store).map_err(failure)?;
        let (title, path) = (selected.client.title, shown_path(plan.path()));
        let (subject, summary) =
            (selected.client.name.to_owned(), format!("remove this program from {path}"));
        let change =
            PlannedChange { kind: ChangeKind::Client, subject, action: "disconnected", summary };
        let change = cx.change(change)?;
        let summary = format!("disconnect {title}");
        let editor = config::editor(workspace, Self::SPEC.name, &summary);
        let result = plan.apply(&editor, &*store).map_err(failure)?;
        if result != DisconnectOutcome::NotConnected {
            change.commit();
        }
        let (outcome, message) = match result {
            DisconnectOutcome::Restored => {
                ("restored", format!("Disconnected {title}: restored {path}\n"))
            }
            DisconnectOutcome::Removed => (
                "removed",
                format!("Disconnected {title}: removed {path}, which did not exist before\n"),
            ),
            DisconnectOutcome::EntryRemoved => (
                "entry-removed",
                format!(
                    "Disconnected {title}: {path} has changed since, so only the toolscout entry was removed\n  \
                     hint: use --whole to restore the whole file\n"
                ),
            ),
            DisconnectOutcome::NotConnected => {
                ("not-connected", format!("{title} is not connected: {path}\n"))
            }
        };
        let path = plan.path().display().to_string();
        Ok(DisconnectedClient { client: selected.client.name, path, outcome, message })
    }

    fn text(output: &DisconnectedClient, _: &Text) -> String {
        output.message.clone()
    }
}

/// Names the servers that the client starts itself, besides toolscout.
fn duplicates_hint(client: &ClientFormat, others: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let names: Vec<_> = others.iter().map(|name| escape::line(name)).collect();
    format!(
        "{} still starts {} itself: {}\n  hint: use --take to move them to toolscout, so that their tools are not offered twice\n",
        client.title,
        counted(others.len(), "server"),
        names.join(", ")
    )
}

/// A client, and the location of its files.
struct SelectedClient {
    client: &'static ClientFormat,
    scope: ConfigScope,
    folders: ClientFolders,
    own: OwnProgram,
}

impl SelectedClient {
    fn resolve(
        workspace: &Workspace,
        client: &str,
        scope: ClientScope,
    ) -> Result<Self, OperationError> {
        Ok(Self {
            client: find_client(client).ok_or_else(|| OperationError::not_found("Client"))?,
            scope: match scope {
                ClientScope::User => ConfigScope::User,
                ClientScope::Project => ConfigScope::Project,
            },
            folders: client_folders(workspace, &workspace.config()),
            own: OwnProgram::running(&workspace.program),
        })
    }

    fn target(&self) -> ClientTarget<'_> {
        ClientTarget {
            client: self.client,
            scope: self.scope,
            folders: &self.folders,
            own: &self.own,
        }
    }
}

//! Shared helpers of the operations on other MCP clients: their names, their folders, and the
//! command that starts this program.

use super::blocking;
use super::server::refresh;
use crate::Workspace;
use crate::error::failure;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use toolscout_config::connect::launch_command;
use toolscout_config::import::{CLIENTS, ClientFolders, LaunchCommand, SecretHandling};
use toolscout_config::{Config, ConfigEditor};
use toolscout_core::{Cx, SourceId};
use toolscout_surface::operation::OperationError;

/// The message about added servers, while another process loads their tools.
pub(super) const TOOLS_ARE_LOADING: &str =
    "Their tools are loading in the background.\n  hint: toolscout server list\n";

/// The schema of a client's name.
pub(super) fn client_name(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
    json_schema!({"type": "string", "enum": names})
}

/// The folders with the files of other clients, from the environment of this run.
pub(super) fn client_folders(workspace: &Workspace, config: &Config) -> ClientFolders {
    let environment = &workspace.environment;
    let variable = |name: &str| environment.var(name).map(str::to_owned);
    ClientFolders::new(&variable, environment.cwd(), config.project_folder())
}

/// The command that starts this program as an MCP server. A desktop program does not have the
/// search path of this terminal.
pub(super) fn own_launch_command(
    workspace: &Workspace,
    is_desktop: bool,
) -> Result<LaunchCommand, OperationError> {
    let path = workspace.environment.var("PATH").filter(|_| !is_desktop);
    launch_command(&workspace.program, path).map_err(failure)
}

/// Where an import puts the secrets that it finds.
#[derive(Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum SecretStorage {
    /// A file that only the user can read.
    #[default]
    File,
    /// The keyring of the system.
    Keyring,
    /// An environment variable, which the user exports.
    Env,
    /// The configuration, as plain text.
    Keep,
}

impl SecretStorage {
    pub(super) fn handling(self, config: &Config) -> Result<SecretHandling, OperationError> {
        match self {
            Self::File => SecretHandling::files(config).map_err(failure),
            Self::Keyring => SecretHandling::keyring(config).map_err(failure),
            Self::Env => Ok(SecretHandling::Variables),
            Self::Keep => Ok(SecretHandling::Keep),
        }
    }
}

/// The names of clients, as a list.
pub(super) fn client_list(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": client_name(generator)})
}

/// Records that the operator added these servers, whether or not the project is trusted, and
/// applies the configuration.
pub(super) async fn apply_added(
    workspace: &Workspace,
    ids: &[SourceId],
    editor: &ConfigEditor,
) -> Result<(), OperationError> {
    if ids.is_empty() {
        return Ok(());
    }
    workspace.reload()?;
    let (set, ids, editor) = (workspace.servers(), ids.to_vec(), editor.clone());
    blocking(move || {
        ids.iter().try_for_each(|id| set.record_added(id, true, &editor)).map_err(failure)
    })
    .await?;
    // The record decides whether a server may be started.
    Ok(workspace.apply_configuration().await?)
}

/// Discovers the tools of servers whose secrets have changed, without waiting for them.
pub(super) async fn discover_again(
    workspace: &Workspace,
    ids: &[SourceId],
    cx: &Cx,
) -> Result<(), OperationError> {
    if !workspace.is_serving() {
        return discover_added(workspace, ids).await.map(drop);
    }
    let set = workspace.servers();
    for source in set.sources.iter().filter(|source| ids.contains(&source.server().id)) {
        let refresh = refresh(workspace.gateway_for(cx), source.clone(), cx.clone());
        workspace.tasks.spawn(async { drop(refresh.await) })?;
    }
    Ok(())
}

/// Discovers the tools of the servers that may be started in another process; false if there
/// are none.
pub(super) async fn discover_added(
    workspace: &Workspace,
    ids: &[SourceId],
) -> Result<bool, OperationError> {
    let set = workspace.servers();
    let may_start = |id: &&SourceId| {
        set.sources.iter().any(|source| source.server().id == **id && source.may_start())
    };
    let ids: Vec<_> = ids.iter().filter(may_start).cloned().collect();
    // A serving process discovers new servers as soon as it has read the configuration.
    if !ids.is_empty() && !workspace.is_serving() {
        workspace.discover_in_another_process(&ids).await?;
    }
    Ok(!ids.is_empty())
}

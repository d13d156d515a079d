//! Shared helpers of the operations on other MCP clients: their names, their folders, and the
//! command that starts this program.

use crate::Workspace;
use crate::error::failure;
use schemars::{Schema, SchemaGenerator, json_schema};
use toolscout_config::Config;
use toolscout_config::connect::launch_command;
use toolscout_config::import::{CLIENTS, ClientFolders, LaunchCommand};
use toolscout_core::SourceId;
use toolscout_surface::operation::OperationError;

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

/// Records that the operator added these servers, whether or not the project is trusted.
pub(super) fn record_added(workspace: &Workspace, ids: &[SourceId]) -> Result<(), OperationError> {
    if ids.is_empty() {
        return Ok(());
    }
    workspace.reload()?;
    let set = workspace.servers();
    ids.iter().try_for_each(|id| set.record_added(id, true)).map_err(failure)
}

//! The commands `connect` and `disconnect`.

mod command;
mod disconnect;
#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, RunCx, Setup};
use toolscout_config::connect::launch_command;
use toolscout_config::import::LaunchCommand;
use toolscout_core::BoxFuture;

/// The command that starts this program as an MCP server, for a client with or without our search path.
pub(crate) fn launch(cx: &RunCx, is_desktop: bool) -> Result<LaunchCommand, AppError> {
    let path = cx.environment().var("PATH").filter(|_| !is_desktop);
    Ok(launch_command(cx.program(), path)?)
}

/// Adds the commands `connect` and `disconnect`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Connect;

impl Plugin for Connect {
    fn id(&self) -> &str {
        "connect"
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.parts.configuration = true;
        cx.parts.servers = true;
        Box::pin(async {
            cx.add_command(command::ConnectCommand)?;
            cx.add_command(disconnect::DisconnectCommand)
        })
    }
}

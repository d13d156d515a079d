//! Writes this program into other programs' configuration, and takes it out again without a trace.

mod backup;
mod command;
mod connection;
mod disconnect;
mod file;
mod launch;
mod list;
mod site;
mod take;
#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, Setup};
pub(crate) use launch::of as launch;
use toolscout_core::BoxFuture;

/// Adds the commands `connect` and `disconnect`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Connect;

impl Plugin for Connect {
    fn id(&self) -> &str {
        "connect"
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async {
            cx.add_command(command::ConnectCommand)?;
            cx.add_command(disconnect::DisconnectCommand)
        })
    }
}

//! Servers that other programs have configured, brought into our own file; shown first.

mod client;
mod clients;
mod command;
mod document;
mod fields;
mod guess;
mod homes;
mod look;
mod ourselves;
mod page;
mod plan;
mod references;
mod secrets;
mod target;
#[cfg(test)]
mod tests;
mod usual;
mod view;

use crate::{AppError, Plugin, Setup};
use toolscout_core::BoxFuture;

pub(super) use client::{Client, ClientFile, Launch, Scope, Section};
pub(super) use clients::{CLIENTS, named};
pub(super) use document::{parse, read};
pub(super) use homes::Homes;
pub(super) use look::{FoundFile, FoundServer, Looking, table};
pub(super) use ourselves::Ourselves;
pub(super) use page::{counted, page};
pub(super) use plan::{Choice, Fate, Plan};
pub(super) use secrets::{Treatment, hidden};
pub(super) use target::{Known, Target};

/// Adds the command `import`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Import;

impl Plugin for Import {
    fn id(&self) -> &str {
        "import"
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { cx.add_command(command::ImportCommand) })
    }
}

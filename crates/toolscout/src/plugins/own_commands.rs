//! Commands that an application adds without a plugin of its own.

use crate::{AfterSetup, AppError, Command, Plugin, RunCx, Setup};
use std::sync::Arc;
use toolscout_core::BoxFuture;
use toolscout_surface::cli::CommandSpec;
use toolscout_surface::codes::Exit;

pub(crate) struct OwnCommands(Vec<Arc<dyn Command>>);

impl OwnCommands {
    pub(crate) fn new(commands: Vec<Box<dyn Command>>) -> Self {
        Self(commands.into_iter().map(Arc::from).collect())
    }
}

impl Plugin for OwnCommands {
    fn id(&self) -> &str {
        "own-commands"
    }

    fn setup<'a>(&'a self, _: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { Ok(()) })
    }

    fn after_setup<'a>(&'a self, cx: &'a AfterSetup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { self.0.iter().try_for_each(|it| cx.add_command(Shared(it.clone()))) })
    }
}

struct Shared(Arc<dyn Command>);

impl Command for Shared {
    fn spec(&self) -> CommandSpec {
        self.0.spec()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        self.0.run(cx)
    }

    fn is_hidden(&self) -> bool {
        self.0.is_hidden()
    }
}

//! The command `import`.

mod command;
mod page;
#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, RunCx, Setup};
use toolscout_config::Config;
use toolscout_config::import::ClientFolders;
use toolscout_core::BoxFuture;

pub(super) use command::has_added_all;
pub(super) use page::{counted, page};

/// Where other clients keep their files, as the environment of this run says.
pub(super) fn client_folders(cx: &RunCx, config: &Config) -> ClientFolders {
    let variable = |name: &str| cx.environment().var(name).map(str::to_owned);
    ClientFolders::new(&variable, cx.environment().cwd(), config.project_folder())
}

/// Adds the command `import`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Import;

impl Plugin for Import {
    fn id(&self) -> &str {
        "import"
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.parts.configuration = true;
        cx.parts.servers = true;
        Box::pin(async { cx.add_command(command::ImportCommand) })
    }
}

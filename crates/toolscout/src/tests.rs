//! The whole program as the binary composes it, for tests of its texts.

mod commands_reference;
mod json_errors;

use crate::operation_command::OperationCliCommand;
use crate::plugin::Setup;
use crate::{Command, Plugin, line, plugins};
use std::sync::Arc;
use toolscout_surface::cli::OptionSpec;
use toolscout_surface::operation::Operations;
use toolscout_workspace::OPERATIONS;

/// The global options and all commands of the program that `main.rs` composes.
pub(crate) fn program() -> (Vec<OptionSpec>, Vec<Arc<dyn Command>>) {
    let all: &[&dyn Plugin] = &[
        &plugins::Logs,
        &plugins::Telemetry,
        &plugins::Journal,
        &plugins::Registry::default(),
        &plugins::Discovery::default(),
        &plugins::OpenCode,
        &plugins::Servers,
        &plugins::Review,
        &plugins::Search,
        &plugins::Context,
        &plugins::Observe,
        &plugins::Import,
        &plugins::Serve,
        &plugins::Ui,
        &plugins::Connect,
        &plugins::Bench,
        &plugins::Cli,
    ];
    let mut setup = Setup::default();
    for plugin in all {
        plugin.setup(&mut setup).expect("the plugins have no conflict");
    }
    let bound = OPERATIONS.iter().map(|(_, bind)| bind(&setup.slot)).collect();
    for command in OperationCliCommand::all(&Operations::new(bound)) {
        setup.commands.add(command).expect("a name of its own");
    }
    let mut options = line::base_options();
    options.extend(setup.options.iter().cloned());
    (options, setup.commands.all())
}

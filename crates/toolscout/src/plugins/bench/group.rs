//! `bench` without a subcommand: lists the benchmarks.

use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;

pub(super) struct BenchCommand;

const SUBJECTS: [&str; 1] = ["retrieval"];

impl Command for BenchCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("bench", "Measure search on this machine")
            .positional(PositionalSpec::new("SUBJECT", "What to measure").choices(SUBJECTS))
            .option(OptionSpec::help("Show this help"))
            .note("Run `toolscout bench SUBJECT --help` for details.")
            .example("toolscout bench retrieval")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            cx.print_help(self.spec())?;
            Ok(Exit::Done)
        })
    }
}

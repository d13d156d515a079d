//! `man` prints the manual page, and `help TOPIC` one of its topics.

use crate::topics::{COMMAND, TOPICS};
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::man::ManualPage;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_workspace::CommandTraits;

pub(super) struct ManualCommand;

impl Command for ManualCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("man", "Print the manual page of all commands")
            .option(OptionSpec::help("Show this help"))
            .note("The page is in the roff format: pass it to `man -l -`, or store it as toolscout.1.")
            .example("toolscout man > ~/.local/share/man/man1/toolscout.1")
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::reading()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            // Commands with underscores are for completion scripts.
            let own = cx.commands().all().into_iter().filter(|item| !item.name().starts_with('_'));
            let mut commands: Vec<CommandSpec> = own.map(|command| command.spec()).collect();
            commands.sort_by(|a, b| a.name.cmp(&b.name));
            let topics: Vec<_> = TOPICS.iter().map(|topic| (topic.heading, topic.text)).collect();
            let page = ManualPage {
                program: cx.program(),
                version: cx.version(),
                spec: cx.program_spec(),
                commands: &commands,
                topics: &topics,
            };
            cx.print(&page.to_roff()).map(|()| Exit::Done)
        })
    }
}

/// Prints one topic. `help TOPIC` is an alias of it.
pub(super) struct TopicCommand;

impl Command for TopicCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new(COMMAND, "Show a topic of the help").positional(
            PositionalSpec::new("TOPIC", "The topic")
                .required()
                .choices(TOPICS.iter().map(|topic| topic.name)),
        )
    }

    fn is_hidden(&self) -> bool {
        true
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::reading()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let name = &cx.parsed.positionals[0];
            let topic = TOPICS.iter().find(|topic| topic.name == name);
            cx.print(topic.map(|topic| topic.text).unwrap_or_default()).map(|()| Exit::Done)
        })
    }
}

//! `completion` prints the script of a shell; `__complete` returns the candidates for it.

use super::tool_command::ToolCommand;
use crate::line::{self, COMPLETE};
use crate::{AppError, Command, RunCx, words};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::complete::{self, Candidate, Shell};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::tools;
use toolscout_workspace::CommandTraits;

pub(super) struct CompletionCommand;

impl Command for CompletionCommand {
    fn spec(&self) -> CommandSpec {
        let shells = Shell::ALL.map(|(name, _)| name);
        CommandSpec::new("completion", "Print a shell's completion script")
            .positional(PositionalSpec::new("SHELL", "The shell").required().choices(shells))
            .option(OptionSpec::help("Show this help"))
            .example("source <(toolscout completion bash)")
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::reading()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let shell = cx.parsed.positionals[0].parse::<Shell>().ok();
            cx.print(shell.map(Shell::script).unwrap_or_default()).map(|()| Exit::Done)
        })
    }
}

pub(super) struct CompleteCommand;

impl Command for CompleteCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new(COMPLETE, "Complete a command line, for completion scripts")
    }

    fn is_hidden(&self) -> bool {
        true
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::reading()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().discovered_gateway().await?;
            let tool_spec = |name: &str| {
                let name = cx.tools().canonical_name(&gateway.snapshot(), name);
                let tool = gateway.resolve(&name).ok()?;
                Some(ToolCommand::new(tool, cx.options().locale()).spec())
            };
            let tools = || {
                gateway
                    .snapshot()
                    .tools()
                    .map(|tool| Candidate::new(tool.id.name.as_str(), tools::about(tool)))
                    .collect()
            };
            let names = |path: &[String]| match path {
                [] => [built_in(cx), tools()].concat(),
                [only] if only == "run" || only == "describe" => tools(),
                [only] => below(cx, only),
                _ => Vec::new(),
            };
            let spec = |path: &[String]| match path {
                [] => Some(words::translated(cx.program_spec().clone(), cx.options().locale())),
                [only] => built_in_spec(cx, only).or_else(|| tool_spec(only)),
                [run, tool] if run == "run" => tool_spec(tool),
                [first, second] => built_in_spec(cx, &format!("{first} {second}")),
                _ => None,
            };
            let found = complete::candidates(&cx.parsed.rest, names, spec);
            cx.print(&complete::print(&found)).map(|()| Exit::Done)
        })
    }
}

fn built_in(cx: &RunCx) -> Vec<Candidate> {
    let shown =
        cx.commands().all().into_iter().filter(|item| !item.is_hidden()).map(|item| item.spec());
    shown
        .map(|value| Candidate::new(value.name, words::say(cx.options().locale(), &value.about)))
        .collect()
}

/// The commands of two words that start with this one.
fn below(cx: &RunCx, first: &str) -> Vec<Candidate> {
    let locale = cx.options().locale();
    let specs = cx.commands().all().into_iter().map(|item| item.spec());
    let second = |command_spec: &CommandSpec| {
        command_spec.name.strip_prefix(first)?.strip_prefix(' ').map(str::to_owned)
    };
    specs
        .filter_map(|spec| Some(Candidate::new(second(&spec)?, words::say(locale, &spec.about))))
        .collect()
}

fn built_in_spec(cx: &RunCx, name: &str) -> Option<CommandSpec> {
    let spec = line::joined(cx.commands().find(name)?.spec(), &cx.program_spec().options);
    Some(words::translated(spec, cx.options().locale()))
}

//! Commands, command sets that are resolved on demand, and decorators around a run.

mod extensions;
mod registry;

pub use extensions::Extensions;
pub use registry::Commands;

use crate::{AppError, Environment, Options, Tools, Workspace, words};
use serde::Serialize;
use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx};
use toolscout_surface::cli::help::{self, HelpLayout};
use toolscout_surface::cli::{CommandSpec, Parsed};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{Operations, Text};
use toolscout_surface::output::{self, Format};
use toolscout_workspace::CommandTraits;

/// A command of the program.
pub trait Command: Send + Sync {
    /// Its name, options and help texts. Parsing, help and completion are derived from it.
    fn spec(&self) -> CommandSpec;

    /// Its name; cheaper than the whole specification.
    fn name(&self) -> String {
        self.spec().name
    }

    /// Its summary.
    fn about(&self) -> String {
        self.spec().about
    }

    /// An alternative spelling, as an option of a shorter command: `review --accept`.
    fn alias(&self) -> Option<&str> {
        None
    }

    /// Runs the command.
    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>>;

    /// The properties that sources and the gateway depend on. The command line adds what its
    /// options imply.
    fn traits(&self) -> CommandTraits {
        CommandTraits::default()
    }

    /// Whether it handles `--help` itself, instead of the help of its own spec being shown.
    fn answers_help(&self) -> bool {
        false
    }

    /// Whether lists omit it. They show a command of two words by its first.
    fn is_hidden(&self) -> bool {
        self.name().contains(' ')
    }
}

/// Commands that are resolved only when needed, such as a command per tool.
pub trait CommandSet: Send + Sync {
    /// The command with this name, if it is in this set.
    fn find<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn Command>>, AppError>>;

    /// All commands of the set, for help and completion.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Listing>, AppError>>;
}

/// A command as shown in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The name to type.
    pub name: String,
    /// A one-line summary.
    pub about: String,
    /// The heading under which it is listed.
    pub group: String,
}

/// Wraps every run of a command. The first one registered is the outermost.
pub trait Decorator: Send + Sync {
    /// Runs code before and after `next`, or instead of it.
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>)
    -> BoxFuture<'a, Result<Exit, AppError>>;
}

/// The inner part of a decorator: the next decorator, or finally the command.
pub struct Next<'a> {
    pub(crate) decorators: &'a [Arc<dyn Decorator>],
    pub(crate) command: &'a dyn Command,
}

impl<'a> Next<'a> {
    /// Runs the next decorator or the command.
    pub fn run(self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        match self.decorators.split_first() {
            Some((first, rest)) => {
                first.around(cx, Self { decorators: rest, command: self.command })
            }
            None => self.command.run(cx),
        }
    }
}

/// Opens further projects in the process of a command.
pub(crate) trait ProjectOpener: Send + Sync {
    /// Opens the project that the options name. It inherits the offers of the first one.
    fn open(&self, options: Options, inherited: Arc<Extensions>)
    -> Result<OpenedProject, AppError>;
}

/// A further project of a process.
pub(crate) struct OpenedProject {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) operations: Operations,
    pub(crate) offers: Arc<Extensions>,
}

/// The context of a running command. Cloning is cheap; background work uses a clone.
#[derive(Clone)]
pub struct RunCx {
    /// The name under which it was called.
    pub name: String,
    /// Its own options and positionals.
    pub parsed: Parsed,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) operations: Operations,
    pub(crate) offers: Arc<Extensions>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) commands: Commands,
    pub(crate) version: Arc<str>,
    pub(crate) program: Arc<str>,
    pub(crate) projects: Arc<dyn ProjectOpener>,
    pub(crate) program_spec: Arc<CommandSpec>,
}

impl RunCx {
    /// The same command with the same options, in another project of this process.
    pub(crate) fn in_project(&self, folder: &Path) -> Result<Self, AppError> {
        let options = self.options().in_project(folder);
        let OpenedProject { workspace, operations, offers } =
            self.projects.open(options, self.offers.clone())?;
        Ok(Self { workspace, operations, offers, ..self.clone() })
    }

    /// The workspace of the running program.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// All operations of the program.
    pub fn operations(&self) -> Operations {
        self.operations.clone()
    }

    /// The options of the program.
    pub fn options(&self) -> &Options {
        &self.workspace.options
    }

    /// The environment of the program.
    pub fn environment(&self) -> &Environment {
        &self.workspace.environment
    }

    /// The tools of all sources, discovered on first use.
    pub fn tools(&self) -> &Tools {
        &self.workspace.tools
    }

    /// A value offered by a plugin.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.get()
    }

    /// A value that a plugin added for this run.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.extensions.get()
    }

    /// All commands; the registry is sealed.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// The specification of the program's options before any command.
    pub fn program_spec(&self) -> &CommandSpec {
        &self.program_spec
    }

    /// The style of human-readable output.
    pub(crate) fn text_style(&self) -> Text {
        let HelpLayout { style, locale, .. } = self.help_layout();
        let verbose = self.options().switch("verbose");
        let environment = self.environment();
        let (width, is_terminal) = (environment.width(), environment.out_is_terminal());
        Text { style, width, is_terminal, locale, verbose }
    }

    fn help_layout(&self) -> HelpLayout {
        self.environment().help_layout(self.options().locale())
    }

    /// The version of the program.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The name of the program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The context for requests of this run.
    pub fn request(&self) -> Cx {
        Cx { extensions: self.extensions.shared(), ..self.tools().request() }
    }

    /// Prints data to standard output.
    pub fn print(&self, text: &str) -> Result<(), AppError> {
        self.environment().print(text)
    }

    /// Prints a value as data, in this format.
    pub fn print_value(&self, value: &impl Serialize, format: Format) -> Result<(), AppError> {
        match format {
            Format::Toon => self.print(
                &(output::render(&serde_json::to_value(value).unwrap_or_default(), format) + "\n"),
            ),
            // Serialized directly: schemas keep their exact text, and nothing is parsed again.
            _ => self.environment().write(|out| {
                output::json::write(out, value)?;
                out.write_all(b"\n")
            }),
        }
    }

    /// Prints a command's help.
    pub fn print_help(&self, spec: CommandSpec) -> Result<(), AppError> {
        let locale = self.options().locale();
        let subcommands = self.commands.of_group(&spec.name).into_iter();
        let subcommands = subcommands
            .map(|(name, command)| (name, words::say(locale, &command.about()).to_owned()));
        let spec =
            CommandSpec { subcommands: subcommands.collect(), ..words::translated(spec, locale) };
        self.print(&help::command(self.program(), &spec, &self.help_layout()))
    }

    /// Prints a message to standard error.
    pub fn say(&self, text: &str) {
        self.environment().eprint(text);
    }

    /// Whether this is a dry run (`--dry-run`); if so, prints the skipped action: `remove files`.
    pub fn only_would(&self, what: &str) -> bool {
        let is_rehearsal = self.options().switch("dry-run");
        if is_rehearsal {
            self.say(&format!("Would {what}\n"));
        }
        is_rehearsal
    }
}

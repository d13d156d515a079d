//! A command, sets of commands that are looked up when needed, and what may be wrapped around a run.

mod extensions;
mod registry;

pub use extensions::Extensions;
pub use registry::Commands;

use crate::{AppError, Environment, Options, Tools, Workspace, words};
use serde::Serialize;
use std::any::Any;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx};
use toolscout_surface::cli::help::{self, Look};
use toolscout_surface::cli::{CommandSpec, Parsed};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{Operations, Text};
use toolscout_surface::output::{self, Format};

/// Something a person can type.
pub trait Command: Send + Sync {
    /// Its name, options and words; from it come parsing, help and completion.
    fn spec(&self) -> CommandSpec;

    /// Its name alone; cheaper than the whole specification.
    fn name(&self) -> String {
        self.spec().name
    }

    /// Its summary alone.
    fn about(&self) -> String {
        self.spec().about
    }

    /// Another way to type it, as an option of a shorter command: `review --accept`.
    fn alias(&self) -> Option<&str> {
        None
    }

    /// Does it.
    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>>;

    /// Whether it shows help itself when asked for it, instead of its own spec being shown.
    fn answers_help(&self) -> bool {
        false
    }

    /// Whether lists leave it out. They show a command of two words by its first.
    fn is_hidden(&self) -> bool {
        self.name().contains(' ')
    }
}

/// Commands that are only looked up when somebody needs one: a command per tool, say.
pub trait CommandSet: Send + Sync {
    /// The command of this name, if it is one of these.
    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Arc<dyn Command>>, AppError>>;

    /// All of them, for help and completion.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Listing>, AppError>>;
}

/// A command as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// What to type.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// Under which heading.
    pub group: String,
}

/// Wraps every run of a command. The first one registered is the outermost.
pub trait Decorator: Send + Sync {
    /// Does something before and after `next`, or instead of it.
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>) -> BoxFuture<'a, Result<Exit, AppError>>;
}

/// What is inside a decorator: the next one, and in the middle the command.
pub struct Next<'a> {
    pub(crate) decorators: &'a [Arc<dyn Decorator>],
    pub(crate) command: &'a dyn Command,
}

impl<'a> Next<'a> {
    /// Goes on.
    pub fn run(self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        match self.decorators.split_first() {
            Some((first, rest)) => first.around(cx, Self { decorators: rest, command: self.command }),
            None => self.command.run(cx),
        }
    }
}

/// What a running command has at hand. Cloning is cheap: a copy is for what goes on beside the command.
#[derive(Clone)]
pub struct RunCx {
    /// The name it was called by.
    pub name: String,
    /// Its own options and positionals.
    pub parsed: Parsed,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) operations: Operations,
    pub(crate) offers: Arc<Extensions>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) commands: Commands,
    pub(crate) program: Arc<str>,
    pub(crate) program_spec: Arc<CommandSpec>,
}

impl RunCx {
    /// Everything the running program has at hand.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// All operations of the program.
    pub fn operations(&self) -> Operations {
        self.operations.clone()
    }

    /// The program's own options.
    pub fn options(&self) -> &Options {
        &self.workspace.options
    }

    /// Where the program runs.
    pub fn environment(&self) -> &Environment {
        &self.workspace.environment
    }

    /// The tools of all sources, discovered when first asked for.
    pub fn tools(&self) -> &Tools {
        &self.workspace.tools
    }

    /// What a plugin offers.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.of()
    }

    /// What a plugin gave this run.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.extensions.of()
    }

    /// All commands; nothing can be added any more.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// What the program itself takes, before any command.
    pub fn program_spec(&self) -> &CommandSpec {
        &self.program_spec
    }

    /// How text for people is written.
    pub(crate) fn text_style(&self) -> Text {
        let Look { style, locale, .. } = self.look();
        let verbose = self.options().switch("verbose");
        Text { style, width: self.environment().width(), locale, verbose }
    }

    fn look(&self) -> Look {
        self.environment().look(self.options().locale())
    }

    /// What the program is called.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The circumstances for requests of this run.
    pub fn request(&self) -> Cx {
        self.tools().request()
    }

    /// Prints data.
    pub fn print(&self, text: &str) -> Result<(), AppError> {
        self.environment().print(text)
    }

    /// Prints a value that is data, in this format.
    pub fn print_value(&self, value: &impl Serialize, format: Format) -> Result<(), AppError> {
        match format {
            Format::Toon => {
                self.print(&(output::render(&serde_json::to_value(value).unwrap_or_default(), format) + "\n"))
            }
            // Straight from the value: schemas keep their own writing, and nothing is parsed again.
            _ => self.environment().write(|out| {
                output::json::write(out, value)?;
                out.write_all(b"\n")
            }),
        }
    }

    /// Prints a command's help.
    pub fn print_help(&self, spec: CommandSpec) -> Result<(), AppError> {
        self.print(&help::command(&self.program, &words::translated(spec, self.options().locale()), &self.look()))
    }

    /// Says something beside the data.
    pub fn say(&self, text: &str) {
        self.environment().say(text);
    }

    /// Whether this is only a rehearsal (`--dry-run`); if so, says what would be done: `remove files`.
    pub fn only_would(&self, what: &str) -> bool {
        let is_rehearsal = self.options().switch("dry-run");
        if is_rehearsal {
            self.say(&format!("Would {what}\n"));
        }
        is_rehearsal
    }
}

//! A unit that an application may have or leave out, and what it can do in each phase.

use crate::command::{Command, CommandSet, Commands, Decorator, Extensions, RunCx};
use crate::{AppError, Environment, Options, Startup, Tools, Workspace};
use std::any::Any;
use std::sync::Arc;
use toolscout_core::Source;
use toolscout_core::event::Observer;
use toolscout_gateway::GatewayBuilder;
use toolscout_surface::cli::OptionSpec;
use toolscout_surface::operation::{BoundOperation, Operation, Operations, StreamOperation, WorkspaceSlot};
use toolscout_workspace::Parts;

/// A unit that an application may have or leave out.
///
/// The phases: `setup` of every plugin, what it requires first; then the options of the command line are read and the
/// sources made; then `after_setup` of every plugin, which sees what all others offer; then the command is resolved; then
/// `extend`; then the command runs, inside the decorators.
pub trait Plugin: Send + Sync {
    /// Names the plugin among the others.
    fn id(&self) -> &str;

    /// Plugins that must be there, and are set up before this one.
    fn requires(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Plugins that are set up before this one where they are there.
    fn wants(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Adds commands, options, sources, decorators and offers.
    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let _ = cx;
        Ok(())
    }

    /// Sees what all plugins offer, the options and the tools; may still add commands.
    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        let _ = cx;
        Ok(())
    }

    /// Gives the resolved command what it may use while it runs.
    fn extend(&self, cx: &RunCx, extensions: &mut Extensions) {
        let _ = (cx, extensions);
    }
}

pub(crate) type MakeSources = Box<dyn FnOnce(&Startup) -> Result<Vec<Arc<dyn Source>>, AppError> + Send>;
pub(crate) type MakeRules = Box<dyn FnOnce(GatewayBuilder, &Startup) -> Result<GatewayBuilder, AppError> + Send>;

pub(crate) type MakeObserver = Box<dyn FnOnce(&Startup) -> Result<Option<Arc<dyn Observer>>, AppError> + Send>;

/// The first phase.
#[derive(Default)]
pub struct Setup {
    pub(crate) commands: Commands,
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) sources: Vec<MakeSources>,
    pub(crate) rules: Vec<MakeRules>,
    pub(crate) observers: Vec<MakeObserver>,
    pub(crate) decorators: Vec<Arc<dyn Decorator>>,
    pub(crate) offers: Extensions,
    pub(crate) parts: Parts,
    pub(crate) operations: Vec<BoundOperation>,
    pub(crate) bound: Operations,
    pub(crate) slot: WorkspaceSlot<Workspace>,
}

impl Setup {
    /// Adds an operation: its commands, its HTTP route, and its request over the control socket.
    pub fn add_operation<T: Operation<Workspace>>(&mut self) {
        self.operations.push(BoundOperation::new::<Workspace, T>(&self.slot));
    }

    /// Adds an operation that returns a stream.
    pub fn add_stream<T: StreamOperation<Workspace>>(&mut self) {
        self.operations.push(BoundOperation::stream::<Workspace, T>(&self.slot));
    }

    /// Adds a command.
    pub fn add_command(&mut self, command: impl Command + 'static) -> Result<(), AppError> {
        self.commands.add(command)
    }

    /// Where commands are added; may be kept, and says so when it is too late.
    pub fn commands(&self) -> Commands {
        self.commands.clone()
    }

    /// Adds an option of the program itself, given before the command or after a built-in one.
    pub fn add_option(&mut self, option: OptionSpec) {
        self.options.push(option);
    }

    /// Adds a source, made when the options are known; `None` means not this time.
    pub fn add_source<F>(&mut self, make: F)
    where
        F: FnOnce(&Startup) -> Result<Option<Arc<dyn Source>>, AppError> + Send + 'static,
    {
        self.sources.push(Box::new(|startup| Ok(make(startup)?.into_iter().collect())));
    }

    /// Adds sources, as many as there turn out to be when the options are known.
    pub fn add_sources<F>(&mut self, make: F)
    where
        F: FnOnce(&Startup) -> Result<Vec<Arc<dyn Source>>, AppError> + Send + 'static,
    {
        self.sources.push(Box::new(make));
    }

    /// Gives the gateway rules, once the options are known: policies, approvals.
    pub fn rule<F>(&mut self, rule: F)
    where
        F: FnOnce(GatewayBuilder, &Startup) -> Result<GatewayBuilder, AppError> + Send + 'static,
    {
        self.rules.push(Box::new(rule));
    }

    /// Adds an observer of all events, made when the options are known; `None` means not this time.
    pub fn add_observer<F>(&mut self, make: F)
    where
        F: FnOnce(&Startup) -> Result<Option<Arc<dyn Observer>>, AppError> + Send + 'static,
    {
        self.observers.push(Box::new(make));
    }

    /// Wraps every command. The first decorator registered is the outermost.
    pub fn decorate(&mut self, decorator: impl Decorator + 'static) {
        self.decorators.push(Arc::new(decorator));
    }

    /// Extensions something to the other plugins, by its type.
    pub fn offer<T: Any + Send + Sync>(&mut self, value: T) {
        self.offers.insert(value);
    }

    /// What a plugin set up earlier offers.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.of()
    }
}

/// The second phase.
pub struct AfterSetup {
    pub(crate) commands: Commands,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) operations: Operations,
    pub(crate) offers: Arc<Extensions>,
}

impl AfterSetup {
    /// Adds a command.
    pub fn add_command(&self, command: impl Command + 'static) -> Result<(), AppError> {
        self.commands.add(command)
    }

    /// Adds commands that are only looked up when somebody needs them.
    pub fn add_commands(&self, set: impl CommandSet + 'static) -> Result<(), AppError> {
        self.commands.add_set(set)
    }

    /// What any plugin offers.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.of()
    }

    /// The tools of all sources, discovered when first asked for.
    pub fn tools(&self) -> &Arc<Tools> {
        &self.workspace.tools
    }

    /// The program's own options.
    pub fn options(&self) -> &Options {
        &self.workspace.options
    }

    /// Where the program runs.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.workspace.environment
    }
}

//! Plugins, and the context of each phase of their lifecycle.

use crate::command::{Command, CommandSet, Commands, Decorator, Extensions, RunCx};
use crate::{AppError, Environment, Options, Startup, Tools, Workspace, line};
use std::any::Any;
use std::sync::Arc;
use toolscout_core::Source;
use toolscout_core::event::Observer;
use toolscout_gateway::GatewayBuilder;
use toolscout_surface::cli::OptionSpec;
use toolscout_surface::operation::{
    BoundOperation, Operation, Operations, StreamOperation, WorkspaceSlot,
};
use toolscout_workspace::Parts;

/// A unit that an application may include or leave out.
///
/// The phases: `setup` of every plugin; then the options of the command line are parsed and the
/// sources created; then `after_setup` of every plugin, which sees the offers of all others; then
/// the command is resolved; then `extend` of every plugin; then the command runs, inside the
/// decorators.
///
/// Each phase visits the plugins in the same order: a plugin comes after those that it requires or
/// wants, and otherwise in the order in which the application added it.
pub trait Plugin: Send + Sync {
    /// The unique id of the plugin.
    fn id(&self) -> &str;

    /// Plugins that must be present, and are set up before this one.
    fn requires(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Optional plugins that are set up before this one if they are present.
    fn wants(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Adds commands, options, sources, decorators and offers.
    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let _ = cx;
        Ok(())
    }

    /// Runs with the offers of all plugins, the options and the tools; may still add commands.
    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        let _ = cx;
        Ok(())
    }

    /// Adds values for the resolved command to use while it runs. `cx` and `extensions` have the
    /// values of the plugins before this one.
    fn extend(&self, cx: &RunCx, extensions: &mut Extensions) {
        let _ = (cx, extensions);
    }
}

pub(crate) type MakeSources =
    Box<dyn FnOnce(&Startup) -> Result<Vec<Arc<dyn Source>>, AppError> + Send>;
pub(crate) type MakeRules =
    Box<dyn FnOnce(GatewayBuilder, &Startup) -> Result<GatewayBuilder, AppError> + Send>;

pub(crate) type MakeObserver =
    Box<dyn FnOnce(&Startup) -> Result<Option<Arc<dyn Observer>>, AppError> + Send>;

/// The context of the first phase.
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
    /// The offers of the first project of this process, if this is another one.
    pub(crate) inherited: Option<Arc<Extensions>>,
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

    /// The command registry. It may be stored; adding a command too late is an error.
    pub fn commands(&self) -> Commands {
        self.commands.clone()
    }

    /// Adds an option of the program itself, accepted before the command or after a built-in one.
    /// An empty name, and a name or a short form that another option has, are errors.
    pub fn add_option(&mut self, option: OptionSpec) -> Result<(), AppError> {
        line::check_option(&option, &self.options)?;
        self.options.push(option);
        Ok(())
    }

    /// Adds a source, created once the options are parsed; `None` adds no source in this run.
    pub fn add_source<F>(&mut self, make: F)
    where
        F: FnOnce(&Startup) -> Result<Option<Arc<dyn Source>>, AppError> + Send + 'static,
    {
        self.sources.push(Box::new(|startup| Ok(make(startup)?.into_iter().collect())));
    }

    /// Adds any number of sources, created once the options are parsed.
    pub fn add_sources<F>(&mut self, make: F)
    where
        F: FnOnce(&Startup) -> Result<Vec<Arc<dyn Source>>, AppError> + Send + 'static,
    {
        self.sources.push(Box::new(make));
    }

    /// Configures the gateway once the options are parsed: policies, approvals.
    pub fn rule<F>(&mut self, rule: F)
    where
        F: FnOnce(GatewayBuilder, &Startup) -> Result<GatewayBuilder, AppError> + Send + 'static,
    {
        self.rules.push(Box::new(rule));
    }

    /// Adds an observer of all events, created once the options are parsed; `None` adds none in
    /// this run.
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

    /// Offers a value to the other plugins, by its type.
    pub fn offer<T: Any + Send + Sync>(&mut self, value: T) {
        self.offers.insert(value);
    }

    /// A value that one process has once, for all projects that it serves: the one that the first
    /// project offers, else the default, which is offered to the others.
    pub(crate) fn once_per_process<T: Any + Clone + Default + Send + Sync>(&mut self) -> T {
        let inherited = self.inherited.as_ref().and_then(|offers| offers.get::<T>());
        let value = inherited.map(|value| (*value).clone()).unwrap_or_default();
        self.offer(value.clone());
        value
    }

    /// A value offered by a plugin that was set up earlier.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.get()
    }
}

/// The context of the second phase.
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

    /// Adds commands that are resolved only when needed.
    pub fn add_commands(&self, set: impl CommandSet + 'static) -> Result<(), AppError> {
        self.commands.add_set(set)
    }

    /// A value offered by any plugin.
    pub fn offered<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.offers.get()
    }

    /// The tools of all sources, discovered on first use.
    pub fn tools(&self) -> &Arc<Tools> {
        &self.workspace.tools
    }

    /// The options of the program.
    pub fn options(&self) -> &Options {
        &self.workspace.options
    }

    /// The environment of the program.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.workspace.environment
    }
}

//! The lifecycle: setup, options, after-setup, resolve, extend, run.

use crate::command::{Extensions, Next};
use crate::line::{self, Line, Wants};
use crate::operation_command::OperationCliCommand;
use crate::plugin::{AfterSetup, Setup};
use crate::{
    AppError, Command, Decorator, Environment, LifecycleError, Listing, Plugin, RunCx, Startup,
    Tools, Workspace, lifecycle, words,
};
use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::Arc;
use toolscout_core::escape;
use toolscout_core::event::Observers;
use toolscout_gateway::{Gateway, GatewayBuilder};
use toolscout_surface::cli::help::{self, Group};
use toolscout_surface::cli::{self, CommandSpec, Locale, Parsed, PositionalSpec, UsageError};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::Operations;
use toolscout_workspace::OPERATIONS;

/// A program composed of plugins.
pub struct App {
    program: Arc<str>,
    version: String,
    about: String,
    bare: Option<String>,
    plugins: Vec<Arc<dyn Plugin>>,
    /// Commands that the application adds itself.
    commands: Vec<Arc<dyn Command>>,
    environment: Arc<Environment>,
}

/// Collects plugins; opens and starts nothing.
pub struct AppBuilder {
    app: App,
}

impl App {
    /// A program with this name, without plugins.
    pub fn builder(program: &str) -> AppBuilder {
        let app = Self {
            program: program.into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            about: String::new(),
            bare: None,
            plugins: Vec::new(),
            commands: Vec::new(),
            environment: Arc::new(Environment::from_process()),
        };
        AppBuilder { app }
    }

    /// Runs the program with these arguments. Errors are printed, and reflected in the exit code.
    /// Cancel-safe: dropping the future stops everything that was started.
    pub async fn run(&self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Exit {
        let mut locale = Locale::from_env(|name| self.var(name));
        let ran = match line::texts(args) {
            Ok(args) => self.try_run(&args, &mut locale).await,
            Err(error) => Err(error),
        };
        ran.unwrap_or_else(|error| {
            self.report(&error, locale);
            error.exit()
        })
    }

    pub(crate) fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// `locale` is set as soon as the command line is parsed, for later error messages.
    async fn try_run(&self, args: &[String], locale: &mut Locale) -> Result<Exit, AppError> {
        let mut setup = Setup::default();
        for plugin in &self.plugins {
            plugin.setup(&mut setup)?;
        }
        self.add_operations(&mut setup)?;
        let spec = Arc::new(self.spec(&setup));
        *locale = line::locale_seen(args, |name| self.var(name));
        let line =
            Line::read(args, &spec, &setup.commands, |name| self.var(name)).map_err(|errors| {
                AppError::Usage { errors, help: Some(format!("{} --help", self.program)) }
            })?;
        *locale = line.options.locale();
        let word = match line.wants() {
            // Runs before sources and configuration are loaded, so an error in them cannot affect
            // it.
            Wants::Version => {
                return self
                    .environment
                    .print(&format!("{} {}\n", self.program, self.version))
                    .map(|()| Exit::Done);
            }
            Wants::Help => None,
            Wants::Nothing => self.bare.clone(),
            Wants::Command(word) => Some(word),
        };
        let run = self.after_setup(setup, line, spec).await?;
        match word {
            Some(word) => {
                let ran = self.run_command(word.clone(), run?, format).await;
                ran.map_err(|error| error.with_command_help(&self.program, &word))
            }
            None => self.print_help(&run?).await.map(|()| Exit::Done),
        }
    }

    /// Binds the operations of the installed plugins, and adds their commands.
    fn add_operations(&self, setup: &mut Setup) -> Result<(), AppError> {
        let is_there = |id: &str| self.plugins.iter().any(|plugin| plugin.id() == id);
        let own =
            OPERATIONS.iter().filter(|(plugins, _)| plugins.iter().any(|plugin| is_there(plugin)));
        let own: Vec<_> =
            own.map(|(plugins, bind)| (is_there(plugins[0]), bind(&setup.slot))).collect();
        // An operation that a server also needs has no command in a program without its command
        // line plugin.
        let without: HashSet<_> =
            own.iter().filter(|(is_there, _)| !is_there).map(|(_, it)| it.spec.name).collect();
        setup.operations.extend(own.into_iter().map(|(_, operation)| operation));
        setup.bound = Operations::new(std::mem::take(&mut setup.operations));
        let commands = OperationCliCommand::all(&setup.bound).into_iter();
        let mut commands =
            commands.filter(|command| !without.contains(command.operation().spec.name));
        commands.try_for_each(|command| setup.commands.add(command))
    }

    async fn after_setup(
        &self,
        setup: Setup,
        line: Line,
        spec: Arc<CommandSpec>,
    ) -> Result<Run, AppError> {
        let startup = Startup::new(
            self.program.clone(),
            &setup.parts,
            Arc::new(line.options),
            self.environment.clone(),
        )?;
        let mut gateway = Gateway::builder();
        for make in setup.sources {
            gateway = make(&startup)?.into_iter().fold(gateway, GatewayBuilder::source);
        }
        for rule in setup.rules {
            gateway = rule(gateway, &startup)?;
        }
        let gateway = gateway.build().map_err(LifecycleError::from)?;
        let mut observers = Vec::new();
        for make in setup.observers {
            observers.extend(make(&startup)?);
        }
        let observers = Observers::new(observers);
        let tools =
            Arc::new(Tools::new(gateway, self.environment.clone(), &startup.options, observers));
        let workspace = Arc::new(Workspace::new(startup, setup.parts, tools));
        let _ = setup.slot.set(workspace.clone());
        let after = AfterSetup {
            commands: setup.commands,
            workspace,
            operations: setup.bound,
            offers: Arc::new(setup.offers),
        };
        for plugin in &self.plugins {
            plugin.after_setup(&after)?;
        }
        self.commands.iter().try_for_each(|command| after.commands.add_shared(command.clone()))?;
        after.commands.seal();
        let built_in = after.commands.all().iter().map(|item| item.name()).collect();
        after.tools().reserve(built_in);
        Ok(Run { after, spec, decorators: setup.decorators, rest: line.rest })
    }

    async fn run_command(&self, word: String, run: Run) -> Result<Exit, AppError> {
        let command = run.resolve(&word).await?;
        let own = command.spec();
        let takes_ours = run.after.commands.find(&word).is_some() && !own.stop_at_positional;
        let spec = if takes_ours { line::joined(own, &run.spec.options) } else { own };
        let parsed = cli::parse(&spec, &run.rest)?;
        let wants_help =
            parsed.switch("help") && spec.find_long("help").is_some_and(|it| it.informative);
        let cx = self.run_cx(word, parsed, run.after, run.spec);
        if wants_help && !command.answers_help() {
            return cx.print_help(spec).map(|()| Exit::Done);
        }
        Next { decorators: &run.decorators, command: command.as_ref() }.run(&cx).await
    }

    fn run_cx(
        &self,
        name: String,
        parsed: Parsed,
        after: AfterSetup,
        program_spec: Arc<CommandSpec>,
    ) -> RunCx {
        let mut cx = RunCx {
            name,
            parsed,
            workspace: after.workspace,
            operations: after.operations,
            offers: after.offers,
            extensions: Arc::default(),
            commands: after.commands,
            program: self.program.clone(),
            program_spec,
        };
        let mut extensions = Extensions::default();
        self.plugins.iter().for_each(|it| it.extend(&cx, &mut extensions));
        cx.extensions = Arc::new(extensions);
        cx
    }

    fn spec(&self, setup: &Setup) -> CommandSpec {
        let mut spec = CommandSpec::new(&*self.program, self.about.as_str());
        spec.stop_at_positional = true;
        spec.positionals = vec![
            PositionalSpec::new("COMMAND", "The command"),
            PositionalSpec::new("ARGS", "Its arguments").many(),
        ];
        spec.options = line::base_options();
        spec.options.extend(setup.options.iter().cloned());
        spec
    }

    async fn print_help(&self, run: &Run) -> Result<(), AppError> {
        let locale = run.after.options().locale();
        let commands: Vec<_> = run
            .after
            .commands
            .all()
            .iter()
            .filter(|item| !item.is_hidden())
            .map(|item| (item.name(), item.about()))
            .collect();
        let built_in = commands
            .iter()
            .map(|(name, about)| (name.as_str(), words::say(locale, about)))
            .collect();
        let mut groups = vec![Group { source: None, entries: built_in }];
        let listings = run.listings().await?;
        for listing in &listings {
            let entry = (listing.name.as_str(), listing.about.as_str());
            match groups.iter_mut().rfind(|group| group.source == Some(&listing.group)) {
                Some(group) => group.entries.push(entry),
                None => groups.push(Group { source: Some(&listing.group), entries: vec![entry] }),
            }
        }
        let spec = words::translated(run.spec.as_ref().clone(), locale);
        self.environment.print(&help::overview(
            &self.program,
            &spec,
            &groups,
            &self.environment.help_layout(locale),
        ))
    }

    fn var(&self, name: &str) -> Option<String> {
        self.environment.var(name).map(str::to_owned)
    }

    fn report(&self, error: &AppError, locale: Locale) {
        let mut text = match error {
            AppError::Usage { errors, .. } => errors.text(locale) + "\n",
            AppError::UnknownCommand { name, nearest } => {
                UsageError::UnknownCommand { command: name.clone(), nearest: nearest.clone() }
                    .text(locale)
                    + "\n"
            }
            error => format!("error: {}\n", escape::text(&error.to_string())),
        };
        if let Some(hint) = error.hint() {
            text += &format!("  hint: {}\n", escape::text(&hint));
        }
        self.environment.say(&text);
    }
}

/// A run whose command is about to be resolved.
struct Run {
    after: AfterSetup,
    spec: Arc<CommandSpec>,
    decorators: Vec<Arc<dyn Decorator>>,
    rest: Vec<String>,
}

impl Run {
    /// Resolves a command that a plugin added, else one of a command set.
    async fn resolve(&self, word: &str) -> Result<Arc<dyn Command>, AppError> {
        if let Some(command) = self.after.commands.find(word) {
            return Ok(command);
        }
        for set in self.after.commands.sets() {
            if let Some(command) = set.find(word).await? {
                return Ok(command);
            }
        }
        let built_in = self
            .after
            .commands
            .all()
            .into_iter()
            .filter(|item| !item.is_hidden())
            .map(|item| item.name());
        let names: Vec<_> = built_in
            .chain(self.listings().await?.into_iter().map(|listing| listing.name))
            .collect();
        let nearest = cli::nearest(word, names.iter().map(String::as_str)).map(str::to_owned);
        Err(AppError::UnknownCommand { name: word.to_owned(), nearest })
    }

    async fn listings(&self) -> Result<Vec<Listing>, AppError> {
        let mut all = Vec::new();
        for set in self.after.commands.sets() {
            all.extend(set.list().await?);
        }
        Ok(all)
    }
}

impl AppBuilder {
    /// Adds a plugin.
    pub fn plugin(mut self, plugin: impl Plugin + 'static) -> Self {
        self.app.plugins.push(Arc::new(plugin));
        self
    }

    /// Adds a command of the application, after the setup of all plugins.
    pub fn command(mut self, command: impl Command + 'static) -> Self {
        self.app.commands.push(Arc::new(command));
        self
    }

    /// The version that `--version` prints, and that `serve` sends to clients.
    pub fn version(mut self, version: &str) -> Self {
        self.app.version = version.to_owned();
        self
    }

    /// A one-line summary of the program.
    pub fn about(mut self, about: &str) -> Self {
        self.app.about = about.to_owned();
        self
    }

    /// The command to run if none is typed; the default is help.
    pub fn bare(mut self, command: &str) -> Self {
        self.app.bare = Some(command.to_owned());
        self
    }

    /// The environment of runs; the default is that of this process.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.app.environment = Arc::new(environment);
        self
    }

    /// Checks the dependencies of the plugins, and orders them.
    pub fn build(mut self) -> Result<App, AppError> {
        self.app.plugins = lifecycle::order(&self.app.plugins)?;
        Ok(self.app)
    }
}

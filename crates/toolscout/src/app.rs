//! The lifecycle: setup, options, after-setup, resolve, extend, run.

use crate::command::{Extensions, Next};
use crate::composition::{Composed, Composition};
use crate::line::{self, Aliases, Line, Wants};
use crate::plugin::{AfterSetup, Setup};
use crate::{
    AppError, Command, Decorator, Environment, Listing, Options, Plugin, RunCx, lifecycle, topics,
    words,
};
use serde::Serialize;
use std::ffi::OsString;
use std::sync::Arc;
use toolscout_core::{Status, escape};
use toolscout_surface::cli::help::{self, Group};
use toolscout_surface::cli::words::Word;
use toolscout_surface::cli::{self, CommandSpec, Locale, PositionalSpec, UsageError, UsageErrors};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::ErrorCode;
use toolscout_surface::output::{Format, json};

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
        let mut format = Format::Text;
        let ran = match line::texts(args) {
            Ok(args) => {
                format = line::format_seen(&args, |name| self.var(name));
                self.try_run(&args, &mut locale, &mut format).await
            }
            Err(error) => Err(error),
        };
        let exit = ran.unwrap_or_else(|error| {
            self.report(&error, locale, format);
            error.exit()
        });
        self.environment.progress().close();
        exit
    }

    pub(crate) fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// `locale` is set as soon as the command line is parsed, for later error messages.
    /// So is `format`, the format of errors, as soon as the command is known.
    async fn try_run(
        &self,
        args: &[String],
        locale: &mut Locale,
        format: &mut Format,
    ) -> Result<Exit, AppError> {
        let composition = Composition {
            program: self.program.clone(),
            plugins: self.plugins.clone().into(),
            environment: self.environment.clone(),
        };
        *locale = line::locale_seen(args, |name| self.var(name));
        let (line, setup) = self.read_line(args, &composition, Aliases::Expanded)?;
        *locale = line.options.locale();
        self.set_up_terminal(&line.options);
        let (mut wants, alias) =
            (line.wants(), line.alias.as_ref().map(|alias| alias.word.clone()));
        // Runs before sources and configuration are loaded, so an error in them cannot affect it.
        if matches!(wants, Wants::Version) && alias.is_none() {
            return self.print_version();
        }
        let mut run = self.after_setup(composition.clone(), setup, line).await;
        if let (Some(alias), Ok(composed)) = (alias, &run)
            && composed.has_trusted_tool(&alias).await?
        {
            let (line, setup) = self.read_line(args, &composition, Aliases::Ignored)?;
            wants = line.wants();
            run = self.after_setup(composition, setup, line).await;
        }
        let word = match wants {
            Wants::Version => return self.print_version(),
            Wants::Help => None,
            Wants::Nothing => self.bare.clone(),
            Wants::Command(word) => Some(word),
        };
        match word {
            Some(word) => {
                let ran = self.run_command(word.clone(), run?, format).await;
                ran.map_err(|error| error.with_command_help(&self.program, &word))
            }
            None => self.print_help(&run?).await.map(|()| Exit::Done),
        }
    }

    /// Parses the command line as far as possible before the command is known.
    fn read_line(
        &self,
        args: &[String],
        composition: &Composition,
        aliases: Aliases,
    ) -> Result<(Line, Setup), AppError> {
        let setup = composition.setup(None)?;
        let spec = self.spec(&setup);
        let line = Line::read(args, &spec, &setup.commands, aliases, |name| self.var(name));
        let help = || Some(format!("{} --help", self.program));
        let line = line.map_err(|errors| AppError::Usage { errors, help: help() })?;
        Ok((line, setup))
    }

    /// Applies the options about color and progress.
    fn set_up_terminal(&self, options: &Options) {
        let color = options.text("color").and_then(|name| name.parse().ok());
        self.environment.set_color(color.unwrap_or_default());
        let traits = &options.command;
        // Log lines are written without pausing the progress.
        let logs = options.switch("verbose") || options.text("log-format").is_some();
        let is_hidden = traits.runs_servers || traits.only_reads || logs;
        if !is_hidden && !options.switch("no-progress") && !options.switch("quiet") {
            self.environment.show_progress();
        }
    }

    fn print_version(&self) -> Result<Exit, AppError> {
        let text = format!("{} {}\n", self.program, self.version);
        self.environment.print(&text).map(|()| Exit::Done)
    }

    async fn after_setup(
        &self,
        composition: Composition,
        setup: Setup,
        line: Line,
    ) -> Result<Run, AppError> {
        let spec = Arc::new(self.spec(&setup));
        let Composed { after, decorators } = composition.compose(setup, line.options)?;
        self.commands.iter().try_for_each(|command| after.commands.add_shared(command.clone()))?;
        after.commands.seal();
        let built_in = after.commands.all().iter().map(|item| item.name()).collect();
        after.tools().reserve(built_in);
        Ok(Run { after, composition, spec, decorators, rest: line.rest })
    }

    async fn run_command(
        &self,
        word: String,
        run: Run,
        format: &mut Format,
    ) -> Result<Exit, AppError> {
        let command = run.resolve(&word).await?;
        let own = command.spec();
        // A parameter of a tool may have the name of the option.
        let json_help = Word::JsonHelp.text(run.after.options().locale());
        let is_tool = run.after.commands.find(&word).is_none();
        if is_tool && own.find_long("json").is_some_and(|option| option.help != json_help) {
            *format = run.after.options().format();
        }
        let takes_program_options = !is_tool && !own.stop_at_positional;
        let spec = if takes_program_options { line::joined(own, &run.spec.options) } else { own };
        let parsed = cli::parse(&spec, &run.rest)
            .map_err(|errors| self.unknown_subcommand(&word, &run, &spec, errors))?;
        let wants_help =
            parsed.switch("help") && spec.find_long("help").is_some_and(|long| long.informative);
        let AfterSetup { commands, workspace, operations, offers } = run.after;
        let mut cx = RunCx {
            name: word,
            parsed,
            workspace,
            operations,
            offers,
            extensions: Arc::default(),
            commands,
            version: self.version.as_str().into(),
            program: self.program.clone(),
            projects: Arc::new(run.composition),
            program_spec: run.spec,
        };
        let mut extensions = Extensions::default();
        for plugin in &self.plugins {
            plugin.extend(&cx, &mut extensions);
            // The next plugin sees these values through its context, too.
            cx.extensions = Arc::new(extensions.clone());
        }
        if wants_help && !command.answers_help() {
            return cx.print_help(spec).map(|()| Exit::Done);
        }
        Next { decorators: &run.decorators, command: command.as_ref() }.run(&cx).await
    }

    /// The error of a command line whose first argument was probably meant as a command of the
    /// group: `server ad`.
    fn unknown_subcommand(
        &self,
        group: &str,
        run: &Run,
        spec: &CommandSpec,
        errors: UsageErrors,
    ) -> AppError {
        let commands = run.after.commands.of_group(group);
        let is_extra = |error: &UsageError| matches!(error, UsageError::Unexpected { .. });
        let typed = run.rest.first().filter(|first| !first.starts_with('-'));
        let Some(typed) = typed.filter(|_| !commands.is_empty() && errors.iter().any(is_extra))
        else {
            return errors.into();
        };
        let nearest = cli::nearest(typed, commands.iter().map(|(name, _)| name.as_str()));
        if nearest.is_none() && !spec.positionals.is_empty() {
            return errors.into();
        }
        AppError::UnknownCommand {
            name: format!("{group} {typed}"),
            nearest: nearest.map(|nearest| format!("{group} {nearest}")),
            hint: Some(format!("{} {group} --help", self.program)),
        }
    }

    fn spec(&self, setup: &Setup) -> CommandSpec {
        let mut spec = CommandSpec::new(&*self.program, self.about.as_str());
        spec.stop_at_positional = true;
        spec.positionals = vec![
            PositionalSpec::new("COMMAND", "The command"),
            PositionalSpec::new("ARGS", "Its arguments").many(),
        ];
        if setup.commands.find(topics::COMMAND).is_some() {
            spec.notes = vec![topics::NOTE.to_owned()];
        }
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

    /// Prints the error that ends the run: as text, or as one line of JSON.
    fn report(&self, error: &AppError, locale: Locale, format: Format) {
        let message = match error {
            AppError::Usage { errors, .. } => errors.text(locale),
            AppError::UnknownCommand { name, nearest, .. } => {
                UsageError::UnknownCommand { command: name.clone(), nearest: nearest.clone() }
                    .text(locale)
            }
            error => escape::text(&error.to_string()).into_owned(),
        };
        let hint = error.hint().map(|hint| escape::text(&hint).into_owned());
        if format == Format::Json {
            let error = ErrorReport { kind: error.code(), message: &message, hint };
            let object = json::compact(&serde_json::json!({ "error": error }));
            return self.environment.eprint_error(&(object + "\n"));
        }
        let is_usage = matches!(error, AppError::Usage { .. } | AppError::UnknownCommand { .. });
        let label = if is_usage { "" } else { "error: " };
        let hint = hint.map(|hint| format!("  hint: {hint}\n")).unwrap_or_default();
        self.environment.eprint_error(&format!("{label}{message}\n{hint}"));
    }
}

/// The error that ends a run, as JSON. The kinds are the codes of the HTTP API.
#[derive(Serialize)]
struct ErrorReport<'a> {
    kind: ErrorCode,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// A run whose command is about to be resolved.
struct Run {
    after: AfterSetup,
    composition: Composition,
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
        Err(AppError::UnknownCommand { name: word.to_owned(), nearest, hint: self.unprobed() })
    }

    /// The first file whose tools are unknown, because it has not been inspected.
    fn unprobed(&self) -> Option<String> {
        let snapshot = self.after.tools().gateway().snapshot();
        snapshot.tools().find_map(|tool| match &tool.status {
            Status::Unprobed(reason) => {
                let path = tool.provenance.path.as_ref()?.display().to_string();
                Some(format!("`{path}` may have it: {reason}"))
            }
            _ => None,
        })
    }

    /// Whether a tool of a trusted source has this name. Another one must not take the place of
    /// `help` or `login`, because a tool that a user types runs.
    async fn has_trusted_tool(&self, name: &str) -> Result<bool, AppError> {
        let gateway = self.after.tools().discovered_gateway().await?;
        let snapshot = gateway.full_snapshot();
        let tools = snapshot.tools_named(name);
        let is_trusted = tools.iter().any(|tool| tool.tool.provenance.trusted);
        if !tools.is_empty() && !is_trusted {
            let (program, name) = (&self.composition.program, escape::line(name));
            self.after.environment().eprint(&format!(
                "note: the tool `{name}` is not trusted; to run it, type `{program} run {name}`\n"
            ));
        }
        Ok(is_trusted)
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

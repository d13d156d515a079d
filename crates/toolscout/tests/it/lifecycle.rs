//! 1. Plugins are set up after the plugins that they require. A missing or cyclic requirement is an
//!    error.
//! 2. Commands may be added until the command line is parsed; their names, and those of options,
//!    are unique and not empty.
//! 3. Every phase visits the plugins in one order, and a plugin sees the extensions of those before
//!    it.
//! 4. The first decorator registered is the outermost.
//! 5. Any subset of plugins works.

use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use toolscout::core::{BoxFuture, ToolOutput};
use toolscout::source::{Registry, ToolBuilder};
use toolscout::surface::cli::{CommandSpec, OptionSpec};
use toolscout::surface::codes::Exit;
use toolscout::{
    AfterSetup, App, AppError, Captured, Command, Commands, Decorator, Environment, Extensions,
    Next, Plugin, RunCx, Setup, plugins,
};

/// The recorded steps, in order.
type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, event: impl Into<String>) {
    log.lock().push(event.into());
}

fn events(log: &Log) -> String {
    log.lock().join(" ")
}

#[derive(Default, Clone)]
struct Probe {
    id: &'static str,
    requires: Vec<&'static str>,
    wants: Vec<&'static str>,
    command: Option<&'static str>,
    late_command: Option<&'static str>,
    decorator: Option<&'static str>,
    options: Vec<OptionSpec>,
    log: Log,
}

/// The ids of the plugins that have extended the run so far.
struct ExtendedBy(Vec<&'static str>);

impl Plugin for Probe {
    fn id(&self) -> &str {
        self.id
    }

    fn requires(&self) -> Vec<&str> {
        self.requires.clone()
    }

    fn wants(&self) -> Vec<&str> {
        self.wants.clone()
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        note(&self.log, self.id);
        cx.offer(cx.commands());
        if let Some(name) = self.decorator {
            cx.decorate(Around(name, self.log.clone()));
        }
        self.options.iter().try_for_each(|option| cx.add_option(option.clone()))?;
        self.command.map_or(Ok(()), |name| cx.add_command(Noted(name, self.log.clone())))
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        self.late_command.map_or(Ok(()), |name| cx.add_command(Noted(name, self.log.clone())))
    }

    fn extend(&self, cx: &RunCx, extensions: &mut Extensions) {
        let earlier = extensions.get::<ExtendedBy>().map_or_else(Vec::new, |by| by.0.clone());
        let in_context = cx.extension::<ExtendedBy>().map_or_else(Vec::new, |by| by.0.clone());
        assert_eq!(earlier, in_context);
        extensions.insert(ExtendedBy([earlier, vec![self.id]].concat()));
    }
}

struct Noted(&'static str, Log);

impl Command for Noted {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new(self.0, "Notes that it ran")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            note(&self.1, "run");
            let extended = cx.extension::<ExtendedBy>().expect("added in extend");
            note(&self.1, format!("extended-by:{}", extended.0.join(",")));
            let commands = cx.offered::<Commands>().expect("offered in setup");
            let late = commands.add(Noted("too-late", self.1.clone())).unwrap_err();
            assert_eq!(
                late.to_string(),
                "Command 'too-late' was added too late: commands are added in setup or after-setup"
            );
            Ok(Exit::Done)
        })
    }
}

struct Around(&'static str, Log);

impl Decorator for Around {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            note(&self.1, format!("{}-before", self.0));
            let exit = next.run(cx).await;
            note(&self.1, format!("{}-after", self.0));
            exit
        })
    }
}

fn app(probes: &[Probe]) -> Result<(App, Captured), AppError> {
    let (environment, captured) = Environment::captured(Path::new("/"), &[]);
    let builder =
        probes.iter().fold(App::builder("test"), |builder, probe| builder.plugin(probe.clone()));
    Ok((builder.environment(environment).build()?, captured))
}

async fn run(probes: &[Probe], args: &[&str]) -> (Exit, String) {
    let (app, captured) = app(probes).unwrap();
    let exit = app.run(args.iter().map(|arg| (*arg).to_owned())).await;
    (exit, captured.out() + &captured.err())
}

fn refusal(probes: &[Probe]) -> String {
    app(probes).err().expect("the plugins conflict").to_string()
}

/// B-17
#[tokio::test]
async fn the_first_decorator_registered_is_the_outermost() {
    let log = Log::default();
    let probe = |id, decorator| Probe {
        id,
        decorator: Some(decorator),
        log: log.clone(),
        ..Probe::default()
    };
    let command = Probe { id: "d", command: Some("go"), log: log.clone(), ..Probe::default() };
    run(&[probe("a", "A"), probe("b", "B"), probe("c", "C"), command], &["go"]).await;
    assert_eq!(
        events(&log),
        "a b c d A-before B-before C-before run extended-by:a,b,c,d C-after B-after A-after"
    );
}

/// B-18
#[test]
fn a_missing_required_plugin_is_an_error_that_names_both() {
    let x = Probe { id: "x", requires: vec!["y"], ..Probe::default() };
    assert_eq!(refusal(&[x]), "Plugin 'x' requires 'y', which is missing");
}

/// B-19
#[test]
fn cyclic_plugin_requirements_are_an_error_with_the_cycle() {
    let a = Probe { id: "a", requires: vec!["b"], ..Probe::default() };
    let b = Probe { id: "b", requires: vec!["a"], ..Probe::default() };
    assert_eq!(refusal(&[a, b]), "Plugins require each other in a cycle: a -> b -> a");
}

/// B-20: a requires b and c; b requires d.
#[tokio::test]
async fn required_plugins_are_set_up_first() {
    let log = Log::default();
    let probe = |id, requires| Probe { id, requires, log: log.clone(), ..Probe::default() };
    run(
        &[
            probe("a", vec!["b", "c"]),
            probe("b", vec!["d"]),
            probe("c", vec![]),
            probe("d", vec![]),
        ],
        &[],
    )
    .await;
    assert_eq!(events(&log), "d b c a");
}

/// B-21
#[tokio::test]
async fn an_optional_plugin_dependency_may_be_absent_and_is_set_up_first() {
    let log = Log::default();
    let probe = |id, wants| Probe { id, wants, log: log.clone(), ..Probe::default() };
    run(&[probe("a", vec!["b", "z"]), probe("b", vec![])], &[]).await;
    assert_eq!(events(&log), "b a");
}

/// B-22: the test tries to add a command after setup and inside of a running command.
#[tokio::test]
async fn a_command_added_after_setup_is_reachable_and_one_added_while_running_is_refused() {
    let log = Log::default();
    let probe = Probe { id: "a", late_command: Some("late"), log: log.clone(), ..Probe::default() };
    let (exit, _) = run(&[probe], &["late"]).await;
    assert_eq!((exit, events(&log).as_str()), (Exit::Done, "a run extended-by:a"));
}

/// B-23: the second command does not silently replace the first.
#[tokio::test]
async fn two_commands_with_one_name_are_an_error() {
    let probe = |id| Probe { id, command: Some("x"), ..Probe::default() };
    let (exit, output) = run(&[probe("a"), probe("b")], &["x"]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Command 'x' is already registered\n")
    );
}

/// M-10a: also with an option that every program has, and with a letter that is taken.
#[tokio::test]
async fn two_options_with_one_name_or_letter_are_an_error() {
    let probe = |id, option| Probe { id, options: vec![option], ..Probe::default() };
    let (exit, output) = run(
        &[probe("a", OptionSpec::switch("fast", "")), probe("b", OptionSpec::text("fast", ""))],
        &[],
    )
    .await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Global option 'fast' is already registered\n")
    );
    let (exit, output) = run(&[probe("a", OptionSpec::switch("json", ""))], &[]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Global option 'json' is already registered\n")
    );
    let (exit, output) = run(&[probe("a", OptionSpec::switch("quick", "").short('q'))], &[]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Global option 'quick' cannot use '-q', which belongs to 'quiet'\n")
    );
}

/// M-10b
#[tokio::test]
async fn an_empty_name_of_a_command_or_an_option_is_an_error() {
    let (exit, output) =
        run(&[Probe { id: "a", command: Some(""), ..Probe::default() }], &["x"]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Command name must be a non-empty string\n")
    );
    let late = Probe { id: "a", late_command: Some(" "), ..Probe::default() };
    let (exit, output) = run(&[late], &["x"]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Command name must be a non-empty string\n")
    );
    let option = Probe { id: "a", options: vec![OptionSpec::switch("", "")], ..Probe::default() };
    let (exit, output) = run(&[option], &[]).await;
    assert_eq!(
        (exit, output.as_str()),
        (Exit::Usage, "error: Option name must be a non-empty string\n")
    );
}

/// M-10c: a requires b, and was added first.
#[tokio::test]
async fn a_plugin_sees_the_extensions_of_the_plugins_before_it() {
    let log = Log::default();
    let probe = |id, requires| Probe { id, requires, log: log.clone(), ..Probe::default() };
    let command = Probe { id: "c", command: Some("go"), log: log.clone(), ..Probe::default() };
    run(&[probe("a", vec!["b"]), probe("b", vec![]), command], &["go"]).await;
    assert_eq!(events(&log), "b a c run extended-by:b,a,c");
}

/// B-25: with and without a command line.
#[tokio::test]
async fn explicit_tools_work_without_discovery() {
    let (environment, captured) = Environment::captured(Path::new("/"), &[]);
    let greet = ToolBuilder::new("greet")
        .unwrap()
        .description("Say hello")
        .run(|_, _| async { Ok(ToolOutput::text("hello")) });
    let app = App::builder("mine")
        .plugin(plugins::Registry::default().tool(greet).unwrap())
        .plugin(plugins::Cli)
        .environment(environment)
        .build()
        .unwrap();
    assert_eq!(app.run(["tools".to_owned()]).await, Exit::Done);
    assert_eq!(app.run(["greet".to_owned()]).await, Exit::Done);
    assert_eq!(captured.out(), "  greet - Say hello\nhello\n");
}

/// M-16c: a plugin registers a tool while the program starts.
#[tokio::test]
async fn the_global_registry_is_served_with_tools_that_are_registered_later() {
    struct Late;
    impl Plugin for Late {
        fn id(&self) -> &str {
            "late"
        }

        fn after_setup(&self, _: &AfterSetup) -> Result<(), AppError> {
            let tool = ToolBuilder::new("wave").unwrap().description("Wave");
            let tool = tool.run(|_, _| async { Ok(ToolOutput::text("bye")) });
            Registry::global()
                .register(tool)
                .map(drop)
                .map_err(|error| AppError::invalid(error.to_string(), "choose another name"))
        }
    }
    let (environment, captured) = Environment::captured(Path::new("/"), &[]);
    let app = App::builder("mine")
        .plugin(plugins::Registry::global())
        .plugin(plugins::Cli)
        .plugin(Late)
        .environment(environment)
        .build()
        .unwrap();
    assert_eq!(app.run(["wave".to_owned()]).await, Exit::Done);
    assert_eq!(captured.out(), "bye\n");
}

/// B-25: the program still parses its options.
#[tokio::test]
async fn a_program_without_the_cli_plugin_has_help_and_no_commands() {
    let (environment, captured) = Environment::captured(Path::new("/"), &[]);
    let app = App::builder("mine")
        .plugin(plugins::Registry::default())
        .environment(environment)
        .build()
        .unwrap();
    assert_eq!(app.run(["--help".to_owned()]).await, Exit::Done);
    assert!(captured.out().contains("--tools-from"), "{}", captured.out());
    assert_eq!(app.run(["tools".to_owned()]).await, Exit::NotFound);
}

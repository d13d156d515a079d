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
use toolscout::source::ToolBuilder;
use toolscout::surface::cli::CommandSpec;
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
    log: Log,
}

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
        self.command.map_or(Ok(()), |name| cx.add_command(Noted(name, self.log.clone())))
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        self.late_command.map_or(Ok(()), |name| cx.add_command(Noted(name, self.log.clone())))
    }

    fn extend(&self, _: &RunCx, extensions: &mut Extensions) {
        extensions.insert(self.id);
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
            assert!(cx.extension::<&'static str>().is_some());
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
    app(probes).err().expect("these plugins do not fit").to_string()
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

/// B-25: a registry with explicit tools and no discovery, with and without a command line.
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
async fn a_registry_without_a_command_line_has_help_and_no_commands() {
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

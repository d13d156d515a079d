//! 1. Arguments arrive byte for byte, for all values and all ways of passing them.
//! 2. The output and exit status of a program become the result.
//! 3. A tool that cannot run is reported with the reason.

use super::fixture::{call, cx, text};
use super::output::from_stdout;
use super::run;
use crate::recipe::{ArgumentPassing, CommandRecipe, Recipe, WorkingFolder};
use crate::sandbox::ToolSandbox;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Caller, Cx, ErrorKind, SourceError, ToolOutput};
#[cfg(target_os = "linux")]
use toolscout_process::sandbox::SandboxHost;
use toolscout_test_support::{World, assert_gone, members, number_in};

fn command(world: &World, argv: &[&str], input: ArgumentPassing) -> CommandRecipe {
    let argv = argv.iter().map(|argv| (*argv).to_owned()).collect();
    CommandRecipe {
        argv,
        folder: world.path(),
        cwd: WorkingFolder::File,
        input,
        env: Vec::new(),
        timeout_ms: 20_000,
    }
}

async fn done(recipe: CommandRecipe, arguments: Value) -> ToolOutput {
    run(&Recipe::Command(recipe), &call("t", arguments), &ToolSandbox::default(), &cx())
        .await
        .expect("it runs")
}

/// S10: strings with a special meaning for a shell, an option parser or a terminal.
fn corpus() -> Vec<String> {
    let texts = [
        "$(id)",
        "`id`",
        ";id",
        "; rm -rf /",
        "a;b",
        "&",
        "&&",
        "a && b",
        "|",
        "||",
        "a | b",
        ">",
        ">>",
        "> /tmp/x",
        "<",
        "<<EOF",
        "<(id)",
        "(id)",
        "{a,b}",
        "{url}",
        "[a-z]",
        "*",
        "?",
        "~",
        "~root",
        "!",
        "!!",
        "#",
        "# no",
        "$HOME",
        "${HOME}",
        "$1",
        "$@",
        "$$",
        "$'\\n'",
        "'",
        "''",
        "\"",
        "\"\"",
        "\\",
        "\\\\",
        "\\n",
        "%s",
        "%n%n",
        "%PATH%",
        "-rf",
        "-",
        "--",
        "--flag=",
        "--help",
        "-e",
        "@/etc/passwd",
        "@-",
        "a\nb",
        "\n",
        "a\r\nb",
        "\t",
        " ",
        "  a  ",
        "",
        "=",
        "a=b",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{1}",
        "é",
        "日本語",
        "🦀",
        "\u{202e}abc",
        "\u{feff}",
        "null",
        "true",
        "{}",
        "[]",
        "..",
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x",
        "a\u{2028}b",
    ];
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// S10: through standard input.
#[tokio::test]
async fn every_string_arrives_unchanged_on_stdin() {
    let world = World::new();
    let mut texts = corpus();
    texts.push("x".repeat(1 << 20));
    texts.push("a\0b".to_owned());
    let arguments = json!({"all": texts});
    let output = done(command(&world, &["cat"], ArgumentPassing::Stdin), arguments.clone()).await;
    assert!(output.structured_content() == Some(arguments));
}

/// S10: as arguments, with a flag before, joined to a flag, and in a list.
#[tokio::test]
async fn every_string_arrives_unchanged_as_an_argument() {
    let world = World::new();
    world.sh("show", r#"printf '%s|' "$@""#);
    let templates = ["--one", "{one}", "--two={one}", "{all}"].map(str::to_owned).to_vec();
    for corpus in corpus() {
        let recipe = command(&world, &["./show"], ArgumentPassing::Args(templates.clone()));
        let output = done(recipe, json!({"one": corpus, "all": [corpus, corpus]})).await;
        assert_eq!(
            text(&output),
            format!("--one|{corpus}|--two={corpus}|{corpus}|{corpus}|"),
            "{corpus:?}"
        );
    }
    let all = done(
        command(&world, &["./show"], ArgumentPassing::Args(Vec::new())),
        json!({"v": corpus()}),
    )
    .await;
    assert_eq!(
        text(&all),
        corpus().iter().map(|corpus| format!("--v={corpus}|")).collect::<String>()
    );
}

/// S10: as variables.
#[tokio::test]
async fn every_string_arrives_unchanged_as_a_variable() {
    let world = World::new();
    world.sh("show", r#"printf '%s|' "$TOOL_ONE""#);
    for corpus in corpus() {
        let output =
            done(command(&world, &["./show"], ArgumentPassing::Env), json!({"one": corpus})).await;
        assert_eq!(text(&output), format!("{corpus}|"), "{corpus:?}");
    }
}

/// S10: a value that the system cannot pass in one piece is refused with a reason, not cut.
#[tokio::test]
async fn arguments_too_long_for_a_command_line_are_an_error() {
    let world = World::new();
    world.sh("show", "true");
    for input in [ArgumentPassing::Args(Vec::new()), ArgumentPassing::Env] {
        let recipe = Recipe::Command(command(&world, &["./show"], input));
        let err = run(
            &recipe,
            &call("t", json!({"one": "x".repeat(8 << 20)})),
            &ToolSandbox::default(),
            &cx(),
        )
        .await
        .expect_err("the argument is too long");
        assert!(
            err.to_string().contains("let the tool read them with `input = \"stdin\"`"),
            "{err}"
        );
    }
}

/// S-23: the arguments after `--` are passed to the program unchanged; a tool without a command
/// refuses them.
#[tokio::test]
async fn arguments_after_two_dashes_reach_the_program_unchanged() {
    let world = World::new();
    let program = world.sh("show", r#"printf '%s|' "$@""#);
    let mut call = call("t", json!({"a": 1}));
    call.rest = vec!["--b".to_owned(), "{a}".to_owned(), String::new()];
    let recipe =
        Recipe::Command(command(&world, &["./show", "x"], ArgumentPassing::Args(Vec::new())));
    assert_eq!(
        text(&run(&recipe, &call, &ToolSandbox::default(), &cx()).await.expect("it runs")),
        "x|--a=1|--b|{a}||"
    );
    let err = run(&Recipe::executable(program), &call, &ToolSandbox::default(), &cx())
        .await
        .expect_err("refused");
    assert_eq!(err.kind(), ErrorKind::Invalid);
}

/// O-05: the exit status and standard error.
#[tokio::test]
async fn a_failing_program_reports_its_exit_code_and_output() {
    let world = World::new();
    world.sh("t", "echo half; echo boom >&2; exit 3");
    let output = done(command(&world, &["./t"], ArgumentPassing::Stdin), json!({})).await;
    assert!(output.is_error());
    assert_eq!(text(&output), "`./t` exited with code 3\n\nboom\n\noutput:\nhalf");
}

/// O-05: the same through `tool-invoke`.
#[tokio::test]
async fn a_failing_executable_reports_its_exit_code_and_output() {
    let world = World::new();
    let program = world.sh("t", "echo boom >&2; exit 3");
    let output =
        run(&Recipe::executable(program), &call("t", json!({})), &ToolSandbox::default(), &cx())
            .await
            .expect("it runs");
    assert!(output.is_error());
    assert!(text(&output).contains("exited with code 3\n\nboom"), "{}", text(&output));
}

/// O-01: the verb and the name as arguments, the input and its context on stdin.
#[tokio::test]
async fn an_executable_receives_its_verb_input_and_context() {
    let world = World::new();
    let program =
        world.sh("t", r#"printf '{"argv":"%s","stdin":%s,"cwd":"%s"}' "$*" "$(cat)" "$(pwd -P)""#);
    let mut cx = Cx::new(Caller::Mcp);
    cx.project = Some(Arc::new(PathBuf::from("/p")));
    cx.user = Some("alice".into());
    let recipe = Recipe::executable(program);
    let output =
        run(&recipe, &call("fetch-data", json!({"url": "x"})), &ToolSandbox::default(), &cx)
            .await
            .expect("it runs");
    let context = json!({"source": "local", "tool": "fetch-data", "caller": "mcp", "project": "/p", "user": "alice"});
    assert_eq!(
        output.structured_content(),
        Some(json!({
            "argv": "tool-invoke fetch-data",
            "stdin": {"input": {"url": "x"}, "context": context},
            "cwd": world.path(),
        }))
    );
}

/// S5, S16: a program is checked right before it runs.
#[tokio::test]
async fn an_executable_is_checked_before_it_runs() {
    let world = World::new();
    let program = world.script("t", "#!./evil\n");
    let err =
        run(&Recipe::executable(program), &call("t", json!({})), &ToolSandbox::default(), &cx())
            .await
            .expect_err("refused");
    assert!(err.to_string().contains("its `#!` line names the interpreter `./evil`"), "{err}");
    let recipe = Recipe::Command(command(&world, &["./t"], ArgumentPassing::Stdin));
    assert!(run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &cx()).await.is_err());
    let absolute = world.path().join("t").display().to_string();
    let recipe = Recipe::Command(command(&world, &[&absolute], ArgumentPassing::Stdin));
    assert!(run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &cx()).await.is_err());
}

/// S1: a name that leads out of the folder is refused, for any target.
#[tokio::test]
async fn a_program_outside_of_the_folder_is_refused() {
    let world = World::new();
    world.sh("bin/t", "echo outside");
    world.file("tools/x", "");
    let mut recipe = command(&world, &["../bin/t"], ArgumentPassing::Stdin);
    recipe.folder = world.path().join("tools");
    let recipe = Recipe::Command(recipe);
    let err = run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("refused");
    assert!(err.to_string().contains("is outside the tool's folder and the project"), "{err}");
    let mut cx = cx();
    cx.project = Some(Arc::new(world.path()));
    assert_eq!(
        text(
            &run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &cx)
                .await
                .expect("within the project")
        ),
        "outside"
    );
}

/// O-06: plain text, or a result as it is.
#[test]
fn plain_text_stays_text() {
    assert_eq!(from_stdout(b"hello\n"), ToolOutput::text("hello"));
    assert_eq!(from_stdout(b"hello\n\n"), ToolOutput::text("hello\n"));
    assert_eq!(from_stdout(b"hello\r\n"), ToolOutput::text("hello"));
    assert_eq!(from_stdout(b""), ToolOutput::text(""));
    for value in ["42", "\"a\"", "null", "{not json", "{} {}"] {
        assert_eq!(from_stdout(value.as_bytes()), ToolOutput::text(value));
    }
}

/// O-06: byte for byte.
#[test]
fn a_complete_result_is_passed_on_unchanged() {
    for value in [
        r#"{ "content" : [ {"type":"text","text":"\u00e9"} ], "_meta": {"x": 1.0} }"#,
        r#"{"structuredContent":{"a":1e2}}"#,
        r#"{"isError":true}"#,
    ] {
        let output = from_stdout(format!("{value}\n").as_bytes());
        assert_eq!(output.raw().as_str(), value);
    }
    assert!(from_stdout(br#"{"isError":true}"#).is_error());
}

#[test]
fn other_json_becomes_text_and_structured_content() {
    let output = from_stdout(b"{ \"a\": 1.0 }\n");
    let whole =
        r#"{"content":[{"type":"text","text":"{ \"a\": 1.0 }"}],"structuredContent":{ "a": 1.0 }}"#;
    assert_eq!(output.raw().as_str(), whole);
    assert_eq!(from_stdout(b"[1,2]").structured_content(), Some(json!([1, 2])));
    // A page whose `content` is a string is not a result.
    assert_eq!(
        from_stdout(br#"{"content":"hi"}"#).structured_content(),
        Some(json!({"content": "hi"}))
    );
}

#[test]
fn invalid_utf8_is_shown_with_a_note() {
    let output = from_stdout(b"a\xffb\n");
    assert_eq!(output.content()[0]["text"], "a\u{fffd}b");
    assert!(text(&output).contains("not valid UTF-8"));
    assert!(!output.is_error());
}

#[test]
fn deeply_nested_json_is_text() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert!(from_stdout(deep.as_bytes()).structured_content().is_none());
}

#[tokio::test]
async fn the_shorter_time_limit_applies() {
    let world = World::new();
    world.sh("t", "exec sleep 1000");
    let mut recipe = command(&world, &["./t"], ArgumentPassing::Stdin);
    let short = Cx::new(Caller::Cli).within(Duration::from_millis(200));
    let err = run(
        &Recipe::Command(recipe.clone()),
        &call("t", json!({})),
        &ToolSandbox::default(),
        &short,
    )
    .await
    .expect_err("the call times out");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    recipe.timeout_ms = 200;
    let err = run(&Recipe::Command(recipe), &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("the call times out");
    assert_eq!(err.to_string(), "source `local`: `./t` timed out after 200 ms");
}

#[tokio::test]
async fn a_cancelled_call_ends_all_processes() {
    let world = World::new();
    let program = world.sh("t", "sleep 1000 & echo $$ > group; wait");
    let (recipe, call, cx) = (Recipe::executable(program), call("t", json!({})), cx());
    let file = world.path().join("group");
    let sandbox = ToolSandbox::default();
    let mut running = Box::pin(run(&recipe, &call, &sandbox, &cx));
    let group = tokio::select! {
        it = &mut running => panic!("the call ended early: {it:?}"),
        it = number_in(&file) => it,
    };
    assert!(!members(group).is_empty());
    drop(running);
    assert_gone(group).await;
}

/// The words of the recipe may name files that the program needs. Those of an agent grant nothing.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn arguments_of_a_call_grant_no_files() {
    let world = World::new();
    world.file("home/notes.txt", "mine");
    world.file("home/settings.txt", "settings");
    world.file("home/project/tools/t", "");
    let host = SandboxHost {
        home: Some(world.path().join("home")),
        state: Some(world.path().join("state")),
        ..SandboxHost::default()
    };
    let sandbox = ToolSandbox(Some(Arc::new(host)));
    let mut recipe = command(&world, &["cat"], ArgumentPassing::Args(vec!["{path}".to_owned()]));
    recipe.folder = world.path().join("home/project/tools");
    let notes = world.path().join("home/notes.txt");
    let cx = Cx::new(Caller::Mcp);
    let read = async |recipe: &CommandRecipe, path: &str| {
        let call = call("t", json!({"path": path}));
        let output = run(&Recipe::Command(recipe.clone()), &call, &sandbox, &cx).await;
        text(&output.expect("it runs"))
    };
    for path in [notes.to_str().expect("UTF-8"), "../../notes.txt"] {
        let seen = read(&recipe, path).await;
        assert!(seen.contains("Permission denied"), "{path}: {seen}");
    }
    recipe.argv.push("../../settings.txt".to_owned());
    recipe.input = ArgumentPassing::Args(vec!["../../notes.txt".to_owned()]);
    assert_eq!(read(&recipe, "").await.trim(), "settingsmine");
}

#[tokio::test]
async fn missing_programs_are_reported() {
    let world = World::new();
    let missing = Recipe::Missing { reason: "`x.sh` does not exist".to_owned() };
    let err = run(&missing, &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("missing");
    assert_eq!(err.to_string(), "source `local` could not run `t`: `x.sh` does not exist");
    let nope = Recipe::Command(command(&world, &["no-such-program-here"], ArgumentPassing::Stdin));
    match run(&nope, &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("missing")
    {
        SourceError::Spawn { program, reason, .. } => {
            assert_eq!(program, "no-such-program-here");
            assert_eq!(reason, "`no-such-program-here` is not installed, or not in PATH");
        }
        other => panic!("{other}"),
    }
    let empty = Recipe::Command(command(&world, &[], ArgumentPassing::Stdin));
    assert!(run(&empty, &call("t", json!({})), &ToolSandbox::default(), &cx()).await.is_err());
}

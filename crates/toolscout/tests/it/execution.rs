//! 1. A tool receives its input, its context, its own folder, and a small part of our environment.
//! 2. The output of a tool is the result, and its failure determines the exit code.
//! 3. A file whose probe fails or times out does not affect other files.
//! 4. No process outlives a call after a timeout or an interruption.
//! 5. Modules in node and python are tools like any other.

use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn answer(name: &str) -> String {
    let properties = json!({"text": {"type": "string"}});
    json!({"name": name, "description": "Says it again", "inputSchema": {"type": "object", "properties": properties}})
        .to_string()
}

/// O-01: the tool implements both verbs, and receives its input and context on standard input.
#[test]
fn an_executable_with_both_verbs_is_listed_and_receives_input_and_context() {
    let world = World::project().var("TOOLSCOUT_TRUST", "1").program(
        "tools/again",
        &answer("again"),
        "echo \"$2\" >&2; cat",
    );
    assert_eq!(world.stdout(&["tools"]), "  again - Says it again\n");
    let output = world.run(&["again", "--text", "hello"]).exits(0).json();
    let project = world.path("").canonicalize().expect("the project");
    let context = json!({"source": "local", "tool": "again", "caller": "cli", "project": project});
    assert_eq!(output, json!({"input": {"text": "hello"}, "context": context}));
    assert_eq!(world.started(), ["tool-schema", "tool-invoke"]);
}

/// O-01: two equal calls get the same context, from any working folder.
#[test]
fn the_call_context_does_not_depend_on_the_working_folder() {
    let world = World::project().program("tools/again", &answer("again"), "cat");
    let output = world.run(&["--quiet", "again"]).exits(0).json();
    let below = world.in_folder("tools");
    assert_eq!(below.run(&["--quiet", "again"]).exits(0).json(), output);
    assert_eq!(below.run(&["--quiet", "-C", "../tools/..", "again"]).exits(0).json(), output);
}

/// O-01: each tool is called by its own name.
#[test]
fn one_executable_may_define_several_tools() {
    let both = format!("[{}, {}]", answer("one"), answer("two"));
    let world = World::project().var("TOOLSCOUT_TRUST", "1").program(
        "tools/pair",
        &both,
        "echo \"I am $2\"",
    );
    assert_eq!(world.names(&[]), ["one", "two"]);
    assert_eq!(world.stdout(&["two"]), "I am two\n");
}

/// O-03: each warning has its own reason, and the valid file is listed.
#[test]
fn files_with_an_invalid_probe_response_are_skipped_with_a_warning() {
    let extra = r#"{"name": "extra", "inputSchema": {}, "colour": "red"}"#;
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file("tools/dull.sh", "#!/bin/sh\n# knows tool-schema\n")
        .script("tools/fails", "#!/bin/sh\n# tool-schema\necho no idea >&2\nexit 4\n")
        .script("tools/babbles", "#!/bin/sh\n# tool-schema\necho hello\n")
        .script("tools/mute", "#!/bin/sh\n# tool-schema\n")
        .program("tools/extra", extra, "")
        .program("tools/good", &answer("good"), "");
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.out, "  good - Says it again\n", "{outcome:?}");
    let warning = |file: &str| {
        let path = world.path("tools").join(file).display().to_string();
        let line =
            outcome.err.lines().find(|line| line.starts_with("warning:") && line.contains(&path));
        line.unwrap_or_else(|| panic!("{file} is not in {outcome:?}")).to_owned()
    };
    assert!(warning("dull.sh").contains("not executable"));
    assert!(warning("fails").contains("exited with code 4: no idea"));
    assert!(warning("babbles").contains("not JSON"));
    assert!(warning("mute").contains("printed nothing"));
    assert!(warning("extra").contains("unknown key `colour`"));
    assert_eq!(outcome.err.matches("warning:").count(), 5, "{outcome:?}");
}

/// O-04: hanging files are probed in parallel, each with its own timeout. The valid file is listed.
#[test]
fn files_that_hang_during_probing_are_skipped_after_the_timeout() {
    let hang = |name: &str| format!("#!/bin/sh\n# tool-schema {name}\nexec sleep 60\n");
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file("toolscout.toml", "probe_timeout_ms = 300\n")
        .script("tools/a-hangs", &hang("a"))
        .script("tools/b-hangs", &hang("b"))
        .program("tools/good", &answer("good"), "");
    let since = Instant::now();
    let outcome = world.run(&["tools"]).exits(0).stderr_contains(&[
        "a-hangs: it did not list its tools within 300 ms",
        "b-hangs: it did not list its tools within",
    ]);
    assert_eq!(outcome.out, "  good - Says it again\n");
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
}

/// O-04: all probes share a budget. Files that it does not cover are listed by file name.
#[test]
fn probing_many_hanging_files_ends_with_the_total_budget() {
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file("toolscout.toml", "probe_timeout_ms = 200\n");
    // The content differs, because files with the same content are probed once.
    let hang = |number: usize| format!("#!/bin/sh\n# tool-schema {number}\nexec sleep 60\n");
    let world = (0..60).fold(world, |index, number| {
        index.script(&format!("tools/hangs-{number:02}"), &hang(number))
    });
    let since = Instant::now();
    let outcome = world
        .run(&["tools", "--json"])
        .exits(0)
        .stderr_contains(&["took longer than 800 ms; the remaining tools are listed by file name"]);
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
    let tools = outcome.json();
    let tools = tools.as_array().expect("a list");
    assert!(
        (20..60).contains(&tools.len()) && tools.iter().all(|tool| tool["status"] == "unprobed"),
        "{outcome:?}"
    );
    assert_eq!(outcome.err.matches("took longer than").count(), 1, "{outcome:?}");
}

/// O-05: the error contains the exit code and the output of the tool; our exit code is 1.
#[test]
fn a_failing_tool_reports_its_error_and_exits_with_1() {
    let world = World::project()
        .program("tools/verb", &answer("verb"), "echo half; echo boom >&2; exit 3")
        .script("tools/plain.sh", "#!/bin/sh\n# tool: plain\necho boom >&2\nexit 3\n");
    for name in ["verb", "plain"] {
        let outcome =
            world.run(&["--quiet", name]).exits(1).stderr_contains(&["exited with code 3", "boom"]);
        assert_eq!(outcome.out, "", "{name}");
    }
    let killed = World::project().script("tools/dies.sh", "#!/bin/sh\n# tool: dies\nkill -9 $$\n");
    killed.run(&["dies"]).exits(1).stderr_contains(&["SIGKILL"]);
}

/// O-06: JSON with `content` is the result itself.
#[test]
fn text_is_printed_unchanged_and_content_is_unpacked() {
    let blocks =
        json!({"content": [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]});
    let failed = json!({"content": [{"type": "text", "text": "not today"}], "isError": true});
    let data = json!({"content": [{"type": "text", "text": "two"}], "structuredContent": {"n": 2}});
    let say = |text: &str| format!("cat <<'END'\n{text}\nEND");
    let world = World::project()
        .program("tools/plain", &answer("plain"), "printf 'just\\ntext\\n'")
        .program("tools/blocks", &answer("blocks"), &say(&blocks.to_string()))
        .program("tools/failed", &answer("failed"), &say(&failed.to_string()))
        .program("tools/data", &answer("data"), &say(&data.to_string()));
    assert_eq!(world.run(&["-q", "plain"]).exits(0).out, "just\ntext\n");
    assert_eq!(world.run(&["-q", "blocks"]).exits(0).out, "first\nsecond\n");
    assert_eq!(world.run(&["-q", "data"]).exits(0).out, "two\n");
    assert_eq!(world.run(&["-q", "data", "--json"]).exits(0).json(), json!({"n": 2}));
    assert_eq!(world.run(&["-q", "failed"]).exits(1).stderr_contains(&["not today"]).out, "");
}

/// O-08: a child process receives the variables that it needs or that its author lists, and none of
/// our secrets.
#[test]
fn a_child_does_not_see_our_environment() {
    let shows = "name = \"shows\"\n[run]\ncommand = [\"env\"]\nenv = [\"WANTED\"]\n";
    let world = World::project()
        .var("SECRET", "1")
        .var("WANTED", "yes")
        .var("LC_TIME", "C")
        .var("TOOLSCOUT_TRUST", "1")
        .file("tools/shows.tool.toml", shows)
        .program("tools/verb", &answer("verb"), "env");
    let named = world.stdout(&["shows"]);
    assert!(!named.contains("SECRET") && !named.contains("TOOLSCOUT_TRUST"), "{named}");
    assert!(
        named.contains("WANTED=yes\n") && named.contains("LC_TIME=C\n") && named.contains("PATH="),
        "{named}"
    );
    let verb = world.stdout(&["verb"]);
    assert!(!verb.contains("SECRET") && !verb.contains("WANTED"), "{verb}");
}

/// O-08: from any working folder.
#[test]
fn a_tool_runs_in_its_own_folder() {
    let world = World::project()
        .script("tools/deep/here.sh", "#!/bin/sh\n# tool: here\npwd\n")
        .in_folder("elsewhere");
    let folder = world.path("../tools/deep").canonicalize().expect("the tool's folder");
    assert_eq!(world.stdout(&["here"]), format!("{}\n", folder.display()));
}

/// O-10: arguments with secret names are redacted at any depth; other arguments are logged.
#[test]
fn secrets_in_arguments_are_not_logged() {
    let more = "[[parameters]]\nname = \"api_token\"\ntype = \"string\"\n[[parameters]]\nname = \"user\"\ntype = \"object\"";
    let world = World::trusted().echo("tools/login.tool.toml", "login", more);
    let args = [
        "--verbose",
        "--log-format",
        "json",
        "login",
        "--api_token",
        "s3cr3t",
        "--user",
        r#"{"name": "ann", "password": "hunter2"}"#,
    ];
    let outcome = world.run(&args).exits(0);
    assert!(outcome.out.contains("s3cr3t") && outcome.out.contains("hunter2"), "{outcome:?}");
    let call = outcome.events("tool_call").pop().expect("a logged call");
    let logged: Value =
        serde_json::from_str(call["arguments"].as_str().expect("arguments")).expect("JSON");
    assert_eq!(
        logged,
        json!({"api_token": "[REDACTED]", "user": {"name": "ann", "password": "[REDACTED]"}})
    );
    outcome.stderr_lacks(&["s3cr3t", "hunter2"]);
}

/// O-11: the plan includes defaults, and an invalid call is still an error.
#[test]
fn a_dry_run_shows_the_plan_and_starts_nothing() {
    let more = "[[parameters]]\nname = \"url\"\ntype = \"string\"\nrequired = true\n[[parameters]]\nname = \"n\"\ntype = \"integer\"\ndefault = 2";
    let note = |world: &World| {
        format!(
            "name = \"fetch\"\n{more}\n[run]\ncommand = [\"sh\", \"-c\", \"echo ran >> '{}'\"]\n",
            world.start_log().display()
        )
    };
    let world = World::project();
    let text = note(&world);
    let world =
        world.file("tools/fetch.tool.toml", &text).program("tools/verb", &answer("verb"), "");
    let plan = world.run(&["--quiet", "--dry-run", "fetch", "--url", "u"]).exits(0).json();
    let path = world.path("tools/fetch.tool.toml");
    assert_eq!(
        plan,
        json!({"tool": "local/fetch", "path": path, "arguments": {"url": "u", "n": 2}})
    );
    assert_eq!(
        world.run(&["--quiet", "--dry-run", "run", "fetch", "--url", "u"]).exits(0).json(),
        plan
    );
    world.run(&["--quiet", "--dry-run", "verb"]).exits(0);
    world.run(&["--dry-run", "fetch"]).exits(2).stderr_contains(&["--url"]);
    assert_eq!(world.started(), [""; 0]);
}

/// Exit code 3: the timeout is the one that the author of the tool set.
#[test]
fn a_tool_that_exceeds_its_timeout_is_killed_and_exits_with_3() {
    let slow = "name = \"slow\"\n[run]\ncommand = [\"sleep\", \"60\"]\ntimeout_ms = 100\n";
    let world = World::project().file("tools/slow.tool.toml", slow);
    let since = Instant::now();
    assert_eq!(
        world.run(&["slow"]).exits(3).stderr_contains(&["sleep", "timed out after 100 ms"]).out,
        ""
    );
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
}

/// Exit code 3
#[test]
fn a_tool_whose_program_is_not_installed_exits_with_3() {
    let world = World::project()
        .file("tools/x.tool.toml", "name = \"x\"\n[run]\ncommand = [\"no-such-program-here\"]\n");
    world.run(&["x"]).exits(3).stderr_contains(&["no-such-program-here", "not installed"]);
}

/// A pipe that every process of a call holds open. It reaches its end when the last process ends.
fn lifeline(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("`mkfifo` is installed").success());
}

/// Exit code 130: not even a grandchild process is left.
#[test]
fn an_interrupted_call_leaves_nothing_behind_and_exits_with_130() {
    let script =
        "#!/bin/sh\n# tool: waits\nexec 3> ../alive\necho here >&3\nsleep 60 &\nsleep 60\n";
    let world = World::project().script("tools/waits.sh", script);
    lifeline(&world.path("alive"));
    let mut child = world
        .command(&["waits"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut alive = BufReader::new(File::open(world.path("alive")).expect("the lifeline"));
    let mut line = String::new();
    alive.read_line(&mut line).expect("a line from the tool");
    assert_eq!(line, "here\n");
    let since = Instant::now();
    interrupt(child.id());
    assert_eq!(child.wait().expect("the process exits").code(), Some(130));
    // Blocks until every process of the call has ended.
    alive.read_to_string(&mut line).expect("the end of the lifeline");
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
}

/// Exit code 130
#[test]
fn the_program_can_be_interrupted_while_it_reads_standard_input() {
    let world = World::project().echo("tools/a.tool.toml", "a", "");
    let mut command = world.command(&["--verbose", "--log-format", "json", "a", "--input", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("tools_registered") {
        line.clear();
        assert_ne!(err.read_line(&mut line).expect("a line"), 0, "the process ended by itself");
    }
    let since = Instant::now();
    interrupt(child.id());
    assert_eq!(child.wait().expect("the process exits").code(), Some(130));
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
}

fn interrupt(process: u32) {
    let process = rustix::process::Pid::from_raw(i32::try_from(process).expect("a process id"))
        .expect("not zero");
    rustix::process::kill_process(process, rustix::process::Signal::INT)
        .expect("the process is running");
}

/// Section 4 of the product: the named exports follow in their order.
#[test]
fn a_node_module_lists_its_default_export_first() {
    if !is_installed("node") {
        return;
    }
    let module = "console.log('loading');\n\
        const n = { type: 'object', properties: { n: { type: 'integer', description: 'How many' } }, required: ['n'] };\n\
        export const zeta = { name: 'zeta', description: 'The second', inputSchema: n, handler: async ({ n }) => ({ twice: n * 2 }) };\n\
        export const alpha = { name: 'alpha', description: 'The third', inputSchema: {}, handler: (_, context) => `by ${context.caller}` };\n\
        export const unrelated = 7;\n\
        export default { name: 'main', description: 'The first', inputSchema: {}, execute: () => { throw new Error('boom') } };\n";
    let world = World::project().var("TOOLSCOUT_TRUST", "1").file("tools/several.mjs", module);
    assert_eq!(
        world.stdout(&["tools"]),
        "  main - The first\n  zeta - The second\n  alpha - The third\n"
    );
    assert_eq!(world.stdout(&["zeta", "--n", "21"]), "{\"twice\":42}\n");
    assert_eq!(world.stdout(&["alpha"]), "by cli\n");
    assert_eq!(world.run(&["main"]).exits(1).stderr_contains(&["boom"]).out, "");
    assert!(world.stdout(&["zeta", "--help"]).contains("How many"));
    world.run(&["zeta"]).exits(2).stderr_contains(&["--n"]);
}

/// Section 4 of the product
#[test]
fn a_python_function_becomes_a_tool_from_signature_and_docstring() {
    if !is_installed("python3") {
        return;
    }
    let module = "from toolscout import tool\n\nprint('loading')\n\n\n@tool\ndef greet(name: str, times: int = 1) -> str:\n    \
        \"\"\"Greet somebody.\n\n    Args:\n        name: Whom to greet\n        times: How often\n    \"\"\"\n    \
        return ' '.join([f'Hello {name}!'] * times)\n\n\n@tool(name='divide')\ndef quotient(a: float, b: float):\n    return a / b\n";
    let world = World::project().var("TOOLSCOUT_TRUST", "1").file("tools/polite.py", module);
    assert_eq!(
        world.stdout(&["tools"]),
        "  greet - Greet somebody.\n  divide - (no description)\n"
    );
    assert_eq!(
        world.stdout(&["greet", "--name", "Ann", "--times", "2"]),
        "Hello Ann! Hello Ann!\n"
    );
    assert_eq!(world.stdout(&["greet", "--name", "Ann"]), "Hello Ann!\n");
    let help = world.stdout(&["greet", "--help"]);
    assert!(
        help.contains("Whom to greet (required)") && help.contains("How often (default: 1)"),
        "{help}"
    );
    world.run(&["divide", "--a", "1", "--b", "0"]).exits(1).stderr_contains(&["ZeroDivisionError"]);
}

/// Section 4 of the product: a module without its runtime is listed as unavailable, with one
/// warning, and does not run.
#[test]
fn modules_without_a_runtime_are_unavailable_with_one_warning() {
    let header = |name: &str| format!("// tool: {name}\nexport default {{}};\n");
    let world = World::project()
        .var("PATH", "/nowhere")
        .file("tools/a.mjs", &header("a"))
        .file("tools/b.mjs", &header("b"))
        .echo("tools/c.tool.toml", "c", "");
    let outcome = world.run(&["tools", "--json"]).exits(0).stderr_contains(&["needs node"]);
    let tools = outcome.json();
    let states: Vec<_> = tools
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| tool["status"].as_str().unwrap_or("?"))
        .collect();
    assert_eq!(states, ["unavailable", "unavailable", "ready"]);
    assert_eq!(outcome.err.matches("needs node").count(), 1, "{outcome:?}");
    world.run(&["a"]).exits(3).stderr_contains(&["needs node"]);
}

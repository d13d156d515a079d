//! 1. Roots are found in a parent folder, given as options, or configured. Their tools are listed
//!    in that order.
//! 2. Patterns select the files, and ignored files are never opened.
//! 3. A broken file is reported with its path and reason. It stops discovery only in strict mode.
//! 4. A rule resolves a conflict between two tools of the same name, and one warning reports it.
//! 5. The same tree gives the same list. The second discovery uses the cache.

use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// A-01: the nearest folder with a marker is the root, from any folder below it.
#[test]
fn the_root_is_the_nearest_ancestor_and_only_its_tool_folders_are_searched() {
    let world = World::project()
        .echo("tools/a.tool.toml", "a", "")
        .echo("tools/x/y/b.tool.toml", "b", "")
        .file("src/tools/c.tool.json", r#"{"name": "c", "run": {"command": ["cat"]}}"#)
        .echo("lib/d.tool.toml", "d", "");
    let paths = ["src/tools/c.tool.json", "tools/a.tool.toml", "tools/x/y/b.tool.toml"]
        .map(|value| json!(world.path(value)));
    let tools = world.in_folder("tools/x/y").tools(&[]);
    assert_eq!(tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(
        tools.iter().map(|tool| &tool["path"]).collect::<Vec<_>>(),
        paths.iter().collect::<Vec<_>>()
    );
}

/// A-01
#[test]
fn tools_json_lists_every_field_of_a_tool() {
    let more = "description = \"Copies\"\nkeywords = [\"copy\"]\n[[parameters]]\nname = \"text\"\ntype = \"string\"\nrequired = true";
    let world = World::project().echo("tools/copy.tool.toml", "copy", more);
    let path = world.path("tools/copy.tool.toml");
    let schema =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let whole = json!([{
        "id": "local/copy", "source": "local", "name": "copy", "description": "Copies", "keywords": ["copy"],
        "path": path, "inputSchema": schema, "policy": "allow", "status": "ready", "visibility": "searchable",
    }]);
    assert_eq!(world.run(&["tools", "--json"]).exits(0).json(), whole);
}

/// A-02
#[test]
fn outside_of_a_project_the_tool_list_is_empty() {
    let world = World::bare().echo("tools/a.tool.toml", "a", "");
    assert_eq!(world.stdout(&["tools", "--json"]), "[]\n");
    assert_eq!(world.stdout(&["tools"]), "");
}

/// A-03: the files are broken, so opening one would cause a warning.
#[test]
fn tests_private_files_and_vendored_folders_are_skipped_silently() {
    let ignored = [
        "tools/a.test.tool.toml",
        "tools/a.test.toml",
        "tools/a.spec.tool.json",
        "tools/_helper.tool.toml",
        "tools/_private/x.tool.yaml",
        "tools/node_modules/p/t.tool.toml",
        "tools/target/t.tool.toml",
        "tools/.cache/t.tool.json",
    ];
    let world = ignored
        .iter()
        .fold(World::project().echo("tools/a.tool.toml", "a", ""), |ignored, path| {
            ignored.file(path, "{[ broken")
        });
    assert_eq!(world.stdout(&["tools"]), "  a - (no description)\n");
    let other = world.echo("tools/b.tool.toml", "b", "");
    let outcome = other
        .run(&["tools", "--verbose", "--log-format", "json"])
        .exits(0)
        .stderr_lacks(&["note:", "warning:"]);
    let scan = outcome.events("discovery.scan").pop().expect("a scan");
    assert_eq!((&scan["hits"], &scan["misses"]), (&json!(1), &json!(1)));
}

/// A-04: given patterns replace the default ones; so do given ignore patterns.
#[test]
fn given_patterns_replace_the_default_patterns() {
    let world = World::project()
        .echo("tools/a.tool.toml", "a", "")
        .echo("commands/deep/c.tool.toml", "c", "")
        .file("commands/d.tool.json", r#"{"name": "d", "run": {"command": ["cat"]}}"#)
        .echo("commands/_e.tool.toml", "e", "");
    assert_eq!(world.names(&["--pattern", "commands/**/*.tool.toml"]), ["c"]);
    assert_eq!(world.names(&["--pattern", "commands/**/*.tool.toml", "--ignore", "deep"]), ["e"]);
    let configured =
        world.file("toolscout.toml", "patterns = [\"commands/**\"]\nignore = [\"_*\"]\n");
    assert_eq!(configured.names(&[]), ["d", "c"]);
}

fn two_roots() -> World {
    World::bare().echo("r1/tools/t1.tool.toml", "t1", "").echo("r2/tools/t2.tool.toml", "t2", "")
}

/// A-06: not in alphabetical order.
#[test]
fn roots_are_searched_in_the_given_order() {
    assert_eq!(two_roots().names(&["--root", "r2", "--root", "r1"]), ["t2", "t1"]);
    assert_eq!(two_roots().names(&["--root", "r1", "--root", "r2"]), ["t1", "t2"]);
}

/// A-07: the default root comes first, then the roots of the command line or of the configuration.
#[test]
fn the_default_root_can_be_one_of_several() {
    let world = World::project()
        .echo("tools/own.tool.toml", "own", "")
        .echo("../shared/tools/shared.tool.toml", "shared", "")
        .echo("../plugins/tools/plugin.tool.toml", "plugin", "");
    let (shared, plugins) = (
        world.path("../shared").display().to_string(),
        world.path("../plugins").display().to_string(),
    );
    assert_eq!(
        world.names(&["--root", "default", "--root", &shared, "--root", &plugins]),
        ["own", "shared", "plugin"]
    );
    let configured =
        world.file("toolscout.toml", "roots = [\"default\", \"../shared\", \"../plugins\"]\n");
    assert_eq!(configured.names(&[]), ["own", "shared", "plugin"]);
}

/// A-07
#[test]
fn a_missing_root_is_reported_and_the_others_are_searched() {
    let world = two_roots();
    let outcome = world
        .run(&["--root", "nowhere", "--root", "r1", "tools"])
        .exits(0)
        .stderr_contains(&["warning", "nowhere"]);
    assert_eq!(outcome.out, "  t1 - (no description)\n");
}

const DUP: [&str; 4] = ["--root", "r1", "--root", "r2"];

fn dup() -> World {
    World::bare().echo("r1/tools/dup.tool.toml", "dup", "description = \"one\"").echo(
        "r2/tools/dup.tool.toml",
        "dup",
        "description = \"two\"",
    )
}

/// A-08: the warning names the tool and both files.
#[test]
fn the_later_of_two_tools_with_one_name_wins_with_one_warning() {
    let world = dup();
    let outcome = world.run(&[&DUP[..], &["tools"]].concat()).exits(0);
    let paths = ["r1", "r2"]
        .map(|value| world.path(value).join("tools/dup.tool.toml").display().to_string());
    assert_eq!(outcome.out, "  dup - two\n");
    assert_eq!(outcome.err.matches("warning:").count(), 1, "{outcome:?}");
    outcome.stderr_contains(&["dup", &paths[0], &paths[1]]);
}

/// A-09
#[test]
fn on_conflict_skip_keeps_the_earlier_tool() {
    let outcome = dup().run(&[&DUP[..], &["tools", "--on-conflict", "skip"]].concat()).exits(0);
    assert_eq!(outcome.out, "  dup - one\n");
    assert_eq!(outcome.err.matches("warning:").count(), 1, "{outcome:?}");
}

/// A-09: set on the command line or in the configuration.
#[test]
fn on_conflict_error_fails() {
    let world = dup();
    let outcome = world.run(&[&DUP[..], &["tools", "--on-conflict", "error"]].concat()).exits(2);
    assert_eq!(outcome.stderr_contains(&["Tool 'dup' is already registered"]).out, "");
    let configured =
        world.file("toolscout.toml", "on_conflict = \"error\"\nroots = [\"r1\", \"r2\"]\n");
    assert_eq!(
        configured
            .run(&["tools"])
            .exits(2)
            .stderr_contains(&["Tool 'dup' is already registered"])
            .out,
        ""
    );
}

fn one_broken_of_four() -> World {
    World::project()
        .echo("tools/a.tool.toml", "a", "")
        .file("tools/b.tool.toml", "name = \"b\"\ndescription = \n")
        .echo("tools/c.tool.toml", "c", "")
        .echo("tools/d.tool.toml", "d", "")
}

/// A-10: the warning contains the path and the reason.
#[test]
fn a_file_with_a_syntax_error_is_reported_and_the_others_are_listed() {
    let world = one_broken_of_four();
    let bad = world.path("tools/b.tool.toml").display().to_string();
    let outcome = world.run(&["tools"]).exits(0).stderr_contains(&["warning:", &bad, "line 2"]);
    assert_eq!(
        outcome.out,
        "  a - (no description)\n  c - (no description)\n  d - (no description)\n"
    );
}

/// A-11: it prints no list.
#[test]
fn strict_mode_stops_at_the_first_broken_file() {
    let world = one_broken_of_four();
    let bad = world.path("tools/b.tool.toml").display().to_string();
    assert_eq!(
        world.run(&["tools", "--strict"]).exits(2).stderr_contains(&["error:", &bad, "line 2"]).out,
        ""
    );
    assert_eq!(world.run(&["tools", "--strict", "--json"]).exits(2).out, "");
    assert_eq!(world.file("toolscout.toml", "strict = true\n").run(&["tools"]).exits(2).out, "");
}

/// A-10: doctor also prints a hint and exits with 1.
#[test]
fn doctor_reports_a_broken_file_or_no_problems() {
    let world = one_broken_of_four();
    let outcome = world.run(&["doctor"]).exits(1);
    assert!(
        outcome.out.contains("1 problem:") && outcome.out.contains("tools/b.tool.toml: "),
        "{outcome:?}"
    );
    assert!(outcome.out.contains("tools     3 (3 ready)"), "{outcome:?}");
    let found = world.run(&["doctor", "--json"]).exits(1).json();
    assert_eq!(found["diagnostics"][0]["path"], json!(world.path("tools/b.tool.toml")));
    let mended = world.echo("tools/b.tool.toml", "b", "");
    assert!(mended.stdout(&["doctor"]).ends_with("\nNo problems.\n"));
}

/// A-12
#[test]
fn each_incomplete_tool_file_is_refused_with_its_own_reason() {
    let world = World::project()
        .file("tools/nameless.tool.toml", "[run]\ncommand = [\"cat\"]\n")
        .file("tools/idle.tool.toml", "name = \"idle\"\n")
        .echo("tools/empty.tool.toml", "", "")
        .echo("tools/listed.tool.toml", "listed", "input_schema = [1, 2]")
        .echo("tools/texty.tool.toml", "texty", "input_schema = { type = \"string\" }")
        .echo("tools/odd.tool.toml", "a/b", "")
        .file("tools/good.tool.toml", "name = \"good\"\n[http]\nurl = \"https://example.org/\"\n");
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.out, "  good - (no description)\n");
    let reason = |file: &str| {
        let path = world.path("tools").join(file).display().to_string();
        let line = outcome
            .err
            .lines()
            .find(|line| line.contains(&path))
            .unwrap_or_else(|| panic!("{file} is not in {outcome:?}"));
        line.split_once(&format!("{path}: ")).expect("a reason").1.to_owned()
    };
    let output = ["nameless", "idle", "empty", "listed", "texty", "odd"]
        .map(|value| reason(&format!("{value}.tool.toml")));
    let words = [
        "missing `name`",
        "missing `[run]` or `[http]`",
        "name is empty",
        "is a list",
        "must be \"object\"",
        "a/b",
    ];
    output
        .iter()
        .zip(words)
        .for_each(|(output, word)| assert!(output.contains(word), "{word:?} is not in {output:?}"));
    assert_eq!(outcome.err.matches("warning:").count(), output.len(), "{outcome:?}");
}

/// A-12
#[test]
fn each_incomplete_answer_of_an_executable_is_refused_with_its_own_reason() {
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .program("tools/nameless", r#"{"inputSchema": {"type": "object"}}"#, "")
        .program("tools/shapeless", r#"{"name": "shapeless"}"#, "")
        .program("tools/listed", r#"{"name": "listed", "inputSchema": [1]}"#, "")
        .program(
            "tools/mixed",
            r#"[{"name": "good", "inputSchema": {}}, {"name": "bad"}, {"name": "", "inputSchema": {}}]"#,
            "",
        );
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.out, "  good - (no description)\n", "{outcome:?}");
    outcome.stderr_contains(&[
        "nameless: missing `name`",
        "shapeless: tool `shapeless`: missing `inputSchema`",
        "listed: tool `listed`: `inputSchema` is a list",
        "mixed: tool `bad`: missing `inputSchema`",
    ]);
}

/// A-12
#[test]
fn each_incomplete_export_of_a_module_is_refused_with_its_own_reason() {
    if !is_installed("node") || !is_installed("python3") {
        return;
    }
    let module = "export const idle = { name: 'idle', inputSchema: {} };\n\
        export const shapeless = { name: 'shapeless', handler() {} };\n\
        export const nameless = { inputSchema: {}, handler() {} };\n\
        export const good = { name: 'good', inputSchema: {}, handler() {} };\n";
    let python = "TOOLS = [{'name': 'lazy', 'input_schema': {}}]\n";
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file("tools/m.mjs", module)
        .file("tools/p.py", python);
    let outcome = world.run(&["tools"]).exits(0);
    assert_eq!(outcome.out, "  good - (no description)\n", "{outcome:?}");
    outcome.stderr_contains(&[
        "(`idle`) has no `handler`",
        "(`shapeless`) has no `inputSchema`",
        "`nameless` has no `name`",
        "(`lazy`) has no `handler`",
    ]);
}

/// A-14: `--verbose` explains why a file is not a tool.
#[test]
fn files_without_tools_cause_no_warning() {
    let world = World::project()
        .file("tools/empty.tool.toml", "")
        .file("tools/comment.tool.yaml", "# nothing yet\n")
        .file("tools/empty.js", "")
        .file("tools/lib.mjs", "export const two = 1 + 1;\n")
        .file("tools/lib.py", "two = 1 + 1\n")
        .file("tools/notes.md", "Remember the milk.\n")
        .file("tools/data.json", "{]")
        .file("tools/manifest.json", r#"{"name": "some other program's"}"#)
        .script("tools/build.sh", "#!/bin/sh\necho building\n");
    assert_eq!(world.stdout(&["tools", "--json"]), "[]\n");
    let loud = world
        .run(&["tools", "--verbose"])
        .exits(0)
        .stderr_contains(&["note:", "empty.tool.toml"])
        .stderr_lacks(&["warning:"]);
    assert_eq!(loud.out, "");
}

/// A-15: the project is not searched.
#[test]
fn without_discovery_only_the_given_tools_are_listed() {
    let world =
        World::project().echo("tools/d.tool.toml", "d", "").echo("extra/e.tool.toml", "e", "");
    assert_eq!(world.names(&["--tool", "extra/e.tool.toml", "--no-discovery"]), ["e"]);
    assert_eq!(world.names(&["--no-discovery"]), [""; 0]);
    let configured = world.file("toolscout.toml", "tool_files = [\"extra/e.tool.toml\"]\n");
    assert_eq!(configured.names(&["--no-discovery"]), ["e"]);
    assert_eq!(configured.in_folder("tools").names(&["--no-discovery"]), ["e"]);
}

/// A-16
#[test]
fn given_tools_precede_discovered_tools() {
    let world =
        World::project().echo("tools/d.tool.toml", "d", "").echo("extra/e.tool.toml", "e", "");
    assert_eq!(world.names(&["--tool", "extra/e.tool.toml"]), ["e", "d"]);
    assert_eq!(
        world.file("toolscout.toml", "tool_files = [\"extra/e.tool.toml\"]\n").names(&[]),
        ["e", "d"]
    );
}

/// A-18
#[test]
fn a_tool_without_a_description_is_marked() {
    let world = World::project().echo("tools/a.tool.toml", "name", "");
    assert_eq!(world.stdout(&["tools"]), "  name - (no description)\n");
}

/// A-19: the output is byte-identical and ordered by path. The second discovery reads no file.
#[test]
fn a_second_discovery_is_identical_and_uses_the_cache() {
    let names = ["b", "a/z", "a", "C"];
    let world = names.iter().fold(World::project(), |value, name| {
        value.echo(&format!("tools/{name}.tool.toml"), &name.replace('/', "-"), "")
    });
    let args = ["tools", "--json", "--verbose", "--log-format", "json"];
    let scans: [(String, Value); 2] = [(); 2].map(|()| {
        let outcome = world.run(&args).exits(0);
        let scan = outcome.events("discovery.scan").pop().expect("a scan");
        (outcome.out, json!([scan["hits"], scan["misses"]]))
    });
    assert_eq!(scans[0].0, scans[1].0);
    assert_eq!(world.names(&[]), ["C", "a", "a-z", "b"]);
    assert_eq!([&scans[0].1, &scans[1].1], [&json!([0, 4]), &json!([4, 0])]);
}

/// A-19
#[test]
fn only_a_changed_file_is_read_again() {
    let world = World::project().echo("tools/a.tool.toml", "a", "").echo(
        "tools/b.tool.toml",
        "b",
        "description = \"old\"",
    );
    assert_eq!(world.stdout(&["tools"]), "  a - (no description)\n  b - old\n");
    let world = world.echo("tools/b.tool.toml", "b", "description = \"quite new\"");
    let outcome = world.run(&["tools", "--verbose", "--log-format", "json"]).exits(0);
    let scan = outcome.events("discovery.scan").pop().expect("a scan");
    assert_eq!(outcome.out, "  a - (no description)\n  b - quite new\n");
    assert_eq!((&scan["hits"], &scan["misses"]), (&json!(1), &json!(1)));
}

/// A-21: folders are in the order of the configuration, tools in the order of each manifest.
#[test]
fn tool_directories_and_their_manifests_keep_their_order() {
    let manifest = |names: [&str; 2]| {
        let tools =
            names.map(|name| json!({"name": name, "path": format!("./{name}.sh"), "args": {}}));
        json!({"tools": tools}).to_string()
    };
    let world = ["d1/z", "d1/y", "d2/x", "d2/a"]
        .iter()
        .fold(World::project(), |value, path| value.script(&format!("{path}.sh"), "#!/bin/sh\n"));
    let world = world
        .file("d1/manifest.json", &manifest(["z", "y"]))
        .file("d2/manifest.json", &manifest(["x", "a"]))
        .file("toolscout.toml", "tool_directories = [\"d2\", \"d1\"]\n");
    assert_eq!(world.names(&[]), ["x", "a", "z", "y"]);
    let other = world.file("toolscout.toml", "tool_directories = [\"d1\", \"d2\"]\n");
    assert_eq!(other.names(&[]), ["z", "y", "x", "a"]);
}

/// A-22
#[test]
fn five_thousand_files_are_listed_in_order_with_few_file_handles() {
    let name = |number: usize| format!("t{number:04}");
    let world = (0..5000).fold(World::project(), |index, number| {
        index.echo(&format!("tools/{}/{}.tool.toml", number / 100, name(number)), &name(number), "")
    });
    let run = || {
        let inner = world.command(&["tools"]);
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
            .arg(inner.get_program())
            .args(inner.get_args());
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(inner.get_current_dir().expect("a folder")).stdin(Stdio::null());
        let output = command.output().expect("a shell");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let mut folders: Vec<usize> = (0..50).collect();
    folders.sort_by_key(usize::to_string);
    let lines = folders
        .into_iter()
        .flat_map(|folder| folder * 100..(folder + 1) * 100)
        .map(|index| format!("  {} - (no description)\n", name(index)));
    let expected: String = lines.collect();
    assert_eq!(run(), expected);
    assert_eq!(run(), expected);
}

/// Section 3 of the product
#[test]
fn a_stream_shows_the_first_tool_while_a_later_root_is_still_searched() {
    let world =
        World::bare().var("TOOLSCOUT_TRUST", "1").echo("r1/tools/fast.tool.toml", "fast", "");
    let slow = "#!/bin/sh\nwhile [ ! -e ../../go ]; do sleep 0.01; done\n# tool-schema\necho '{\"name\": \"slow\", \"inputSchema\": {}}'\n";
    let world = world.script("r2/tools/slow", slow);
    let mut child = world
        .command(&["--root", "r1", "--root", "r2", "tools", "--stream"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    let world = world.file("go", "");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("read the other lines");
    let name = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["name"].clone();
    assert_eq!(
        (name(&first), rest.lines().map(name).collect()),
        (json!("fast"), vec![json!("slow")])
    );
    assert!(child.wait().expect("the process exits").success());
    drop(world);
}

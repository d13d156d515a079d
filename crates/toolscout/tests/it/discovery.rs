//! 1. Roots are found upward, given, or configured; their tools come in that order.
//! 2. Patterns say which files count, and what is ignored is never opened.
//! 3. A broken file is news with its path and reason, and stops nothing unless asked to.
//! 4. Two tools of one name are settled by a rule, and said once.
//! 5. The same tree gives the same list, the second time from what is remembered.

use crate::world::{World, has};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// A-01: the nearest folder with a marker is the root, wherever below it somebody stands.
#[test]
fn the_root_is_found_upward_and_only_its_tool_folders_count() {
    let world = World::project()
        .echo("tools/a.tool.toml", "a", "")
        .echo("tools/x/y/b.tool.toml", "b", "")
        .file("src/tools/c.tool.json", r#"{"name": "c", "run": {"command": ["cat"]}}"#)
        .echo("lib/d.tool.toml", "d", "");
    let paths = ["src/tools/c.tool.json", "tools/a.tool.toml", "tools/x/y/b.tool.toml"]
        .map(|it| json!(world.path(it)));
    let tools = world.at("tools/x/y").tools(&[]);
    assert_eq!(tools.iter().map(|it| &it["name"]).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(
        tools.iter().map(|it| &it["path"]).collect::<Vec<_>>(),
        paths.iter().collect::<Vec<_>>()
    );
}

/// A-01: what `tools --json` gives for each tool, complete.
#[test]
fn a_tool_is_listed_with_all_that_is_known_about_it() {
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

/// A-02: no project, no tools, no error.
#[test]
fn outside_of_any_project_there_is_an_empty_list() {
    let world = World::bare().echo("tools/a.tool.toml", "a", "");
    assert_eq!(world.out(&["tools", "--json"]), "[]\n");
    assert_eq!(world.out(&["tools"]), "");
}

/// A-03: broken on purpose, so that opening one would be heard.
#[test]
fn tests_private_files_and_foreign_folders_are_passed_over_in_silence() {
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
    let world =
        ignored.iter().fold(World::project().echo("tools/a.tool.toml", "a", ""), |it, path| {
            it.file(path, "{[ broken")
        });
    assert_eq!(world.out(&["tools"]), "  a - (no description)\n");
    let other = world.echo("tools/b.tool.toml", "b", "");
    let outcome = other
        .run(&["tools", "--verbose", "--log-format", "json"])
        .exits(0)
        .keeps_quiet_about(&["note:", "warning:"]);
    let scan = outcome.events("discovery.scan").pop().expect("a scan");
    assert_eq!((&scan["hits"], &scan["misses"]), (&json!(1), &json!(1)));
}

/// A-04: a given pattern replaces the usual ones; so does a given list of what to ignore.
#[test]
fn given_patterns_replace_the_usual_ones() {
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

/// A-06: roots in the order they are given, not in that of their names.
#[test]
fn given_roots_are_searched_in_their_order() {
    assert_eq!(two_roots().names(&["--root", "r2", "--root", "r1"]), ["t2", "t1"]);
    assert_eq!(two_roots().names(&["--root", "r1", "--root", "r2"]), ["t1", "t2"]);
}

/// A-07: the default root first, then the others, from the command line or from the configuration.
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

/// A-07: a root that is not there is news, and the others are searched.
#[test]
fn a_root_that_is_missing_is_said_and_hides_no_other() {
    let world = two_roots();
    let outcome = world
        .run(&["--root", "nowhere", "--root", "r1", "tools"])
        .exits(0)
        .says(&["warning", "nowhere"]);
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

/// A-08: the later one wins, and one warning names the tool and both files.
#[test]
fn of_two_tools_of_one_name_the_later_wins_and_both_are_named_once() {
    let world = dup();
    let outcome = world.run(&[&DUP[..], &["tools"]].concat()).exits(0);
    let paths =
        ["r1", "r2"].map(|it| world.path(it).join("tools/dup.tool.toml").display().to_string());
    assert_eq!(outcome.out, "  dup - two\n");
    assert_eq!(outcome.err.matches("warning:").count(), 1, "{outcome:?}");
    outcome.says(&["dup", &paths[0], &paths[1]]);
}

/// A-09: `skip` keeps the earlier one.
#[test]
fn a_conflict_can_be_settled_for_the_earlier_tool() {
    let outcome = dup().run(&[&DUP[..], &["tools", "--on-conflict", "skip"]].concat()).exits(0);
    assert_eq!(outcome.out, "  dup - one\n");
    assert_eq!(outcome.err.matches("warning:").count(), 1, "{outcome:?}");
}

/// A-09: `error` stops, from the command line or from the configuration.
#[test]
fn a_conflict_can_be_made_an_error() {
    let world = dup();
    let outcome = world.run(&[&DUP[..], &["tools", "--on-conflict", "error"]].concat()).exits(2);
    assert_eq!(outcome.says(&["Tool 'dup' is already registered"]).out, "");
    let configured =
        world.file("toolscout.toml", "on_conflict = \"error\"\nroots = [\"r1\", \"r2\"]\n");
    assert_eq!(
        configured.run(&["tools"]).exits(2).says(&["Tool 'dup' is already registered"]).out,
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

/// A-10: path and reason of the broken file; the rest goes on.
#[test]
fn a_file_with_a_syntax_error_is_said_and_hides_no_other() {
    let world = one_broken_of_four();
    let bad = world.path("tools/b.tool.toml").display().to_string();
    let outcome = world.run(&["tools"]).exits(0).says(&["warning:", &bad, "line 2"]);
    assert_eq!(
        outcome.out,
        "  a - (no description)\n  c - (no description)\n  d - (no description)\n"
    );
}

/// A-11: strict mode stops at it and prints no list.
#[test]
fn strict_mode_stops_at_the_first_broken_file() {
    let world = one_broken_of_four();
    let bad = world.path("tools/b.tool.toml").display().to_string();
    assert_eq!(
        world.run(&["tools", "--strict"]).exits(2).says(&["error:", &bad, "line 2"]).out,
        ""
    );
    assert_eq!(world.run(&["tools", "--strict", "--json"]).exits(2).out, "");
    assert_eq!(world.file("toolscout.toml", "strict = true\n").run(&["tools"]).exits(2).out, "");
}

/// A-10: the doctor says the same, with what to do, and exits with 1.
#[test]
fn the_doctor_finds_a_broken_file_and_says_when_there_is_none() {
    let world = one_broken_of_four();
    let outcome = world.run(&["doctor"]).exits(1);
    assert!(
        outcome.out.contains("1 problem:") && outcome.out.contains("tools/b.tool.toml: "),
        "{outcome:?}"
    );
    assert!(outcome.out.contains("tools     3 (3 ready)"), "{outcome:?}");
    let found = world.run(&["doctor", "--json"]).exits(1).json();
    assert_eq!(found["problems"][0]["path"], json!(world.path("tools/b.tool.toml")));
    let mended = world.echo("tools/b.tool.toml", "b", "");
    assert!(mended.out(&["doctor"]).ends_with("\nNo problems.\n"));
}

/// A-12: every way of being no tool has a reason of its own.
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
            .find(|it| it.contains(&path))
            .unwrap_or_else(|| panic!("{file} is not in {outcome:?}"));
        line.split_once(&format!("{path}: ")).expect("a reason").1.to_owned()
    };
    let said = ["nameless", "idle", "empty", "listed", "texty", "odd"]
        .map(|it| reason(&format!("{it}.tool.toml")));
    let words = [
        "no `name`",
        "neither `[run]` nor `[http]`",
        "name is empty",
        "is a list",
        "must be \"object\"",
        "a/b",
    ];
    said.iter()
        .zip(words)
        .for_each(|(said, word)| assert!(said.contains(word), "{word:?} is not in {said:?}"));
    assert_eq!(outcome.err.matches("warning:").count(), said.len(), "{outcome:?}");
}

/// A-12: the same for what executables answer.
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
    outcome.says(&[
        "nameless: has no `name`",
        "shapeless: tool `shapeless`: has no `inputSchema`",
        "listed: tool `listed`: `inputSchema` is a list",
        "mixed: tool `bad`: has no `inputSchema`",
    ]);
}

/// A-12: the same for what modules export.
#[test]
fn each_incomplete_export_of_a_module_is_refused_with_its_own_reason() {
    if !has("node") || !has("python3") {
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
    outcome.says(&[
        "(`idle`) has no `handler`",
        "(`shapeless`) has no `inputSchema`",
        "`nameless` has no `name`",
        "(`lazy`) has no `handler`",
    ]);
}

/// A-14: what holds no tool is nobody's mistake; who looks for it can read about it.
#[test]
fn files_that_hold_no_tools_are_not_worth_a_warning() {
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
    assert_eq!(world.out(&["tools", "--json"]), "[]\n");
    let loud = world
        .run(&["tools", "--verbose"])
        .exits(0)
        .says(&["note:", "empty.tool.toml"])
        .keeps_quiet_about(&["warning:"]);
    assert_eq!(loud.out, "");
}

/// A-15: only what is named; the project is not searched.
#[test]
fn without_discovery_only_the_tools_that_are_named_are_there() {
    let world =
        World::project().echo("tools/d.tool.toml", "d", "").echo("extra/e.tool.toml", "e", "");
    assert_eq!(world.names(&["--tool", "extra/e.tool.toml", "--no-discovery"]), ["e"]);
    assert_eq!(world.names(&["--no-discovery"]), [""; 0]);
    let configured = world.file("toolscout.toml", "tool_files = [\"extra/e.tool.toml\"]\n");
    assert_eq!(configured.names(&["--no-discovery"]), ["e"]);
    assert_eq!(configured.at("tools").names(&["--no-discovery"]), ["e"]);
}

/// A-16: explicit tools come first.
#[test]
fn tools_that_are_named_come_before_those_that_are_found() {
    let world =
        World::project().echo("tools/d.tool.toml", "d", "").echo("extra/e.tool.toml", "e", "");
    assert_eq!(world.names(&["--tool", "extra/e.tool.toml"]), ["e", "d"]);
    assert_eq!(
        world.file("toolscout.toml", "tool_files = [\"extra/e.tool.toml\"]\n").names(&[]),
        ["e", "d"]
    );
}

/// A-18: the words for a missing description.
#[test]
fn a_tool_without_a_description_says_so() {
    let world = World::project().echo("tools/a.tool.toml", "name", "");
    assert_eq!(world.out(&["tools"]), "  name - (no description)\n");
}

/// A-19: byte-identical, in the order of the paths, and the second time nothing is read.
#[test]
fn a_second_discovery_of_the_same_tree_is_the_same_and_comes_from_what_is_remembered() {
    let names = ["b", "a/z", "a", "C"];
    let world = names.iter().fold(World::project(), |it, name| {
        it.echo(&format!("tools/{name}.tool.toml"), &name.replace('/', "-"), "")
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

/// A-19: a changed file is read again, the others are not.
#[test]
fn only_a_changed_file_is_read_again() {
    let world = World::project().echo("tools/a.tool.toml", "a", "").echo(
        "tools/b.tool.toml",
        "b",
        "description = \"old\"",
    );
    assert_eq!(world.out(&["tools"]), "  a - (no description)\n  b - old\n");
    let world = world.echo("tools/b.tool.toml", "b", "description = \"quite new\"");
    let outcome = world.run(&["tools", "--verbose", "--log-format", "json"]).exits(0);
    let scan = outcome.events("discovery.scan").pop().expect("a scan");
    assert_eq!(outcome.out, "  a - (no description)\n  b - quite new\n");
    assert_eq!((&scan["hits"], &scan["misses"]), (&json!(1), &json!(1)));
}

/// A-21: folders in the order of the configuration, tools in that of each manifest.
#[test]
fn configured_tool_directories_keep_their_order_and_that_of_their_manifests() {
    let manifest = |names: [&str; 2]| {
        let tools = names.map(|it| json!({"name": it, "path": format!("./{it}.sh"), "args": {}}));
        json!({"tools": tools}).to_string()
    };
    let world = ["d1/z", "d1/y", "d2/x", "d2/a"]
        .iter()
        .fold(World::project(), |it, path| it.script(&format!("{path}.sh"), "#!/bin/sh\n"));
    let world = world
        .file("d1/manifest.json", &manifest(["z", "y"]))
        .file("d2/manifest.json", &manifest(["x", "a"]))
        .file("toolscout.toml", "tool_directories = [\"d2\", \"d1\"]\n");
    assert_eq!(world.names(&[]), ["x", "a", "z", "y"]);
    let other = world.file("toolscout.toml", "tool_directories = [\"d1\", \"d2\"]\n");
    assert_eq!(other.names(&[]), ["z", "y", "x", "a"]);
}

/// A-22: many files, few file handles, the same answer twice.
#[test]
fn five_thousand_files_are_listed_in_order_with_few_file_handles() {
    let name = |number: usize| format!("t{number:04}");
    let world = (0..5000).fold(World::project(), |it, number| {
        it.echo(&format!("tools/{}/{}.tool.toml", number / 100, name(number)), &name(number), "")
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
        .flat_map(|it| it * 100..(it + 1) * 100)
        .map(|it| format!("  {} - (no description)\n", name(it)));
    let expected: String = lines.collect();
    assert_eq!(run(), expected);
    assert_eq!(run(), expected);
}

/// Section 3 of the product: the first tool is visible before a slow later root ends.
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
    out.read_to_string(&mut rest).expect("the other lines");
    let name = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["name"].clone();
    assert_eq!(
        (name(&first), rest.lines().map(name).collect()),
        (json!("fast"), vec![json!("slow")])
    );
    assert!(child.wait().expect("it ends").success());
    drop(world);
}

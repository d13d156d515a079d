//! 1. Every tool is a command. Help, lists and search start no tool.
//! 2. `run` accepts every form of a tool's name and gives the same result as the command.
//! 3. A tool keeps its full name, and stays callable if a built-in command has the same name.
//! 4. A saved discovery can be read without another discovery.

use crate::api::Api;
use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::fs;

const FETCH: &str = r#"{"name": "fetch-data", "description": "Fetch data", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}, "format": {"type": "string", "default": "json"}}, "required": ["url"]}}"#;

/// A manifest with one entry, and its program, which logs each start.
fn fetching() -> World {
    let args = json!({"url": {"type": "string", "required": true}, "format": {"type": "string", "default": "json"}});
    let manifest = json!({"tools": [{"name": "fetch-data", "description": "Fetch data", "path": "./fetch", "args": args}]});
    World::project().file("tools/manifest.json", &manifest.to_string()).program(
        "tools/fetch",
        FETCH,
        "cat",
    )
}

/// B-01: discovery runs before the command line is resolved.
#[test]
fn help_lists_every_tool_as_a_command() {
    let world = World::project()
        .echo("tools/a.tool.toml", "alpha", "description = \"The first\"")
        .echo("src/tools/b.tool.toml", "beta", "description = \"The second\"")
        .script("tools/c.sh", "#!/bin/sh\n# tool: gamma\n# description: The third\n");
    let help = world.stdout(&["--help"]);
    let (_, tools) = help.split_once("Tools (local):\n").expect("a heading for tools");
    let lines: Vec<_> = tools
        .lines()
        .take(3)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(lines, ["beta The second", "alpha The first", "gamma The third"]);
    [
        "tools",
        "search",
        "describe",
        "run",
        "export",
        "completion",
        "discover",
        "doctor",
        "manifest",
        "trust",
    ]
    .iter()
    .for_each(|item| {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(&format!("{item} "))),
            "{item} is not in {help}"
        )
    });
}

/// B-03: flags and defaults come from the manifest.
#[test]
fn help_for_a_tool_with_a_manifest_starts_nothing() {
    let world = fetching();
    let help = world.stdout(&["fetch-data", "--help"]);
    let line = |flag: &str| {
        help.lines()
            .find(|line| line.trim_start().starts_with(flag))
            .unwrap_or_else(|| panic!("no {flag} in {help}"))
    };
    assert!(line("--url").contains("required"), "{help}");
    assert!(line("--format").contains("default: json"), "{help}");
    assert!(help.contains("Fetch data"), "{help}");
    assert_eq!(world.started(), [""; 0]);
}

/// B-04: not even in a trusted folder.
#[test]
fn help_lists_and_search_start_nothing() {
    let world = fetching().var("TOOLSCOUT_TRUST", "1");
    let all: [&[&str]; 8] = [
        &["--help"],
        &["tools"],
        &["tools", "list"],
        &["search", "fetch"],
        &["describe", "fetch-data"],
        &[],
        &["__complete", "--", "fetch-data", "--"],
        &["--dry-run", "fetch-data", "--url", "x"],
    ];
    for args in all {
        let out = world.stdout(args);
        assert!(
            out.contains(if args.contains(&"__complete") { "--url" } else { "fetch-data" }),
            "{args:?} printed {out}"
        );
    }
    assert_eq!(world.started(), [""; 0]);
}

/// The command and the API alike: the arguments are checked and complete, and nothing is called.
#[test]
fn a_dry_run_of_a_call_calls_nothing() {
    let world = fetching().var("TOOLSCOUT_TRUST", "1");
    let summary = r#"Would call `local/fetch-data` with {"url":"x","format":"json"}"#;
    let call = ["call", "fetch-data", "--dry-run", "--arguments"];
    let run = |arguments: &str| world.run(&[&call[..], &[arguments]].concat());
    run(r#"{"url": "x"}"#).exits(0).stderr_contains(&[summary]);
    run("{}").exits(2).stderr_contains(&["url"]);
    let api = Api::start(&world);
    let body = json!({"name": "fetch-data", "arguments": {"url": "x"}});
    let planned = api.done("POST", "/api/call?dryRun=true", Some(body));
    assert_eq!((&planned["dryRun"], &planned["kind"]), (&json!(true), &json!("call")));
    assert_eq!(world.started(), [""; 0]);
}

/// B-05: each call fills in the default.
#[test]
fn a_lazy_tool_is_probed_once_and_started_once_per_call() {
    let world = fetching();
    let outcome = world.run(&["fetch-data", "--url", "http://e/"]).exits(0);
    assert_eq!(outcome.json()["input"], json!({"url": "http://e/", "format": "json"}));
    assert_eq!(world.started(), ["tool-schema", "tool-invoke"]);
    world.run(&["fetch-data", "--url", "http://f/", "--format", "csv"]).exits(0);
    assert_eq!(world.started(), ["tool-schema", "tool-invoke", "tool-invoke"]);
}

/// B-05: the manifest has a less strict schema than the file.
#[test]
fn the_full_schema_is_checked_before_the_handler_runs() {
    let manifest = json!({"tools": [{"name": "pick", "path": "./pick", "args": {"size": {"type": "string"}}}]});
    let schema = r#"{"name": "pick", "inputSchema": {"type": "object", "properties": {"size": {"type": "string", "enum": ["s", "m"]}}}}"#;
    let world = World::project().file("tools/manifest.json", &manifest.to_string()).program(
        "tools/pick",
        schema,
        "echo ran",
    );
    world.run(&["pick", "--size", "xl"]).exits(2).stderr_contains(&["size"]);
    assert_eq!(world.started(), ["tool-schema"]);
    assert_eq!(world.stdout(&["pick", "--size", "m"]), "ran\n");
}

/// B-06
#[test]
fn a_missing_required_flag_is_reported_before_anything_starts() {
    let world = fetching();
    assert_eq!(world.run(&["fetch-data"]).exits(2).stderr_contains(&["--url", "required"]).out, "");
    assert_eq!(
        world.run(&["run", "fetch-data"]).exits(2).stderr_contains(&["--url", "required"]).out,
        ""
    );
    assert_eq!(world.started(), [""; 0]);
}

/// B-10: the dash is part of the name, in a manifest, a header and a file name alike.
#[test]
fn a_dash_in_a_tool_name_is_preserved() {
    let world = fetching()
        .script("tools/other.sh", "#!/bin/sh\n# tool: fetch-more\n# description: More\n")
        .script("tools/fetch-most.v2", "#!/bin/sh\n# tool-schema\n");
    assert_eq!(world.names(&["--quiet"]), ["fetch-most", "fetch-data", "fetch-more"]);
    world.run(&["fetch", "--url", "x"]).exits(5).stderr_contains(&["Command not found: fetch"]);
}

/// B-11: the same output, messages and exit code for a tool that succeeds, one that fails, and an
/// invalid call.
#[test]
fn running_a_tool_by_name_equals_running_it_as_a_command() {
    let number = "[[parameters]]\nname = \"x\"\ntype = \"integer\"\nrequired = true";
    let world = World::project()
        .echo("tools/my-tool.tool.toml", "my-tool", number)
        .script("tools/fails.sh", "#!/bin/sh\n# tool: fails\necho boom >&2\nexit 3\n");
    let both = |args: &[&str]| {
        let (command, run) = (world.run(args), world.run(&[&["run"], args].concat()));
        assert_eq!(command, run);
        command
    };
    assert_eq!(both(&["my-tool", "--x", "1"]).exits(0).out, "{\"x\":1}\n");
    both(&["my-tool", "--x", "one"]).exits(2);
    both(&["my-tool", "--help"]).exits(0);
    both(&["fails"]).exits(1).stderr_contains(&["boom"]);
}

/// B-12: every form of a local tool's name finds it. A name with another source does not.
#[test]
fn a_tool_is_found_by_every_form_of_its_name() {
    let world = World::project().echo("tools/a.tool.toml", "a", "");
    for name in ["a", "local/a", "local:a", "local__a"] {
        assert_eq!(world.stdout(&["run", name]), "{}\n", "{name}");
        assert_eq!(world.stdout(&[name]), "{}\n", "{name}");
    }
    world.run(&["run", "mcp:nope"]).exits(5).stderr_contains(&["Unknown tool: mcp:nope"]);
    world.run(&["run", "mcp:a"]).exits(5).stderr_contains(&["Unknown tool: mcp:a"]);
    world.run(&["run", "opencode:a"]).exits(5).stderr_contains(&["Unknown tool: opencode:a"]);
}

/// B-12: a tool in the folder of OpenCode, named after its file.
#[test]
fn an_opencode_tool_is_routed_to_its_own_source() {
    if !is_installed("node") {
        return;
    }
    let module = "export default { description: 'Search', args: {}, async execute() { return 'from opencode' } };\n\
        export const deep = { description: 'Search deeper', args: {}, execute: async () => 'deeper' };\n";
    let world = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file(".opencode/tools/lookup.js", module)
        .script("tools/lookup.sh", "#!/bin/sh\n# tool: lookup\necho from local\n")
        .script("tools/only.sh", "#!/bin/sh\n# tool: only\necho once\n");
    assert_eq!(world.run(&["run", "opencode:lookup"]).exits(0).out, "from opencode\n");
    assert_eq!(world.run(&["run", "opencode:lookup_deep"]).exits(0).out, "deeper\n");
    assert_eq!(world.run(&["run", "local:lookup"]).exits(0).out, "from local\n");
    assert_eq!(world.run(&["run", "only"]).exits(0).out, "once\n");
    // Both sources are folders, so neither takes precedence.
    world
        .run(&["run", "lookup"])
        .exits(2)
        .stderr_contains(&["`local/lookup` or `opencode/lookup`"]);
}

/// B-14
#[test]
fn an_unknown_tool_is_an_error() {
    let world = World::project().echo("tools/note.tool.toml", "note", "");
    assert_eq!(
        world.run(&["run", "nope"]).exits(5).stderr_contains(&["Unknown tool: nope"]).out,
        ""
    );
    world
        .run(&["run", "notes"])
        .exits(5)
        .stderr_contains(&["Unknown tool: notes", "did you mean `local/note`?"]);
    world
        .run(&["notes"])
        .exits(5)
        .stderr_contains(&["Command not found: notes", "Did you mean note?"]);
}

/// B-15
#[test]
fn help_for_a_tool_is_available_in_three_ways() {
    let more = "description = \"Mine\"\n[[parameters]]\nname = \"x\"\ntype = \"integer\"";
    let world = World::project().echo("tools/my-tool.tool.toml", "my-tool", more);
    let help = world.stdout(&["my-tool", "--help"]);
    assert!(help.starts_with("Usage: toolscout my-tool") && help.contains("--x"), "{help}");
    assert_eq!(world.stdout(&["run", "--help", "my-tool"]), help);
    assert_eq!(world.stdout(&["run", "my-tool", "--help"]), help);
    assert!(world.stdout(&["run", "--help"]).starts_with("Usage: toolscout run"));
}

/// B-16: the folder's part of the qualified list.
#[test]
fn the_qualified_list_names_each_tool_with_its_source() {
    let world =
        World::project().echo("tools/a.tool.toml", "a", "").echo("tools/b.tool.toml", "b", "");
    assert_eq!(world.stdout(&["tools", "list"]), "Available tools:\n  - local:a\n  - local:b\n");
}

/// B-26: lists the tools from a file after the folder was deleted.
#[test]
fn a_saved_discovery_lists_the_same_tools_without_discovery() {
    let more = "description = \"Copies\"\nkeywords = [\"copy\"]\n[[parameters]]\nname = \"text\"\ntype = \"string\"\n[cli.text]\nshort = \"t\"";
    let world = fetching().echo("tools/copy.tool.toml", "copy", more);
    let (lines, help) = (world.stdout(&["tools"]), world.stdout(&["copy", "--help"]));
    let without_status = |list: Vec<Value>| -> Vec<Value> {
        list.into_iter()
            .map(|mut item| {
                item.as_object_mut().expect("an object").remove("status");
                item
            })
            .collect()
    };
    let before = without_status(world.tools(&[]));
    let saved = world.stdout(&["discover", "--json"]);
    let world = world.file("saved.json", &saved);
    fs::remove_dir_all(world.path("tools")).expect("remove the folder");
    assert_eq!(world.stdout(&["--tools-from", "saved.json", "tools"]), lines);
    assert_eq!(world.stdout(&["tools", "--tools-from", "saved.json"]), lines);
    assert_eq!(world.stdout(&["--tools-from", "saved.json", "copy", "--help"]), help);
    assert_eq!(without_status(world.tools(&["--tools-from", "saved.json"])), before);
    assert_eq!(world.started(), [""; 0]);
    world
        .run(&["--tools-from", "saved.json", "copy", "--text", "x"])
        .exits(3)
        .stderr_contains(&["copy.tool.toml", "no longer exists"]);
}

/// B-26: a call reads only the file of that tool.
#[test]
fn a_tool_of_a_saved_discovery_can_be_called() {
    let world = fetching().echo("tools/copy.tool.toml", "copy", "");
    let saved = world.stdout(&["discover", "--json"]);
    let world = world.file("saved.json", &saved);
    assert_eq!(world.stdout(&["--tools-from", "saved.json", "copy"]), "{}\n");
    let outcome = world.run(&["--tools-from", "saved.json", "fetch-data", "--url", "u"]).exits(0);
    assert_eq!(outcome.json()["input"], json!({"url": "u", "format": "json"}));
}

/// B-26: a file with several tools, and a tool of OpenCode.
#[test]
fn tools_defined_by_code_can_be_called_from_a_saved_discovery() {
    if !is_installed("node") {
        return;
    }
    let both = r#"[{"name": "one", "inputSchema": {}}, {"name": "two", "inputSchema": {}}]"#;
    let module = "export const deep = { description: 'Search deeper', args: {}, execute: async () => 'deeper' };\n";
    let world = World::project()
        .program("tools/pair", both, "echo \"I am $2\"")
        .file(".opencode/tools/lookup.js", module);
    let saved = world.stdout(&["--trust", "discover", "--json"]);
    let world = world.file("saved.json", &saved);
    assert_eq!(world.names(&["--tools-from", "saved.json"]), ["one", "two", "lookup_deep"]);
    assert_eq!(world.stdout(&["--tools-from", "saved.json", "two"]), "I am two\n");
    assert_eq!(
        world.stdout(&["--tools-from", "saved.json", "run", "opencode:lookup_deep"]),
        "deeper\n"
    );
}

/// B-26
#[test]
fn a_file_without_a_saved_discovery_is_an_error() {
    let world = World::project().file("saved.json", "{\"tools\": 1}");
    world.run(&["--tools-from", "saved.json", "tools"]).exits(2).stderr_contains(&[
        "saved.json",
        "hint:",
        "discover --json",
    ]);
    world
        .run(&["--tools-from", "nowhere.json", "tools"])
        .exits(3)
        .stderr_contains(&["nowhere.json"]);
}

/// Section 8 of the product: the built-in command stays available, too.
#[test]
fn a_tool_with_the_name_of_a_built_in_command_can_be_called_with_run() {
    let world = World::project().echo("tools/search.tool.toml", "search", "description = \"Mine\"");
    let outcome = world.run(&["search", "mine"]).exits(0).stderr_contains(&[
        "warning:",
        "`search` is also a built-in command",
        "toolscout run search",
    ]);
    assert!(outcome.out.contains("local/search - Mine"), "{outcome:?}");
    assert_eq!(world.run(&["run", "search"]).exits(0).out, "{}\n");
    assert_eq!(world.run(&["run", "local/search"]).exits(0).out, "{}\n");
}

/// Section 8 of the product
#[test]
fn global_options_work_before_and_after_a_built_in_command() {
    let world = World::project().echo("tools/a.tool.toml", "a", "").in_folder("..");
    let list = world.stdout(&["-C", "project", "--json", "tools"]);
    assert_eq!(world.stdout(&["tools", "--json", "-C", "project"]), list);
    assert_eq!(world.stdout(&["-C", "project", "tools", "--output", "json"]), list);
    world.run(&["-C", "nowhere", "tools"]).exits(2).stderr_contains(&["nowhere"]);
}

/// A-01: `..` in the option refers to the project of that folder, not to that of the current
/// folder.
#[test]
fn the_project_option_resolves_parent_folders_correctly() {
    let world = World::bare()
        .file("one/package.json", "{}")
        .echo("one/tools/a.tool.toml", "a", "")
        .file("two/notes.md", "")
        .in_folder("one");
    assert_eq!(world.names(&[]), ["a"]);
    assert_eq!(world.names(&["-C", "../two"]), [""; 0]);
}

/// Section 8 of the product
#[test]
fn without_a_command_it_shows_a_summary_and_next_steps() {
    let world = World::project()
        .echo("tools/a.tool.toml", "alpha", "description = \"The first\"")
        .file("tools/b.tool.toml", "{[");
    let outcome = world.run(&[]).exits(0);
    for part in
        ["local (1 tool)", "alpha", "The first", "1 problem: toolscout doctor", "toolscout search"]
    {
        assert!(outcome.out.contains(part), "{part:?} is not in {outcome:?}");
    }
    assert!(World::bare().stdout(&[]).contains("No tools yet."));
}

#[test]
fn without_tools_it_offers_to_set_up_the_servers_of_clients() {
    let world = World::project()
        .file("../home/.claude.json", r#"{"mcpServers": {"a": {"command": "a-server"}}}"#);
    let out = world.stdout(&[]);
    assert!(out.contains("To add 1 server and connect Claude Code:\n  toolscout init\n"), "{out}");
}

/// A file in `tools/` outside of a project is not found. The hint names the command that creates a
/// project, and the command works.
#[test]
fn outside_of_a_project_it_says_how_to_create_one() {
    let world = World::bare().echo("tools/a.tool.toml", "alpha", "");
    let output = world.stdout(&[]);
    assert!(
        output.contains("This is not a project") && output.contains("  touch toolscout.toml\n"),
        "{output}"
    );
    let world = world.file("toolscout.toml", "");
    assert!(world.stdout(&[]).contains("local (1 tool)"));
    assert!(!World::project().stdout(&[]).contains("This is not a project"));
}

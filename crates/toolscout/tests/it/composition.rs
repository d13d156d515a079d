//! 1. Every tool is a command; help, lists and search start none of them.
//! 2. `run` is the dispatcher: any form of a name, the same result as the command.
//! 3. A tool keeps its whole name, and one that a built-in command hides stays reachable.
//! 4. What was discovered once can be read back without looking again.

use crate::world::{World, has};
use serde_json::{Value, json};
use std::fs;

const FETCH: &str = r#"{"name": "fetch-data", "description": "Fetch data", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}, "format": {"type": "string", "default": "json"}}, "required": ["url"]}}"#;

/// A manifest with one entry, and the program it names; the program notes when it is started.
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
    let help = world.out(&["--help"]);
    let (_, tools) = help.split_once("Tools (local):\n").expect("a heading for tools");
    let lines: Vec<_> = tools
        .lines()
        .take(3)
        .map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "))
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
    .for_each(|it| {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(&format!("{it} "))),
            "{it} is not in {help}"
        )
    });
}

/// B-03: flags and defaults come from the manifest.
#[test]
fn the_help_of_a_manifest_s_tool_starts_nothing() {
    let world = fetching();
    let help = world.out(&["fetch-data", "--help"]);
    let line = |flag: &str| {
        help.lines()
            .find(|it| it.trim_start().starts_with(flag))
            .unwrap_or_else(|| panic!("no {flag} in {help}"))
    };
    assert!(line("--url").contains("required"), "{help}");
    assert!(line("--format").contains("default: json"), "{help}");
    assert!(help.contains("Fetch data"), "{help}");
    assert_eq!(world.started(), [""; 0]);
}

/// B-04: nor do lists and search, not even in a trusted folder.
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
        let out = world.out(args);
        assert!(
            out.contains(if args.contains(&"__complete") { "--url" } else { "fetch-data" }),
            "{args:?} printed {out}"
        );
    }
    assert_eq!(world.started(), [""; 0]);
}

/// B-05: asked once what it is, then started once for each call, with the default filled in.
#[test]
fn a_lazy_tool_is_loaded_on_its_first_run_and_started_once_for_each() {
    let world = fetching();
    let outcome = world.run(&["fetch-data", "--url", "http://e/"]).exits(0);
    assert_eq!(outcome.json()["input"], json!({"url": "http://e/", "format": "json"}));
    assert_eq!(world.started(), ["tool-schema", "tool-invoke"]);
    world.run(&["fetch-data", "--url", "http://f/", "--format", "csv"]).exits(0);
    assert_eq!(world.started(), ["tool-schema", "tool-invoke", "tool-invoke"]);
}

/// B-05: the file's own schema is checked before its handler runs, where the manifest knows less.
#[test]
fn the_full_schema_is_checked_before_the_handler_runs() {
    let manifest = json!({"tools": [{"name": "pick", "path": "./pick", "args": {"size": {"type": "string"}}}]});
    let schema = r#"{"name": "pick", "inputSchema": {"type": "object", "properties": {"size": {"type": "string", "enum": ["s", "m"]}}}}"#;
    let world = World::project().file("tools/manifest.json", &manifest.to_string()).program(
        "tools/pick",
        schema,
        "echo ran",
    );
    world.run(&["pick", "--size", "xl"]).exits(2).says(&["size"]);
    assert_eq!(world.started(), ["tool-schema"]);
    assert_eq!(world.out(&["pick", "--size", "m"]), "ran\n");
}

/// B-06: what is missing is named before anything starts.
#[test]
fn a_missing_required_flag_is_named_and_nothing_starts() {
    let world = fetching();
    assert_eq!(world.run(&["fetch-data"]).exits(2).says(&["--url", "required"]).out, "");
    assert_eq!(world.run(&["run", "fetch-data"]).exits(2).says(&["--url", "required"]).out, "");
    assert_eq!(world.started(), [""; 0]);
}

/// B-10: the dash is part of the name, in a manifest, a header and a file name alike.
#[test]
fn a_name_with_a_dash_is_kept_whole() {
    let world = fetching()
        .script("tools/other.sh", "#!/bin/sh\n# tool: fetch-more\n# description: More\n")
        .script("tools/fetch-most.v2", "#!/bin/sh\n# tool-schema\n");
    assert_eq!(world.names(&["--quiet"]), ["fetch-most", "fetch-data", "fetch-more"]);
    world.run(&["fetch", "--url", "x"]).exits(5).says(&["Command not found: fetch"]);
}

/// B-11: the same output, words and exit code, for a tool that works, one that fails, and a mistake.
#[test]
fn running_a_tool_by_name_and_as_a_command_is_the_same() {
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
    both(&["fails"]).exits(1).says(&["boom"]);
}

/// B-12: every form of a local tool's name leads to it; another source's name does not.
#[test]
fn a_tool_is_found_by_every_form_of_its_name() {
    let world = World::project().echo("tools/a.tool.toml", "a", "");
    for name in ["a", "local/a", "local:a", "local__a"] {
        assert_eq!(world.out(&["run", name]), "{}\n", "{name}");
        assert_eq!(world.out(&[name]), "{}\n", "{name}");
    }
    world.run(&["run", "mcp:nope"]).exits(5).says(&["Unknown tool: mcp:nope"]);
    world.run(&["run", "mcp:a"]).exits(5).says(&["Unknown tool: mcp:a"]);
    world.run(&["run", "opencode:a"]).exits(5).says(&["Unknown tool: opencode:a"]);
}

/// B-12: a tool in OpenCode's own folder, named after its file.
#[test]
fn an_opencode_tool_is_routed_to_its_own_source() {
    if !has("node") {
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
    // Both are folders, so neither is the stronger one.
    world.run(&["run", "lookup"]).exits(2).says(&["`local/lookup` or `opencode/lookup`"]);
}

/// B-14: the words for a tool that is not there.
#[test]
fn an_unknown_tool_is_said_to_be_unknown() {
    let world = World::project().echo("tools/note.tool.toml", "note", "");
    assert_eq!(world.run(&["run", "nope"]).exits(5).says(&["Unknown tool: nope"]).out, "");
    world
        .run(&["run", "notes"])
        .exits(5)
        .says(&["Unknown tool: notes", "did you mean `local/note`?"]);
    world.run(&["notes"]).exits(5).says(&["Command not found: notes", "Did you mean note?"]);
}

/// B-15: help of the tool, wherever the word for it stands.
#[test]
fn help_of_a_tool_can_be_asked_for_in_three_places() {
    let more = "description = \"Mine\"\n[[parameters]]\nname = \"x\"\ntype = \"integer\"";
    let world = World::project().echo("tools/my-tool.tool.toml", "my-tool", more);
    let help = world.out(&["my-tool", "--help"]);
    assert!(help.starts_with("Usage: toolscout my-tool") && help.contains("--x"), "{help}");
    assert_eq!(world.out(&["run", "--help", "my-tool"]), help);
    assert_eq!(world.out(&["run", "my-tool", "--help"]), help);
    assert!(world.out(&["run", "--help"]).starts_with("Usage: toolscout run"));
}

/// B-16: the folder's part of the qualified list.
#[test]
fn the_qualified_list_names_each_tool_with_its_source() {
    let world =
        World::project().echo("tools/a.tool.toml", "a", "").echo("tools/b.tool.toml", "b", "");
    assert_eq!(world.out(&["tools", "list"]), "Available tools:\n  - local:a\n  - local:b\n");
}

/// B-26: the same tools from a file, with the tree gone.
#[test]
fn a_saved_discovery_gives_the_same_tools_without_looking_for_them() {
    let more = "description = \"Copies\"\nkeywords = [\"copy\"]\n[[parameters]]\nname = \"text\"\ntype = \"string\"\n[cli.text]\nshort = \"t\"";
    let world = fetching().echo("tools/copy.tool.toml", "copy", more);
    let (lines, help) = (world.out(&["tools"]), world.out(&["copy", "--help"]));
    let without_status = |list: Vec<Value>| -> Vec<Value> {
        list.into_iter()
            .map(|mut it| {
                it.as_object_mut().expect("an object").remove("status");
                it
            })
            .collect()
    };
    let before = without_status(world.tools(&[]));
    let saved = world.out(&["discover", "--json"]);
    let world = world.file("saved.json", &saved);
    fs::remove_dir_all(world.path("tools")).expect("the tree is there");
    assert_eq!(world.out(&["--tools-from", "saved.json", "tools"]), lines);
    assert_eq!(world.out(&["tools", "--tools-from", "saved.json"]), lines);
    assert_eq!(world.out(&["--tools-from", "saved.json", "copy", "--help"]), help);
    assert_eq!(without_status(world.tools(&["--tools-from", "saved.json"])), before);
    assert_eq!(world.started(), [""; 0]);
    world
        .run(&["--tools-from", "saved.json", "copy", "--text", "x"])
        .exits(3)
        .says(&["copy.tool.toml", "is not there any more"]);
}

/// B-26: a tool of a saved list is called by reading its own file only.
#[test]
fn a_tool_of_a_saved_discovery_can_be_called() {
    let world = fetching().echo("tools/copy.tool.toml", "copy", "");
    let saved = world.out(&["discover", "--json"]);
    let world = world.file("saved.json", &saved);
    assert_eq!(world.out(&["--tools-from", "saved.json", "copy"]), "{}\n");
    let outcome = world.run(&["--tools-from", "saved.json", "fetch-data", "--url", "u"]).exits(0);
    assert_eq!(outcome.json()["input"], json!({"url": "u", "format": "json"}));
}

/// B-26: also one of several that only their file knows, and one of OpenCode's.
#[test]
fn tools_that_only_their_file_knows_can_be_called_from_a_saved_discovery() {
    if !has("node") {
        return;
    }
    let both = r#"[{"name": "one", "inputSchema": {}}, {"name": "two", "inputSchema": {}}]"#;
    let module = "export const deep = { description: 'Search deeper', args: {}, execute: async () => 'deeper' };\n";
    let world = World::project()
        .program("tools/pair", both, "echo \"I am $2\"")
        .file(".opencode/tools/lookup.js", module);
    let saved = world.out(&["--trust", "discover", "--json"]);
    let world = world.file("saved.json", &saved);
    assert_eq!(world.names(&["--tools-from", "saved.json"]), ["one", "two", "lookup_deep"]);
    assert_eq!(world.out(&["--tools-from", "saved.json", "two"]), "I am two\n");
    assert_eq!(
        world.out(&["--tools-from", "saved.json", "run", "opencode:lookup_deep"]),
        "deeper\n"
    );
}

/// B-26: a file that is no saved list is said to be none.
#[test]
fn a_file_that_holds_no_saved_discovery_is_an_error() {
    let world = World::project().file("saved.json", "{\"tools\": 1}");
    world.run(&["--tools-from", "saved.json", "tools"]).exits(2).says(&[
        "saved.json",
        "hint:",
        "discover --json",
    ]);
    world.run(&["--tools-from", "nowhere.json", "tools"]).exits(3).says(&["nowhere.json"]);
}

/// Section 8 of the product: a tool named like a built-in command hides nothing and is not lost.
#[test]
fn a_tool_that_is_named_like_a_built_in_command_stays_reachable_through_run() {
    let world = World::project().echo("tools/search.tool.toml", "search", "description = \"Mine\"");
    let outcome = world.run(&["search", "mine"]).exits(0).says(&[
        "warning:",
        "`search` is also a built-in command",
        "toolscout run search",
    ]);
    assert!(outcome.out.contains("local/search - Mine"), "{outcome:?}");
    assert_eq!(world.run(&["run", "search"]).exits(0).out, "{}\n");
    assert_eq!(world.run(&["run", "local/search"]).exits(0).out, "{}\n");
}

/// Section 8 of the product: options of the program may stand before a built-in command or after it.
#[test]
fn options_of_the_program_work_on_both_sides_of_a_built_in_command() {
    let world = World::project().echo("tools/a.tool.toml", "a", "").at("..");
    let list = world.out(&["-C", "project", "--json", "tools"]);
    assert_eq!(world.out(&["tools", "--json", "-C", "project"]), list);
    assert_eq!(world.out(&["-C", "project", "tools", "--output", "json"]), list);
    world.run(&["-C", "nowhere", "tools"]).exits(2).says(&["nowhere"]);
}

/// A-01: a `..` in the given folder leads to that folder's project, not to the one somebody stands in.
#[test]
fn a_given_folder_is_looked_at_from_where_it_really_is() {
    let world = World::bare()
        .file("one/package.json", "{}")
        .echo("one/tools/a.tool.toml", "a", "")
        .file("two/notes.md", "")
        .at("one");
    assert_eq!(world.names(&[]), ["a"]);
    assert_eq!(world.names(&["-C", "../two"]), [""; 0]);
}

/// Section 8 of the product: a bare call shows what there is and what to type next.
#[test]
fn without_a_command_it_shows_what_there_is_and_what_to_type_next() {
    let world = World::project()
        .echo("tools/a.tool.toml", "alpha", "description = \"The first\"")
        .file("tools/b.tool.toml", "{[");
    let outcome = world.run(&[]).exits(0);
    for part in
        ["local (1 tool)", "alpha", "The first", "1 problem: toolscout doctor", "toolscout search"]
    {
        assert!(outcome.out.contains(part), "{part:?} is not in {outcome:?}");
    }
    assert!(World::bare().out(&[]).contains("No tools yet."));
}

/// A file in `tools/` of a folder that is no project is not found; what to do about it is said, and works.
#[test]
fn where_there_is_no_project_it_says_how_to_make_one() {
    let world = World::bare().echo("tools/a.tool.toml", "alpha", "");
    let said = world.out(&[]);
    assert!(
        said.contains("This is no project") && said.contains("  touch toolscout.toml\n"),
        "{said}"
    );
    let world = world.file("toolscout.toml", "");
    assert!(world.out(&[]).contains("local (1 tool)"));
    assert!(!World::project().out(&[]).contains("This is no project"));
}

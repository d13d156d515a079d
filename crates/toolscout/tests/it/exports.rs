//! 1. The description of a tool is complete, as text and as JSON.
//! 2. Exports have the form that their consumers require.
//! 3. The same state gives the same bytes.

use crate::serve::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

const PARAMETERS: &str = "description = \"Search repositories\"\nkeywords = [\"git\"]\n\
    [[parameters]]\nname = \"query\"\ntype = \"string\"\ndescription = \"What to look for\"\nrequired = true\n\
    [[parameters]]\nname = \"order\"\ntype = \"string\"\nenum = [\"stars\", \"date\"]\ndefault = \"stars\"\n\
    [[parameters]]\nname = \"limit\"\ntype = \"integer\"";

fn searching() -> World {
    World::project().echo("tools/github.tool.toml", "github_search", PARAMETERS)
}

fn schema() -> Value {
    let properties = json!({
        "query": {"type": "string", "description": "What to look for"},
        "order": {"type": "string", "enum": ["stars", "date"], "default": "stars"},
        "limit": {"type": "integer"},
    });
    json!({"type": "object", "properties": properties, "required": ["query"]})
}

/// E-08
#[test]
fn describe_shows_every_field_and_fails_for_an_unknown_tool() {
    let world = searching();
    let output = world.run(&["describe", "github_search", "--json"]).exits(0).json();
    assert_eq!(
        (&output["name"], &output["description"], &output["inputSchema"], &output["server"]),
        (&json!("github_search"), &json!("Search repositories"), &schema(), &json!("local"))
    );
    assert_eq!(world.run(&["describe", "local/github_search", "--json"]).exits(0).json(), output);
    let text = world.stdout(&["describe", "github_search"]);
    ["local/github_search", "Search repositories", "git", "github.tool.toml"]
        .iter()
        .for_each(|item| assert!(text.contains(item), "{item} is not in {text}"));
    assert_eq!(
        world
            .run(&["describe", "nope", "--json"])
            .exits(5)
            .stderr_contains(&["Unknown tool: nope"])
            .out,
        ""
    );
}

/// W-05, M-01d: a list of function objects with their parameters, also for one tool.
#[test]
fn a_tool_is_exported_as_an_openai_function() {
    let function = json!({"name": "local__github_search", "description": "Search repositories", "parameters": schema()});
    let whole = json!({"type": "function", "function": function});
    let world = searching();
    assert_eq!(world.run(&["export", "openai", "github_search"]).exits(0).json(), json!([whole]));
    assert_eq!(world.run(&["export", "openai"]).exits(0).json(), json!([whole]));
}

/// W-05, M-01d: a list of objects with `input_schema`.
#[test]
fn a_tool_is_exported_as_an_anthropic_tool() {
    let whole = json!({"name": "local__github_search", "description": "Search repositories", "input_schema": schema()});
    let world = searching();
    assert_eq!(
        world.run(&["export", "anthropic", "github_search"]).exits(0).json(),
        json!([whole])
    );
}

/// W-05: characters that a vendor does not accept in names are replaced, and a missing description
/// gets a default.
#[test]
fn exported_names_and_descriptions_meet_vendor_limits() {
    let world = World::project().echo("tools/a.tool.toml", "a.b", "");
    let output = world.run(&["export", "anthropic", "a.b"]).exits(0).json();
    assert_eq!(
        (&output[0]["name"], &output[0]["description"]),
        (&json!("local__a_b"), &json!("local tool: a.b"))
    );
}

/// Tools whose names are equal in the characters that vendors accept: of two servers, and of one.
fn with_equal_names() -> World {
    let tools = |names: &[&str]| {
        names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect()
    };
    let long = "a_tool_with_a_long_name_".repeat(4);
    let world = World::trusted()
        .listing("one", &tools(&["search", "foo/bar", "foo.bar", "foo_bar", &long]))
        .listing("two", &tools(&["search", "Search", "SEARCH", &format!("{long}2")]));
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn exported_names(world: &World, args: &[&str]) -> Vec<String> {
    let args = [&["export"], args].concat();
    let output = world.run(&args).exits(0).json();
    let name = |tool: &Value| {
        let name = tool.get("function").unwrap_or(tool)["name"].as_str();
        name.expect("a name").to_owned()
    };
    output.as_array().expect("a list").iter().map(name).collect()
}

/// M-01a: every tool has a name of its own, which is the same in each format and over MCP. M-01b:
/// the name runs exactly that tool.
#[test]
fn exported_names_are_unique_and_run_their_tool() {
    let world = with_equal_names();
    let names = exported_names(&world, &["openai"]);
    assert_eq!(names, exported_names(&world, &["anthropic"]));
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), unique.len()), (9, 9), "{names:?}");
    let is_accepted = |name: &&String| {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        name.len() <= 64 && name.bytes().all(is_safe)
    };
    assert_eq!(names.iter().filter(is_accepted).count(), 9, "{names:?}");
    let mut reached = BTreeSet::new();
    for name in &names {
        assert_eq!(world.run(&["run", name]).exits(0).out, "called\n");
        let shown = world.run(&["describe", name, "--json"]).exits(0).json();
        assert!(reached.insert(shown["id"].to_string()), "{name} and another name run {shown}");
        let plan = world.run(&["--dry-run", "run", name]).exits(0).json();
        assert_eq!(plan["tool"], shown["id"], "{name}");
        assert_eq!(world.run(&["call", name]).exits(0).out, "called\n");
    }
    assert_eq!(reached.len(), 9);
    let mut agent = Agent::legacy(&world, &["--meta-tools", "never"]);
    let called = agent.request("tools/call", json!({"name": names[1], "arguments": {}}));
    assert_eq!(called["content"][0]["text"], "called");
}

/// M-01a: the name of a tool does not depend on which tools are exported with it, or before it.
#[test]
fn an_exported_name_does_not_depend_on_the_selection() {
    let world = with_equal_names();
    let alone = exported_names(&world, &["openai", "one/foo_bar"]);
    assert_eq!(alone, ["one__foo_bar"]);
    assert!(exported_names(&world, &["openai"]).contains(&alone[0]));
    assert_eq!(exported_names(&world, &["openai", "one/foo_bar", "one__foo_bar"]), alone);
    let converted = exported_names(&world, &["openai", "one/foo.bar"]);
    for (name, tool) in [(&alone[0], "one/foo_bar"), (&converted[0], "one/foo.bar")] {
        let plan = world.run(&["--dry-run", "run", name]).exits(0).json();
        assert_eq!(plan["tool"], tool, "{name}");
    }
}

/// M-01c: also if file names differ only in case, which some file systems ignore.
#[test]
fn no_file_of_an_opencode_export_is_written_twice() {
    let world = with_equal_names();
    let written = world.stdout(&["export", "opencode", "--to", "out"]);
    let names: BTreeSet<String> = written.lines().map(str::to_lowercase).collect();
    assert_eq!((written.lines().count(), names.len()), (9, 9), "{written}");
    let ids: BTreeSet<String> = written
        .lines()
        .map(|file| fs::read_to_string(file).expect("a shim"))
        .filter_map(|shim| {
            Some(shim.split_once("[\"run\", ")?.1.split_once(", \"--input")?.0.to_owned())
        })
        .collect();
    assert_eq!(ids.len(), 9, "{ids:?}");
}

/// M-01e: patterns select tools, and `--exclude` wins.
#[test]
fn patterns_select_the_exported_tools() {
    let world = with_equal_names();
    let selected = |args: &[&str]| exported_names(&world, &[&["openai"], args].concat());
    assert_eq!(selected(&["--include", "*/search"]), ["one__search", "two__search"]);
    assert_eq!(
        selected(&["--include", "two", "--include", "one/search", "--exclude", "two/*"]),
        ["one__search"]
    );
    assert_eq!(selected(&["--include", "one/*", "--exclude", "*"]), [""; 0]);
    assert_eq!(selected(&["one/search", "two/search", "--exclude", "one"]), ["two__search"]);
    world.run(&["export", "opencode", "--to", "out", "--include", "one/search"]).exits(0);
    assert_eq!(fs::read_dir(world.path("out")).expect("a folder").count(), 1);
    world
        .run(&["export", "openai", "--include", "three/*"])
        .exits(5)
        .stderr_contains(&["no tool matches", "toolscout tools list"]);
    world
        .run(&["export", "openai", "--exclude", "Not A Pattern"])
        .exits(2)
        .stderr_contains(&["`Not A Pattern` is not a tool pattern", "source/*"]);
    world.run(&["export", "skill", "--include", "one"]).exits(2).stderr_contains(&["no patterns"]);
}

/// W-05: exporting again replaces a shim of ours without a question, but never another file.
#[test]
fn a_tool_is_exported_as_an_opencode_shim_that_runs_toolscout() {
    let world = searching();
    let folder = world.path("out");
    let written = world.stdout(&["export", "opencode", "--to", "out"]);
    assert_eq!(written, format!("{}\n", folder.join("local__github_search.js").display()));
    let shim = fs::read_to_string(folder.join("local__github_search.js")).expect("a shim");
    for part in [
        "import { tool } from \"@opencode-ai/plugin\"",
        "\"toolscout\", [\"run\", \"local/github_search\", \"--input\", \"-\"]",
        "description: \"Search repositories\"",
        "\"query\": tool.schema.string().describe(\"What to look for\")",
        "\"order\": tool.schema.enum([\"stars\",\"date\"]).optional()",
    ] {
        assert!(shim.contains(part), "{part:?} is not in {shim}");
    }
    assert_eq!(world.stdout(&["export", "opencode", "github_search"]), shim);
    assert_eq!(world.stdout(&["export", "opencode", "--to", "out"]), written);
    let taken = world.file("out/local__github_search.js", "// mine\n");
    taken
        .run(&["export", "opencode", "--to", "out"])
        .exits(2)
        .stderr_contains(&["local__github_search.js", "was not written by toolscout"]);
    assert_eq!(
        fs::read_to_string(folder.join("local__github_search.js")).expect("the file"),
        "// mine\n"
    );
}

/// W-05: the test replaces OpenCode's library with a stub, and calls the tool through node.
#[test]
fn an_exported_shim_calls_the_tool() {
    if !crate::world::is_installed("node") {
        return;
    }
    let library = "const link = new Proxy(function () {}, { get: () => link, apply: () => link });\n\
        export const tool = (it) => it;\ntool.schema = link;\n";
    let world = searching()
        .file("node_modules/@opencode-ai/plugin/package.json", r#"{"name": "@opencode-ai/plugin", "type": "module", "main": "index.js"}"#)
        .file("node_modules/@opencode-ai/plugin/index.js", library)
        .file("package.json", r#"{"type": "module"}"#)
        .file("call.js", "import shim from './out/local__github_search.js';\nconsole.log(await shim.execute({ query: 'rust' }, { directory: process.cwd() }));\n");
    world.stdout(&["export", "opencode", "--to", "out"]);
    let like = world.command(&[]);
    let program = std::path::Path::new(like.get_program()).parent().expect("a folder").to_owned();
    let path = std::env::join_paths(
        [program]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = Command::new("node")
        .arg("call.js")
        .current_dir(world.path(""))
        .envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", path.expect("a path"))
        .output()
        .expect("node");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "{\"query\":\"rust\",\"order\":\"stars\"}\n\n",
        "{output:?}"
    );
}

/// The entry starts this binary for this project, from any working folder, and serves a client.
#[test]
fn an_exported_entry_serves_the_project_from_any_folder() {
    let world = searching();
    let output = world.run(&["export", "mcp"]).exits(0).json();
    let entry = &output["mcpServers"]["toolscout"];
    let words: Vec<_> =
        entry["args"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    let project = world.path("").canonicalize().expect("a folder").display().to_string();
    assert_eq!(words, ["-C", project.as_str(), "serve"]);
    let mut command = Command::new(entry["command"].as_str().expect("a program"));
    let like = world.command(&[]);
    command.args(&words).current_dir(std::env::temp_dir());
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut agent = Agent::spawn(command).greeting(json!({}));
    assert!(agent.text("tool_search", json!({"query": "repositories"})).contains("github_search"));
    world
        .run(&["export", "mcp", "github_search"])
        .exits(2)
        .stderr_contains(&["takes no tool names"]);
}

/// Every command in the skill exists. The file is written to the folder that agents read, and never
/// replaces another file.
#[test]
fn an_exported_skill_names_existing_commands() {
    let world = searching();
    let skill = world.stdout(&["export", "skill"]);
    assert!(skill.starts_with("---\nname: toolscout\ndescription: "), "{skill}");
    assert!(skill.len() < 2_800, "{} bytes are too much to read before every task", skill.len());
    let mut agent = Agent::legacy(&world, &[]);
    for tool in agent.listed() {
        assert!(skill.contains(&format!("`{tool}`")), "{tool}");
    }
    let commands = skill
        .lines()
        .filter_map(|line| line.strip_prefix("toolscout "))
        .filter_map(|rest| rest.split(' ').next());
    let commands: Vec<_> = commands.collect();
    assert_eq!(commands, ["search", "describe", "run"]);
    for command in commands {
        world.run(&[command, "--help"]).exits(0);
    }
    let file = world.path("skills/toolscout/SKILL.md");
    let dry_run = world.run(&["export", "skill", "--to", "skills", "--dry-run"]).exits(0);
    assert_eq!(dry_run.out, format!("would write {}\n", file.display()));
    assert!(dry_run.err.starts_with("Would write 1 file to `"), "{dry_run:?}");
    assert!(!file.exists());
    assert_eq!(
        world.stdout(&["export", "skill", "--to", "skills"]),
        format!("{}\n", file.display())
    );
    assert_eq!(
        world.stdout(&["export", "skill", "--to", "skills"]),
        format!("{}\n", file.display()),
        "toolscout's own file is replaced"
    );
    assert_eq!(fs::read_to_string(&file).expect("a skill"), skill);
    fs::write(&file, "mine").expect("write a foreign file");
    world
        .run(&["export", "skill", "--to", "skills"])
        .exits(2)
        .stderr_contains(&["was not written by toolscout"]);
    assert_eq!(fs::read_to_string(&file).expect("the file"), "mine");
}

/// W-06: the output does not depend on the clock, on addresses or on hash order.
#[test]
fn two_runs_on_the_same_state_print_the_same_bytes() {
    let world = (0..20).fold(searching(), |index, number| {
        let more =
            format!("description = \"Find thing {number}\"\nkeywords = [\"find\", \"thing\"]");
        index.echo(&format!("tools/t{number}.tool.toml"), &format!("t{number}"), &more)
    });
    let all: [&[&str]; 8] = [
        &["tools", "--json"],
        &["tools", "--output", "toon"],
        &["search", "find", "thing", "--json"],
        &["search", "find"],
        &["discover", "--json"],
        &["describe", "t7", "--json"],
        &["export", "openai"],
        &["--help"],
    ];
    for args in all {
        let first = world.run(args).exits(0);
        assert!(!first.out.is_empty(), "{args:?}");
        assert_eq!(world.run(args), first, "{args:?}");
    }
}

//! 1. A tool's description is complete, in text and as data.
//! 2. Exports have the form that their takers ask for.
//! 3. The same state gives the same bytes.

use crate::serve::Agent;
use crate::world::World;
use serde_json::{Value, json};
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

/// E-08: everything about one tool; an unknown one is not found.
#[test]
fn a_tool_is_described_completely_and_an_unknown_one_is_not_found() {
    let world = searching();
    let said = world.run(&["describe", "github_search", "--json"]).exits(0).json();
    assert_eq!(
        (&said["name"], &said["description"], &said["inputSchema"], &said["server"]),
        (&json!("github_search"), &json!("Search repositories"), &schema(), &json!("local"))
    );
    assert_eq!(world.run(&["describe", "local/github_search", "--json"]).exits(0).json(), said);
    let text = world.out(&["describe", "github_search"]);
    ["local/github_search", "Search repositories", "git", "github.tool.toml"]
        .iter()
        .for_each(|it| assert!(text.contains(it), "{it} is not in {text}"));
    assert_eq!(
        world.run(&["describe", "nope", "--json"]).exits(5).says(&["Unknown tool: nope"]).out,
        ""
    );
}

/// W-05: a function object with its parameters; several tools are a list.
#[test]
fn a_tool_is_exported_as_an_openai_function() {
    let function = json!({"name": "github_search", "description": "Search repositories", "parameters": schema()});
    let whole = json!({"type": "function", "function": function});
    let world = searching();
    assert_eq!(world.run(&["export", "openai", "github_search"]).exits(0).json(), whole);
    assert_eq!(world.run(&["export", "openai"]).exits(0).json(), json!([whole]));
}

/// W-05: an object with `input_schema`.
#[test]
fn a_tool_is_exported_as_an_anthropic_tool() {
    let whole = json!({"name": "github_search", "description": "Search repositories", "input_schema": schema()});
    assert_eq!(searching().run(&["export", "anthropic", "github_search"]).exits(0).json(), whole);
}

/// W-05: what a vendor's names may not hold is replaced, and a missing description is made up.
#[test]
fn an_export_has_names_and_descriptions_that_its_taker_accepts() {
    let world = World::project().echo("tools/a.tool.toml", "a.b", "");
    let said = world.run(&["export", "anthropic", "a.b"]).exits(0).json();
    assert_eq!((&said["name"], &said["description"]), (&json!("a_b"), &json!("local tool: a.b")));
}

/// W-05: a shim file that runs toolscout; written again without a word, but never over somebody else's file.
#[test]
fn a_tool_is_exported_as_an_opencode_shim_that_runs_toolscout() {
    let world = searching();
    let folder = world.path("out");
    let written = world.out(&["export", "opencode", "--to", "out"]);
    assert_eq!(written, format!("{}\n", folder.join("github_search.js").display()));
    let shim = fs::read_to_string(folder.join("github_search.js")).expect("a shim");
    for part in [
        "import { tool } from \"@opencode-ai/plugin\"",
        "\"toolscout\", [\"run\", \"local/github_search\", \"--input\", \"-\"]",
        "description: \"Search repositories\"",
        "\"query\": tool.schema.string().describe(\"What to look for\")",
        "\"order\": tool.schema.enum([\"stars\",\"date\"]).optional()",
    ] {
        assert!(shim.contains(part), "{part:?} is not in {shim}");
    }
    assert_eq!(world.out(&["export", "opencode", "github_search"]), shim);
    assert_eq!(world.out(&["export", "opencode", "--to", "out"]), written);
    let taken = world.file("out/github_search.js", "// mine\n");
    taken
        .run(&["export", "opencode", "--to", "out"])
        .exits(2)
        .says(&["github_search.js", "not ours"]);
    assert_eq!(fs::read_to_string(folder.join("github_search.js")).expect("the file"), "// mine\n");
}

/// W-05: the shim works: a stand-in for OpenCode's library, then a call through node.
#[test]
fn an_exported_shim_calls_the_tool() {
    if !crate::world::has("node") {
        return;
    }
    let library = "const link = new Proxy(function () {}, { get: () => link, apply: () => link });\n\
        export const tool = (it) => it;\ntool.schema = link;\n";
    let world = searching()
        .file("node_modules/@opencode-ai/plugin/package.json", r#"{"name": "@opencode-ai/plugin", "type": "module", "main": "index.js"}"#)
        .file("node_modules/@opencode-ai/plugin/index.js", library)
        .file("package.json", r#"{"type": "module"}"#)
        .file("call.js", "import shim from './out/github_search.js';\nconsole.log(await shim.execute({ query: 'rust' }, { directory: process.cwd() }));\n");
    world.out(&["export", "opencode", "--to", "out"]);
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

/// The entry starts this very program, for this project, wherever the client is; and a client that follows it is served.
#[test]
fn an_exported_entry_serves_the_project_from_anywhere() {
    let world = searching();
    let said = world.run(&["export", "mcp"]).exits(0).json();
    let entry = &said["mcpServers"]["toolscout"];
    let words: Vec<_> =
        entry["args"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    let project = world.path("").canonicalize().expect("a folder").display().to_string();
    assert_eq!(words, ["-C", project.as_str(), "serve"]);
    let mut command = Command::new(entry["command"].as_str().expect("a program"));
    let like = world.command(&[]);
    command.args(&words).current_dir(std::env::temp_dir());
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut agent = Agent::of(command).greeting(json!({}));
    assert!(agent.text("tool_search", json!({"query": "repositories"})).contains("github_search"));
    world.run(&["export", "mcp", "github_search"]).exits(2).says(&["not of single tools"]);
}

/// Every command that the skill names is there; it is written where agents look, and over nobody else's file.
#[test]
fn an_exported_skill_names_what_is_there() {
    let world = searching();
    let skill = world.out(&["export", "skill"]);
    assert!(skill.starts_with("---\nname: toolscout\ndescription: "), "{skill}");
    assert!(skill.len() < 2_800, "{} bytes are too much to read before every task", skill.len());
    let mut agent = Agent::legacy(&world, &[]);
    for tool in agent.listed() {
        assert!(skill.contains(&format!("`{tool}`")), "{tool}");
    }
    let commands = skill
        .lines()
        .filter_map(|it| it.strip_prefix("toolscout "))
        .filter_map(|it| it.split(' ').next());
    let commands: Vec<_> = commands.collect();
    assert_eq!(commands, ["search", "describe", "run"]);
    for command in commands {
        world.run(&[command, "--help"]).exits(0);
    }
    let file = world.path("skills/toolscout/SKILL.md");
    let dry_run = world.run(&["export", "skill", "--to", "skills", "--dry-run"]).exits(0);
    assert_eq!(dry_run.out, format!("would write {}\n", file.display()));
    assert!(dry_run.err.starts_with("Would write 1 file into `"), "{dry_run:?}");
    assert!(!file.exists());
    assert_eq!(world.out(&["export", "skill", "--to", "skills"]), format!("{}\n", file.display()));
    assert_eq!(
        world.out(&["export", "skill", "--to", "skills"]),
        format!("{}\n", file.display()),
        "over its own"
    );
    assert_eq!(fs::read_to_string(&file).expect("a skill"), skill);
    fs::write(&file, "mine").expect("another's");
    world.run(&["export", "skill", "--to", "skills"]).exits(2).says(&["not ours"]);
    assert_eq!(fs::read_to_string(&file).expect("the file"), "mine");
}

/// W-06: nothing of the clock, of addresses or of hash order gets into what is printed.
#[test]
fn two_runs_on_the_same_state_print_the_same_bytes() {
    let world = (0..20).fold(searching(), |it, number| {
        let more =
            format!("description = \"Find thing {number}\"\nkeywords = [\"find\", \"thing\"]");
        it.echo(&format!("tools/t{number}.tool.toml"), &format!("t{number}"), &more)
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

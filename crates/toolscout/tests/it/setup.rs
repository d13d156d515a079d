//! The first minutes of a user with servers in several clients: `init`, a search, `undo`.

use crate::api::Api;
use crate::real_servers::installed;
use crate::serve::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// The configuration files of four clients, in the home folder.
const FILES: [&str; 4] = [
    ".claude.json",
    ".codex/config.toml",
    ".config/opencode/opencode.json",
    ".gemini/settings.json",
];

/// The command lines of the servers in the test.
struct Programs {
    everything: Vec<String>,
    files: Vec<String>,
    time: Vec<String>,
}

/// Eleven servers in four clients: two duplicates, secrets in plain text, a missing variable, and one
/// whose program does not exist.
fn clients(world: World, programs: &Programs) -> World {
    let stdio =
        |words: &[String], env: Value| json!({"command": words[0], "args": words[1..], "env": env});
    let Programs { everything, files, time } = programs;
    let key = json!({"API_KEY": "sk-live-4f8a01b2c3d4e5f6"});
    let claude = json!({"numStartups": 7, "mcpServers": {
        "everything": stdio(everything, json!({})),
        "files": stdio(files, json!({})),
        "keyed": stdio(files, key.clone()),
        "remote": {
            "type": "http",
            "url": "http://127.0.0.1:9/mcp",
            "headers": {"Authorization": "Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789"},
        },
    }});
    let codex_entry = |name: &str, words: &[String]| {
        format!(
            "[mcp_servers.{name}]\ncommand = {}\nargs = {}\n",
            json!(words[0]),
            json!(words[1..])
        )
    };
    let codex = format!(
        "# My settings\nmodel = \"x\"\n{}{}{}env = {{ TOKEN = \"${{BRAVE_API_KEY}}\" }}\n",
        codex_entry("time", time),
        codex_entry("everything", everything),
        codex_entry("brave", files)
    );
    let local = |words: &[String], env: Value| json!({"type": "local", "command": words, "environment": env});
    let opencode = json!({"mcp": {
        "docs": local(files, json!({})),
        "tokyo": local(time, json!({"TZ": "Asia/Tokyo"})),
    }});
    let opencode = format!("{{ // A comment\n{}", opencode.to_string().trim_start_matches('{'));
    let gemini = json!({"mcpServers": {
        "notes": stdio(files, key),
        "broken": {"command": "/nonexistent/server"},
    }});
    let texts = [claude.to_string(), codex, opencode, gemini.to_string()];
    let paths = FILES.map(|file| format!("../home/{file}"));
    paths.iter().zip(&texts).fold(world, |world, (path, text)| world.file(path, text))
}

fn contents(world: &World) -> Vec<Vec<u8>> {
    let home = world.temp_dir().join("home");
    FILES.iter().map(|file| fs::read(home.join(file)).expect("the file of a client")).collect()
}

fn set_up_search_and_undo(programs: &Programs, sum: &str) {
    let world = clients(World::project(), programs);
    let before = contents(&world);
    let plan = world.run(&["init", "--dry-run"]).exits(0).out;
    assert!(
        plan.contains("duplicate of everything") && plan.contains("needs BRAVE_API_KEY"),
        "{plan}"
    );
    assert_eq!(contents(&world), before, "a dry run changes nothing");

    let done = world.run(&["init", "--yes"]).exits(0);
    let text = format!("{}{}", done.out, done.err);
    for part in [
        "Added 9 servers to ",
        "Connected Claude Code, Codex, OpenCode and Gemini CLI",
        "6 of 9 servers ready",
        "toolscout secret set BRAVE_API_KEY",
        "toolscout undo",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let after: Vec<_> =
        contents(&world).iter().map(|file| String::from_utf8_lossy(file).into_owned()).collect();
    for file in &after {
        assert!(file.contains("serve") && !file.contains("sk-live"), "{file}");
    }

    let mut agent = Agent::legacy(&world, &[]);
    let hits = agent.text("tool_search", json!({"query": "add two numbers"}));
    assert!(hits.contains(sum), "the first search finds it: {hits}");
    let called = agent.text("execute_tool", json!({"name": sum, "arguments": {"a": 2, "b": 40}}));
    assert!(called.contains("42"), "the first call works: {called}");
    assert_eq!(agent.end().0, 0);

    let undone = world.run(&["undo"]).exits(0);
    assert_eq!(contents(&world), before, "{undone:?}");
    let config = world.temp_dir().join("config");
    assert!(!config.join("config.toml").exists(), "no server remains");
    let secrets = fs::read_dir(config.join("secrets")).map_or(0, Iterator::count);
    assert_eq!(secrets, 0, "no secret remains");
}

/// A page or script that shows a change undoes that one, and not a later one.
#[test]
fn undo_refuses_a_number_that_is_not_the_last_change() {
    let world = World::project();
    world.run(&["server", "add", "one", "--", "true"]).exits(0);
    world.run(&["server", "add", "two", "--", "true"]).exits(0);
    let changes = world.run(&["undo", "list", "--json"]).json();
    let numbers = [0, 1].map(|index| changes[index]["number"].to_string());
    let [last, earlier] = numbers.each_ref().map(String::as_str);
    let message = format!("change {earlier} is not the last one: that is {last}");
    let undo = ["undo", "--number", earlier];
    world.run(&undo).stderr_contains(&[&message, "toolscout undo list"]);
    assert!(world.stdout(&["server", "list"]).contains("two"));
    world.run(&["undo", "--number", last]).exits(0);
    assert!(!world.stdout(&["server", "list"]).contains("two"));
}

/// U-50
#[test]
fn init_sets_up_the_servers_of_four_clients_and_undo_restores_their_files() {
    let world = World::project();
    let server = |name: &str| world.hostile(name, "honest", &[]);
    let programs =
        Programs { everything: server("one"), files: server("two"), time: server("three") };
    set_up_search_and_undo(&programs, "everything/add");
}

/// U-51
/// U-50
#[test]
fn init_sets_up_published_servers() {
    let Some(everything) = installed("node_modules/.bin/mcp-server-everything") else { return };
    let Some(files) = installed("node_modules/.bin/mcp-server-filesystem") else { return };
    let Some(time) = installed("python/bin/mcp-server-time") else { return };
    let programs = Programs {
        everything: vec![everything],
        files: vec![files, "/usr/share".to_owned()],
        time: vec![time, "--local-timezone=UTC".to_owned()],
    };
    set_up_search_and_undo(&programs, "everything/get-sum");
}

/// U-52
#[test]
fn init_without_clients_says_what_to_type() {
    let outcome = World::project().run(&["init", "--yes"]).exits(0);
    let text = format!("{}{}", outcome.out, outcome.err);
    assert!(
        text.contains("No MCP client found") && text.contains("toolscout server add"),
        "{text}"
    );
}

/// As in the web UI, where a user chooses clients and servers: servers that are not chosen stay
/// where they are, and a chosen client is connected even if none of its servers is.
#[test]
fn only_the_chosen_servers_move() {
    let servers = |names: &[&str]| {
        let entry = |name: &&str| ((*name).to_owned(), json!({"command": "cat", "args": [name]}));
        let all: serde_json::Map<_, _> = names.iter().map(entry).collect();
        json!({ "mcpServers": all })
    };
    let set_up = |only: Value| {
        let world = World::project()
            .file("../home/.claude.json", &servers(&["a", "b"]).to_string())
            .file("../home/.cursor/mcp.json", &servers(&["b", "c"]).to_string());
        let api = Api::start(&world);
        let choice = json!({"clients": ["claude-code", "cursor"], "only": only});
        let done = api.done("POST", "/api/setup?dryRun=true", Some(choice));
        let servers = done["servers"].as_array().expect("servers").iter();
        let added: Vec<_> = servers
            .map(|server| format!("{}/{}", server["client"], server["name"]).replace('"', ""))
            .collect();
        let clients = done["clients"].as_array().expect("clients").len();
        (added, clients)
    };
    assert_eq!(set_up(json!([])), (vec![], 2));
    assert_eq!(set_up(json!(["cursor/b"])), (vec!["cursor/b".to_owned()], 2));
    assert_eq!(set_up(json!(["b"])).0, ["claude-code/b", "cursor/b"]);
    assert_eq!(set_up(Value::Null).0.len(), 4);
}

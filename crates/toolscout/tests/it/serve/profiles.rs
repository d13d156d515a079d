//! 1. A profile is a subset: what is not in it is not in its list, not in its search, and cannot be called.
//! 2. It may be stricter than everything else, never looser.
//! 3. All that are served by one process share its servers.
//! 4. What is pinned is listed.

use super::web::Web;
use super::{Agent, library};
use crate::servers::scene::process_id;
use crate::world::World;
use serde_json::{Value, json};

const BOTH: [&str; 2] = ["execute_tool", "tool_search"];

/// Ten tools, a server, and two profiles.
fn world() -> World {
    let profiles = r#"
[profiles.mail]
include = ["local/*email*"]
listed = ["local/list_emails"]
policies = { "local/send_email" = "deny" }

[profiles.calm]
include = ["s/*", "local/*"]
exclude = ["local/*email*", "s/fail"]
default_policy = "allow"
"#;
    let world = library().server("s", "honest", &[]).more(profiles);
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn searched(agent: &mut Agent, query: &str) -> String {
    agent.text("tool_search", json!({"query": query, "detail": "names", "limit": 100}))
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// Over pipes a profile is chosen when the agent starts us.
#[test]
fn what_is_not_in_a_profile_is_not_there() {
    let world = world();
    let mut agent = Agent::legacy(&world, &["--profile", "mail"]);
    assert_eq!(agent.listed(), ["execute_tool", "local__list_emails", "tool_search"]);
    let found = ["email", "database", "numbers"].map(|it| searched(&mut agent, it)).join("\n");
    assert!(
        found.contains("local/send_email") && !found.contains("sql") && !found.contains("s/add"),
        "{found}"
    );
    let fault = agent.fault("tools/call", json!({"name": "local__sql_query", "arguments": {}}));
    assert_eq!(fault["message"], "Unknown tool: local__sql_query");
    for name in ["sql_query", "local/sql_query", "s/add", "s__add"] {
        let missed = agent.call("execute_tool", json!({"name": name, "arguments": {}}));
        assert!(
            missed["isError"] == true && text(&missed).starts_with("Tool not found"),
            "{name}: {missed}"
        );
    }
    assert!(agent.call("execute_tool", json!({"name": "list_emails"}))["isError"] != true);
    assert_eq!(world.starts("s"), 1, "nothing of it was started but to ask for its tools");
}

/// X-17: a profile's policies hold for direct calls and for those that were searched for.
#[test]
fn a_profile_may_be_stricter() {
    let world = world();
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    let mut agent = Agent::legacy(&world, &["--profile", "mail"]);
    for result in [
        agent.call("local__send_email", mail.clone()),
        agent.call("execute_tool", json!({"name": "send_email", "arguments": mail})),
    ] {
        assert!(result["isError"] == true && text(&result).contains("denied"), "{result}");
        assert!(text(&result).contains("by the profile rule `local/send_email`"), "{result}");
    }
    let mut all = Agent::legacy(&world, &[]);
    assert!(all.call("local__send_email", mail)["isError"] != true, "everything else is as it was");
}

/// What a person or a project denies is denied, whatever a profile says.
#[test]
fn a_profile_is_never_looser() {
    let looser = "[policies]\n\"local/sql_query\" = \"deny\"\n[profiles.wide]\npolicies = { \"local/sql_query\" = \"allow\" }\n";
    let world = library().file("toolscout.toml", looser);
    let result = Agent::legacy(&world, &["--profile", "wide"]).call("local__sql_query", json!({}));
    assert!(result["isError"] == true && text(&result).contains("denied"), "{result}");
    let all = "mode = \"allow-all\"\n[profiles.strict]\npolicies = { \"local/*\" = \"deny\" }\n";
    fs_write(&world, "config/config.toml", all);
    let result =
        Agent::legacy(&world, &["--profile", "strict"]).call("local__create_pdf", json!({}));
    assert!(result["isError"] == true && text(&result).contains("denied"), "{result}");
    let result = Agent::legacy(&world, &[]).call("local__create_pdf", json!({}));
    assert!(result["isError"] != true, "{result}");
}

/// Only what says that it changes nothing, in a profile for reading.
#[test]
fn a_profile_may_be_for_reading_only() {
    let world = library().file("toolscout.toml", "[profiles.look]\nmode = \"read-only\"\n");
    let result = Agent::legacy(&world, &["--profile", "look"]).call("local__create_pdf", json!({}));
    assert!(result["isError"] == true && text(&result).contains("read-only"), "{result}");
}

/// A person's profile is what they said it is, in every project.
#[test]
fn a_project_does_not_change_what_a_person_calls_by_a_name() {
    let world = library().file("toolscout.toml", "[profiles.safe]\ninclude = [\"*\"]\n");
    fs_write(&world, "config/config.toml", "[profiles.safe]\ninclude = [\"local/health_check\"]\n");
    let mut agent = Agent::legacy(&world, &["--profile", "safe", "--meta-tools", "never"]);
    assert!(agent.listed().is_empty());
    assert!(agent.call("local__health_check", json!({}))["isError"] != true);
    agent.fault("tools/call", json!({"name": "local__sql_query", "arguments": {}}));
}

#[test]
fn a_profile_that_is_not_there_is_named_with_the_nearest_one() {
    let world = world();
    world
        .run(&["serve", "--profile", "mial"])
        .exits(5)
        .says(&["no profile `mial`", "did you mean `mail`?"]);
    world.run(&["serve", "--profile", "zzzzzz"]).exits(5).says(&["there are: mail, calm"]);
    library().run(&["serve", "--profile", "mail"]).exits(5).says(&["[profiles.NAME]"]);
}

/// One that is written wrongly is left out: it might be wider than it was meant to be.
#[test]
fn a_profile_that_is_wrong_is_not_served() {
    for (wrong, why) in [
        ("exclude = [\"no tool/\"]", "names no tool"),
        ("exclud = [\"s/*\"]", "did you mean `exclude`?"),
        ("mode = \"allow-all\"", "may only tighten"),
        ("include = 7", "must be a list"),
    ] {
        let world = library().file("toolscout.toml", &format!("[profiles.p]\n{wrong}\n"));
        world.run(&["serve", "--profile", "p"]).exits(5).says(&[why, "it is left out"]);
    }
}

/// Over HTTP each profile has an address, and all share the servers of the process.
#[test]
fn profiles_have_addresses_and_share_servers() {
    let world = world();
    let web = Web::open(&world, &[]);
    assert!(
        web.said.contains(&format!("profile mail at http://{}/mcp/mail", web.addr)),
        "{}",
        web.said
    );
    assert_eq!(web.session("/mcp", &[]).listed(), BOTH);
    assert_eq!(
        web.session("/mcp/mail", &[]).listed(),
        ["execute_tool", "local__list_emails", "tool_search"]
    );
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp/nothing", &[], &ping).status, 404);
    let nearly = web.post("/mcp/calmm", &[], &ping);
    assert!(
        nearly.body.contains("there is no profile `calmm`; did you mean `calm`?"),
        "{nearly:?}"
    );
    let before = world.starts("s");
    let process = |path: &str| {
        let said: Value =
            serde_json::from_str(&web.session(path, &[]).text("s__whoami", json!({})))
                .expect("JSON");
        process_id(&said["pid"])
    };
    assert_eq!(process("/mcp"), process("/mcp/calm"));
    assert_eq!(world.starts("s"), before + 1);
    let mut calm = web.session("/mcp/calm", &[]);
    assert!(
        calm.answer("tools/call", json!({"name": "s__fail", "arguments": {}}))["error"].is_object()
    );
    let only = Web::open(&world, &["--profile", "mail"]);
    assert_eq!(only.session("/mcp", &[]).listed().len(), 3);
    assert_eq!(only.post("/mcp/calm", &[], &ping).status, 404, "nothing else is served");
}

/// What waits for a person waits in every profile, and what they decide holds in all of them.
#[test]
fn what_is_held_is_held_in_a_profile_too() {
    let world = World::trusted()
        .server("s", "honest", &[])
        .more("trust = false\n[profiles.p]\ninclude = [\"s/a*\"]\nlisted = [\"*\"]");
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &["--profile", "p"]);
    assert!(agent.listed().is_empty());
    let refused = agent.call("s__add", json!({"a": 1, "b": 2}));
    assert!(refused["isError"] == true && text(&refused).contains("quarantined"), "{refused}");
    world.run(&["review", "--accept", "s"]).exits(0);
    agent.told("notifications/tools/list_changed");
    assert_eq!(agent.listed(), ["s__add"]);
    assert_eq!(agent.text("s__add", json!({"a": 1, "b": 2})), "3");
}

/// A server that nobody has asked yet is asked when one of its tools is called, in a profile as elsewhere.
#[test]
fn a_profile_has_the_tools_of_a_server_that_was_never_asked() {
    let world =
        World::trusted().server("s", "honest", &[]).more("[profiles.p]\ninclude = [\"s/add\"]");
    let mut agent = Agent::legacy(&world, &["--profile", "p"]);
    assert_eq!(agent.text("s__add", json!({"a": 20, "b": 22})), "42");
    let missed = agent.fault("tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}}));
    assert_eq!(missed["code"], -32602);
}

/// Pins: in the project's file, in a person's own, and in a server's entry.
#[test]
fn what_is_pinned_is_listed() {
    let world = library().file("toolscout.toml", "listed = [\"local/send_email\"]\n");
    let world = world.server("s", "honest", &[]).more("listed = [\"e*\", \"add\"]");
    fs_write(&world, "config/config.toml", "listed = [\"local/*_check\", \"nonsense here\"]\n");
    world.run(&["server", "refresh"]).exits(0).says(&["`listed`: `nonsense here` names no tool"]);
    fs_write(&world, "config/config.toml", "listed = [\"local/*_check\"]\n");
    let mut agent = Agent::legacy(&world, &[]);
    let pinned = [
        "execute_tool",
        "local__health_check",
        "local__send_email",
        "s__add",
        "s__echo",
        "tool_search",
    ];
    assert_eq!(agent.listed(), pinned);
    assert_eq!(agent.text("s__echo", json!({"text": "hi"})), "hi");
    assert!(
        searched(&mut agent, "email").contains("local/list_emails"),
        "the rest is found as ever"
    );
    // That it is listed is nothing a person approves of: what was approved stays approved.
    assert!(!world.run(&["review", "--json"]).exits(0).out.contains("s/echo"));
}

fn fs_write(world: &World, path: &str, text: &str) {
    let file = world.outside().join(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("make it");
    std::fs::write(file, text).expect("write it");
}

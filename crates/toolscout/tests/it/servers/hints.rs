//! Hints for the next step: each names the command that helps, and no other.

use super::web::Web;
use crate::world::{Outcome, World};
use serde_json::{Value, json};

/// A server that requires a login, with several commands, with and without a host.
#[test]
fn a_login_error_hints_at_server_login() {
    let world = World::trusted();
    let web = Web::start(&world, "http_401_meta");
    let login = "toolscout server login web";
    let added = world.run(&["server", "add", "web", &web.url(), "--wait"]).exits(3);
    added.stderr_contains(&["Tool discovery failed: ", "401", "the entry is saved", login]);
    world.run(&["server", "refresh"]).exits(3).stdout_contains(&[
        "web: failed: ",
        "401",
        ". Log in with `",
        login,
    ]);
    world.run(&["server", "list"]).exits(0).stdout_contains(&["401", login]);
    let tested = world
        .run(&["server", "test", "web"])
        .exits(3)
        .stdout_contains(&["401", &format!("hint: {login}\n")]);
    tested.stderr_lacks(&["server logs"]);
    assert_eq!(world.run(&["server", "test", "web", "--json"]).exits(3).json()["hint"], login);
    let called = world
        .run(&["run", "web/echo"])
        .exits(3)
        .stderr_contains(&["401", &format!("  hint: {login}\n")]);
    let _host = world.host();
    assert_eq!(world.run(&["run", "web/echo"]), called);
}

/// The hint does not mention logs, because nothing was started.
#[test]
fn testing_a_blocked_server_explains_how_to_allow_it() {
    let world = World::project().server("fs", "honest", &[]);
    let refused = world
        .run(&["server", "test", "fs"])
        .exits(4)
        .stderr_contains(&["not trusted yet", "then run `toolscout trust`\n"]);
    refused.stderr_lacks(&["server logs"]);
    world.run(&["server", "test", "fs", "--json"]).exits(4);
    assert_eq!(world.starts("fs"), 0);
    world.run(&["--trust", "server", "test", "fs"]).exits(0).stdout_contains(&["ok: 6 tools"]);
}

/// M-05b: the error says that the call timed out, and shows the configured limit, not the remaining
/// time of the last step.
#[test]
fn a_timeout_error_shows_the_configured_limit() {
    let limits = "discovery_timeout_ms = 1000\ncall_timeout_ms = 1000";
    let world = World::trusted().server("mute", "hang_start", &[]).append_config(limits);
    let world = world
        .server("lame", "hang_list", &[])
        .append_config(limits)
        .server("late", "hang_call", &[])
        .append_config(limits);
    let refreshed = world.run(&["server", "refresh"]).exits(3);
    refreshed.stdout_contains(&[
        "mute: failed: timeout: the handshake timed out after 1 s\n",
        "lame: failed: timeout: ",
        "timed out after 1 s\n",
    ]);
    world
        .run(&["run", "late/echo", "--text", "a"])
        .exits(3)
        .stderr_contains(&["`echo` timed out after 1 s\n"]);
    world.run(&["run", "mute/echo"]).exits(3).stderr_contains(&["timed out after 1 s\n"]);
    world.run(&["server", "test", "mute"]).exits(3).stdout_contains(&["timed out after 1 s\n"]);
}

/// The entry that a dry run prints.
fn added_entry(outcome: &Outcome) -> Value {
    let change = outcome.json()["would"].as_str().expect("a sentence").to_owned();
    serde_json::from_str(&change[change.find('{').expect("an entry")..]).expect("JSON")
}

/// Any typed value may be a secret, whatever its name; a reference is not.
#[test]
fn a_dry_run_of_server_add_redacts_possible_secrets() {
    let world = World::project();
    let secrets = ["plum-orchard-lantern", "walnut-orchard-lantern", "cherry-orchard-lantern"];
    let env = [
        "--env",
        "PASSWORD=plum-orchard-lantern",
        "--env",
        "COLOUR=walnut-orchard-lantern",
        "--env",
        "TOKEN=env:MINE",
    ];
    let program: Vec<_> =
        ["--dry-run", "--json", "server", "add", "fs"].into_iter().chain(env).collect();
    let words = ["--", "npx", "some-server", "--password", "cherry-orchard-lantern"];
    let shown = world.run(&program.into_iter().chain(words).collect::<Vec<_>>()).exits(0);
    let entry = added_entry(&shown);
    assert_eq!(
        entry["env"],
        json!({"PASSWORD": "[REDACTED]", "COLOUR": "[REDACTED]", "TOKEN": "env:MINE"})
    );
    assert_eq!((&entry["command"], &entry["args"][0]), (&json!("npx"), &json!("some-server")));
    let header = ["--header", "X-Team: plum-orchard-lantern", "--bearer", "walnut-orchard-lantern"];
    let url = [
        "--dry-run",
        "--json",
        "server",
        "add",
        "web",
        "https://example.com/mcp?key=cherry-orchard-lantern",
    ];
    let web = world.run(&url.into_iter().chain(header).collect::<Vec<_>>()).exits(0);
    let added = added_entry(&web);
    assert_eq!(
        (&added["headers"], &added["bearer"]),
        (&json!({"X-Team": "[REDACTED]"}), &json!("[REDACTED]"))
    );
    for output in [&shown.out, &shown.err, &web.out, &web.err] {
        secrets.iter().for_each(|secret| assert!(!output.contains(secret), "{output}"));
    }
    assert!(!world.path("toolscout.toml").exists());
}

/// The tool is callable by its qualified name, and there is no warning.
#[test]
fn a_server_tool_with_the_name_of_a_command_does_not_shadow_it() {
    let tool = |name: &str| json!({"name": name, "description": "Finds anything", "inputSchema": {"type": "object"}});
    let world = World::trusted().listing("fs", &json!([tool("search"), tool("server list")]));
    world.run(&["server", "refresh"]).exits(0);
    let found = world.run(&["search", "search"]).exits(0);
    assert_eq!(found.err, "");
    assert!(found.out.contains("fs/search - Finds anything"), "{found:?}");
    assert_eq!(world.run(&["run", "fs/search"]).exits(0).out, "called\n");
    assert_eq!(world.run(&["run", "search"]).exits(0).out, "called\n");
    world.run(&["server", "list"]).exits(0).stdout_contains(&["2 tools"]);
    world
        .run(&["-v", "tools"])
        .exits(0)
        .stderr_contains(&["note: `search` is also a built-in command", "toolscout run fs/search"]);
    let doctor = world.run(&["doctor"]).exits(0);
    doctor.stdout_contains(&[
        "note      `search` is also a built-in command (toolscout run fs/search)\n",
        "\nNo problems.\n",
    ]);
}

#[test]
fn a_search_without_any_tools_explains_how_to_add_some() {
    let output = [
        "this project has no tools yet",
        "`tools/`",
        "`toolscout import`",
        "`toolscout server add ID -- COMMAND`",
    ];
    World::project().run(&["search", "anything"]).exits(0).stderr_contains(&output);
}

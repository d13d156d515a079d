//! What is said to who does not know what to do next: the command that helps, and nothing that does not.

use super::web::Web;
use crate::world::{Outcome, World};
use serde_json::{Value, json};

/// A server that wants a login, whichever command finds out, with a host or without.
#[test]
fn whoever_is_turned_away_is_told_how_to_log_in() {
    let world = World::trusted();
    let web = Web::start(&world, "http_401_meta");
    let login = "toolscout server login web";
    let added = world.run(&["server", "add", "web", &web.url(), "--wait"]).exits(3);
    added.says(&["Tool discovery failed: ", "401", "The entry is saved", login]);
    world.run(&["server", "refresh"]).exits(3).prints(&[
        "web: failed: ",
        "401",
        ". Log in with `",
        login,
    ]);
    world.run(&["server", "list"]).exits(0).prints(&["401", login]);
    let tested = world
        .run(&["server", "test", "web"])
        .exits(3)
        .prints(&["401", &format!("hint: {login}\n")]);
    tested.keeps_quiet_about(&["server logs"]);
    assert_eq!(world.run(&["server", "test", "web", "--json"]).exits(3).json()["hint"], login);
    let called =
        world.run(&["run", "web/echo"]).exits(3).says(&["401", &format!("  hint: {login}\n")]);
    let _host = world.host();
    assert_eq!(world.run(&["run", "web/echo"]), called);
}

/// Nothing was started, so there is nothing in any log.
#[test]
fn a_test_of_a_server_that_may_not_be_started_says_what_would_change_that() {
    let world = World::project().server("fs", "honest", &[]);
    let refused = world
        .run(&["server", "test", "fs"])
        .exits(4)
        .says(&["not trusted yet", "then: toolscout trust\n"]);
    refused.keeps_quiet_about(&["server logs"]);
    world.run(&["server", "test", "fs", "--json"]).exits(4);
    assert_eq!(world.starts("fs"), 0);
    world.run(&["--trust", "server", "test", "fs"]).exits(0).prints(&["ok: 6 tools"]);
}

/// The limit that a person has set, and not what the last step had left of it.
#[test]
fn what_took_too_long_is_told_with_the_limit_as_it_was_set() {
    let limits = "discovery_timeout_ms = 1000\ncall_timeout_ms = 1000";
    let world = World::trusted().server("mute", "hang_start", &[]).more(limits);
    let world = world
        .server("lame", "hang_list", &[])
        .more(limits)
        .server("late", "hang_call", &[])
        .more(limits);
    let refreshed = world.run(&["server", "refresh"]).exits(3);
    refreshed.prints(&[
        "mute: failed: timeout: the handshake took longer than 1 s\n",
        "lame: failed: timeout: ",
        "longer than 1 s\n",
    ]);
    world
        .run(&["run", "late/echo", "--text", "a"])
        .exits(3)
        .says(&["`echo` took longer than 1 s\n"]);
    world.run(&["run", "mute/echo"]).exits(3).says(&["took longer than 1 s\n"]);
    world.run(&["server", "test", "mute"]).exits(3).prints(&["took longer than 1 s\n"]);
}

/// The entry that a dry run would add.
fn added_entry(outcome: &Outcome) -> Value {
    let change = outcome.json()["would"].as_str().expect("a sentence").to_owned();
    serde_json::from_str(&change[change.find('{').expect("an entry")..]).expect("JSON")
}

/// What is typed may be a secret, whatever it is called; a reference is none.
#[test]
fn a_rehearsed_addition_shows_the_entry_without_what_may_be_secret() {
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
    for said in [&shown.out, &shown.err, &web.out, &web.err] {
        secrets.iter().for_each(|it| assert!(!said.contains(it), "{said}"));
    }
    assert!(!world.path("toolscout.toml").exists());
}

/// A tool of a server that is named like a command of ours: theirs by its full name, and no reason to warn anybody.
#[test]
fn a_servers_tool_that_is_named_like_a_built_in_command_stays_out_of_its_way() {
    let tool = |name: &str| json!({"name": name, "description": "Finds anything", "inputSchema": {"type": "object"}});
    let world = World::trusted().listing("fs", &json!([tool("search"), tool("server list")]));
    world.run(&["server", "refresh"]).exits(0);
    let found = world.run(&["search", "search"]).exits(0);
    assert_eq!(found.err, "");
    assert!(found.out.contains("fs/search - Finds anything"), "{found:?}");
    assert_eq!(world.run(&["run", "fs/search"]).exits(0).out, "called\n");
    assert_eq!(world.run(&["run", "search"]).exits(0).out, "called\n");
    world.run(&["server", "list"]).exits(0).prints(&["2 tools"]);
    world
        .run(&["-v", "tools"])
        .exits(0)
        .says(&["note: `search` is also a built-in command", "toolscout run fs/search"]);
    let doctor = world.run(&["doctor"]).exits(0);
    doctor.prints(&[
        "note      `search` is also a built-in command (toolscout run fs/search)\n",
        "\nNo problems.\n",
    ]);
}

#[test]
fn a_search_where_there_is_nothing_says_where_tools_come_from() {
    let said = [
        "there are none yet",
        "`tools/`",
        "`toolscout import`",
        "`toolscout server add ID -- COMMAND`",
    ];
    World::project().run(&["search", "anything"]).exits(0).says(&said);
}

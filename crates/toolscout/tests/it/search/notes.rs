//! Notes about empty results: about the query, and about each unavailable source, with a hint.

use super::{library, search};
use crate::serve::Agent;
use crate::world::World;
use serde_json::json;

const NOTHING: &str = "No tools found. Try different keywords or a broader search term.";

#[test]
fn unknown_query_words_are_reported_with_similar_names() {
    let world = library();
    let nothing = search(&world, &["--profile", "substring", "qwertyuiop", "send_emial"]);
    assert_eq!(nothing.out, "[]\n");
    nothing.stderr_contains(&[
        NOTHING,
        "note: no tool mentions `qwertyuiop`",
        "note: similar names: `local/send_email`",
    ]);
}

#[test]
fn weak_results_are_marked() {
    let world = library();
    let weak = search(&world, &["--profile", "ladder", "report", "qqqq", "wwww", "zzzz", "xxxx"]);
    assert!(weak.out.contains("create_pdf"), "{weak:?}");
    weak.stderr_contains(&["note: no good match", "no tool mentions `qqqq`"]);
    search(&world, &["email"]).stderr_lacks(&["note:"]);
}

/// Every kind of unavailable source, each with the command that fixes it.
#[test]
fn each_unavailable_source_is_reported_with_a_hint() {
    let world = World::trusted()
        .file("toolscout.toml", "serve = { wait_for_discovery = 0 }\n")
        .server("new", "honest", &[])
        .breakable("broken", "honest", &[])
        .server("off", "honest", &[])
        .append_config("enabled = false");
    world.break_server("broken");
    world.run(&["server", "refresh", "broken"]).exits(3);
    let output = world.run(&["search", "qwertyuiop"]).exits(0).stderr_contains(&[
        "the tools of `new` are not loaded yet",
        "toolscout server refresh new",
        "could not load the tools of `broken`",
        "toolscout server refresh broken",
        "server `off` is disabled (toolscout server enable off)",
    ]);
    assert_eq!(
        output.err.matches("the tools of `new` are not loaded yet").count(),
        1,
        "{output:?}"
    );
    let only = world.run(&["search", "--source", "off", "qwertyuiop"]).exits(0);
    only.stderr_contains(&["server `off` is disabled"]);
    // `--quiet` does not hide the reason for an empty result.
    world
        .run(&["--quiet", "search", "qwertyuiop"])
        .exits(0)
        .stderr_contains(&["the tools of `new` are not loaded yet"]);
}

#[test]
fn quarantined_disabled_and_stale_tools_are_noted() {
    let world = World::trusted()
        .server("s", "honest", &[])
        .file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"cat\"]\n");
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["reject", "s/echo"]).exits(0);
    world.run(&["policy", "set", "s/add", "disable"]).exits(0);
    world.run(&["search", "qwertyuiop"]).exits(0).stderr_contains(&[
        "1 tool is quarantined: `toolscout review`",
        "1 tool of `s` disabled by a policy: `toolscout policy s`",
    ]);
    // The entry differs from the discovered one, so the cached tools may be out of date.
    let before = std::fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    let world =
        world.file("toolscout.toml", &before.replace("args = [", "args = [\"--delay\", \"0\", "));
    world.run(&["search", "qwertyuiop"]).exits(0).stderr_contains(&["toolscout server refresh s"]);
}

/// The documented message stays first and separate, because clients may look for it.
#[test]
fn agents_receive_the_notes_with_the_results() {
    let world = World::trusted().server("off", "honest", &[]).append_config("enabled = false");
    let world = world.file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"cat\"]\n");
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "qwertyuiop"}));
    assert_eq!(result["content"][0]["text"], NOTHING);
    let notes = result["content"][1]["text"].as_str().unwrap_or_default();
    assert!(notes.contains("note: no tool mentions `qwertyuiop`"), "{notes}");
    assert!(notes.contains("server `off` is disabled (toolscout server enable off)"), "{notes}");
    assert_eq!(result["structuredContent"]["results"], json!([]));
}

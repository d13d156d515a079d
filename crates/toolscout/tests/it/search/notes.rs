//! What is said where little or nothing is found: about the question, and about each source in trouble, with what to type.

use super::{library, search};
use crate::serve::Agent;
use crate::world::World;
use serde_json::json;

const NOTHING: &str = "No tools found. Try different keywords or a broader search term.";

#[test]
fn words_that_no_tool_has_are_named_and_names_that_look_alike_offered() {
    let world = library();
    let nothing = search(&world, &["--profile", "substring", "qwertyuiop", "send_emial"]);
    assert_eq!(nothing.out, "[]\n");
    nothing.says(&[
        NOTHING,
        "note: no tool says anything of `qwertyuiop`",
        "note: names that look alike: `local/send_email`",
    ]);
}

#[test]
fn a_weak_answer_is_shown_and_said_to_be_one() {
    let world = library();
    let weak = search(&world, &["--profile", "ladder", "report", "qqqq", "wwww", "zzzz", "xxxx"]);
    assert!(weak.out.contains("create_pdf"), "{weak:?}");
    weak.says(&["note: none of these fits well", "no tool says anything of `qqqq`"]);
    search(&world, &["email"]).keeps_quiet_about(&["note:"]);
}

/// Every kind of trouble, each with the command that helps.
#[test]
fn each_source_in_trouble_is_named_with_what_helps() {
    let world = World::trusted()
        .server("new", "honest", &[])
        .breakable("broken", "honest", &[])
        .server("off", "honest", &[])
        .more("enabled = false");
    world.breaks("broken");
    world.run(&["server", "refresh", "broken"]).exits(3);
    let said = world.run(&["search", "qwertyuiop"]).exits(0).says(&[
        "the tools of `new` are not loaded yet",
        "toolscout server refresh new",
        "could not load the tools of `broken`",
        "toolscout server refresh broken",
        "server `off` is turned off (toolscout server enable off)",
    ]);
    assert_eq!(said.err.matches("the tools of `new` are not loaded yet").count(), 1, "{said:?}");
    let only = world.run(&["search", "--source", "off", "qwertyuiop"]).exits(0);
    only.says(&["server `off` is turned off"]);
    // Quiet is quiet about how things are, not about why nothing was found.
    world
        .run(&["--quiet", "search", "qwertyuiop"])
        .exits(0)
        .says(&["the tools of `new` are not loaded yet"]);
}

#[test]
fn what_is_held_or_disabled_or_old_is_said() {
    let world = World::trusted()
        .server("s", "honest", &[])
        .file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"cat\"]\n");
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["reject", "s/echo"]).exits(0);
    world.run(&["policy", "set", "s/add", "disable"]).exits(0);
    world.run(&["search", "qwertyuiop"]).exits(0).says(&[
        "1 tool is quarantined: `toolscout review`",
        "1 tool of `s` disabled by a policy: `toolscout policy s`",
    ]);
    // Another entry than the one that was asked: what is known may not be so any more.
    let before = std::fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    let world =
        world.file("toolscout.toml", &before.replace("args = [", "args = [\"--delay\", \"0\", "));
    world.run(&["search", "qwertyuiop"]).exits(0).says(&["toolscout server refresh s"]);
}

/// The fixed words stay first and alone, for those who look for them.
#[test]
fn an_agent_is_told_beside_the_known_words() {
    let world = World::trusted().server("off", "honest", &[]).more("enabled = false");
    let world = world.file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"cat\"]\n");
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "qwertyuiop"}));
    assert_eq!(result["content"][0]["text"], NOTHING);
    let notes = result["content"][1]["text"].as_str().unwrap_or_default();
    assert!(notes.contains("note: no tool says anything of `qwertyuiop`"), "{notes}");
    assert!(notes.contains("server `off` is turned off (toolscout server enable off)"), "{notes}");
    assert_eq!(result["structuredContent"]["results"], json!([]));
}

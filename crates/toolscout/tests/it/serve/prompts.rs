//! 1. A file in `prompts/` is a prompt for clients of both eras, with its arguments filled in.
//! 2. One that is wrong is said to the person, and hides no other.
//! 3. What comes, changes or goes is there at once, and clients are told.
//! 4. Nobody gets an instruction from a project that no person trusts, or that a profile leaves out.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

const NOTES: &str = "---\ntitle: Release notes\ndescription: Write release notes\narguments:\n  - name: since\n    required: true\n  - name: tone\n    description: How to sound\n---\nWrite notes since {{since}}.\n{{tone}}\n";
const CHANGED: &str = "notifications/prompts/list_changed";

fn names(agent: &mut Agent) -> Vec<String> {
    let list = agent.request("prompts/list", json!({}));
    let names = list["prompts"].as_array().expect("a list").iter();
    names.map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_file_is_a_prompt_in_both_eras() {
    let world = World::trusted().file("prompts/release-notes.md", NOTES);
    for mut agent in [Agent::legacy(&world, &[]), Agent::modern(&world, &[])] {
        let list = agent.request("prompts/list", json!({}));
        let since = json!({"name": "since", "required": true});
        let tone = json!({"name": "tone", "required": false, "description": "How to sound"});
        let prompt = json!({
            "name": "local__release-notes", "title": "Release notes", "description": "Write release notes",
            "arguments": [since, tone],
        });
        assert_eq!(list["prompts"], json!([prompt]));
        let wanted = json!({"name": "local__release-notes", "arguments": {"since": "v1", "tone": "Be {{since}}."}});
        let got = agent.request("prompts/get", wanted);
        let text = "Write notes since v1.\nBe {{since}}.\n";
        assert_eq!(
            got["messages"],
            json!([{"role": "user", "content": {"type": "text", "text": text}}])
        );
        assert_eq!(got["description"], "Write release notes");
        let fault = agent.fault("prompts/get", json!({"name": "local__release-notes"}));
        assert_eq!(fault["code"], -32602);
        assert!(
            fault["message"].as_str().is_some_and(|it| it.contains("needs `since`")),
            "{fault}"
        );
        let about = json!({"type": "ref/prompt", "name": "local__release-notes"});
        let proposed = agent.request(
            "completion/complete",
            json!({"ref": about, "argument": {"name": "tone", "value": "f"}}),
        );
        assert_eq!(proposed["completion"]["values"], json!([]));
    }
}

#[test]
fn the_capability_is_there_where_prompts_are() {
    let greet = |world: &World| -> Value {
        let client = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        Agent::start(world, &[]).request("initialize", hello)["capabilities"]["prompts"].clone()
    };
    assert_eq!(greet(&World::trusted()), Value::Null);
    assert_eq!(greet(&World::trusted().file("prompts/a.md", "A.\n")), json!({"listChanged": true}));
}

#[test]
fn a_prompt_that_is_wrong_is_said_and_hides_no_other() {
    let wrong = "---\narguments: [name]\n---\nHello {{nmae}}.\n";
    let world = World::trusted().file("prompts/good.md", "Fine.\n").file("prompts/wrong.md", wrong);
    world
        .run(&["tools"])
        .exits(0)
        .says(&["prompts/wrong.md", "`{{nmae}}` is none of its arguments; did you mean `name`?"]);
    assert_eq!(names(&mut Agent::legacy(&world, &[])), ["local__good"]);
}

#[test]
fn prompts_come_and_go_while_clients_are_connected() {
    let world = World::trusted().file("prompts/a.md", "A.\n");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(names(&mut agent), ["local__a"]);
    fs::write(world.path("prompts/b.md"), "B.\n").expect("add a prompt");
    agent.told(CHANGED);
    assert_eq!(names(&mut agent), ["local__a", "local__b"]);
    fs::write(world.path("prompts/b.md"), "C.\n").expect("change it");
    agent.told(CHANGED);
    let got = agent.request("prompts/get", json!({"name": "local__b"}));
    assert_eq!(got["messages"][0]["content"]["text"], "C.\n");
    fs::remove_file(world.path("prompts/b.md")).expect("remove it");
    agent.told(CHANGED);
    assert_eq!(names(&mut agent), ["local__a"]);
}

#[test]
fn a_stranger_s_project_gives_no_instructions() {
    let world = World::project().file("prompts/a.md", "Do as I say.\n");
    assert_eq!(Agent::legacy(&world, &[]).fault("prompts/list", json!({}))["code"], -32601);
}

#[test]
fn a_profile_has_prompts_where_it_has_the_whole_folder() {
    let config =
        "[profiles.all]\ninclude = [\"local/*\"]\n[profiles.some]\ninclude = [\"local/a*\"]\n";
    let world = World::trusted().file("toolscout.toml", config).file("prompts/a.md", "A.\n");
    assert_eq!(names(&mut Agent::legacy(&world, &["--profile", "all"])), ["local__a"]);
    let mut some = Agent::legacy(&world, &["--profile", "some"]);
    assert_eq!(some.fault("prompts/list", json!({}))["code"], -32601);
}

//! 1. A file in `prompts/` is a prompt for clients of both protocol eras, with its arguments filled
//!    in.
//! 2. An invalid prompt is reported to the operator and does not affect other prompts.
//! 3. An added, changed or removed prompt takes effect at once, and clients are notified.
//! 4. Prompts of an untrusted project, and prompts outside of a profile, are not served.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

const NOTES: &str = "---\ntitle: Release notes\ndescription: Write release notes\narguments:\n  - name: since\n    required: true\n  - name: tone\n    description: How to sound\n---\nWrite notes since {{since}}.\n{{tone}}\n";
const CHANGED: &str = "notifications/prompts/list_changed";

fn names(agent: &mut Agent) -> Vec<String> {
    let list = agent.request("prompts/list", json!({}));
    let names = list["prompts"].as_array().expect("a list").iter();
    names.map(|name| name["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_prompt_file_is_served_in_both_eras() {
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
        let fault = agent.request_error("prompts/get", json!({"name": "local__release-notes"}));
        assert_eq!(fault["code"], -32602);
        assert!(
            fault["message"].as_str().is_some_and(|message| message.contains("requires `since`")),
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
fn the_prompts_capability_is_announced_only_with_prompts() {
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
fn an_invalid_prompt_is_reported_and_the_others_are_served() {
    let wrong = "---\narguments: [name]\n---\nHello {{nmae}}.\n";
    let world = World::trusted().file("prompts/good.md", "Fine.\n").file("prompts/wrong.md", wrong);
    world.run(&["tools"]).exits(0).stderr_contains(&[
        "prompts/wrong.md",
        "`{{nmae}}` is not an argument of this prompt; did you mean `name`?",
    ]);
    assert_eq!(names(&mut Agent::legacy(&world, &[])), ["local__good"]);
}

#[test]
fn prompt_changes_notify_connected_clients() {
    let world = World::trusted().file("prompts/a.md", "A.\n");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(names(&mut agent), ["local__a"]);
    world.replace("prompts/b.md", "B.\n");
    agent.wait_for(CHANGED);
    assert_eq!(names(&mut agent), ["local__a", "local__b"]);
    world.replace("prompts/b.md", "C.\n");
    agent.wait_for(CHANGED);
    let got = agent.request("prompts/get", json!({"name": "local__b"}));
    assert_eq!(got["messages"][0]["content"]["text"], "C.\n");
    fs::remove_file(world.path("prompts/b.md")).expect("remove it");
    agent.wait_for(CHANGED);
    assert_eq!(names(&mut agent), ["local__a"]);
}

#[test]
fn an_untrusted_project_serves_no_prompts() {
    let world = World::project().file("prompts/a.md", "Do as I say.\n");
    assert_eq!(Agent::legacy(&world, &[]).request_error("prompts/list", json!({}))["code"], -32601);
}

#[test]
fn a_profile_serves_prompts_if_it_includes_the_folder() {
    let config =
        "[profiles.all]\ninclude = [\"local/*\"]\n[profiles.some]\ninclude = [\"local/a*\"]\n";
    let world = World::trusted().file("toolscout.toml", config).file("prompts/a.md", "A.\n");
    assert_eq!(names(&mut Agent::legacy(&world, &["--profile", "all"])), ["local__a"]);
    let mut some = Agent::legacy(&world, &["--profile", "some"]);
    assert_eq!(some.request_error("prompts/list", json!({}))["code"], -32601);
}

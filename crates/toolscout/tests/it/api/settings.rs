//! Settings of a project, written over the API.

use super::Api;
use super::projects::{start, two_projects};
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

const FILE: &str = "# Our team's settings.\nmeta_tools = \"auto\" # for now\n\n[search]\n# Slow machines.\nsemantic = false\n";

fn put(api: &Api, path: &str, settings: Value) -> Value {
    api.done("PUT", path, Some(json!({"settings": settings})))
}

/// M-15h
#[test]
fn settings_are_written_to_the_project_and_comments_stay() {
    let world = two_projects(World::trusted()).file("../beta/toolscout.toml", FILE);
    let api = start(&world);
    let changed = put(
        &api,
        "/api/projects/beta/configuration",
        json!({"meta_tools": "always", "search": {"language": "german"}, "default_policy": "ask"}),
    );
    assert_eq!(changed["changed"], json!(["meta_tools", "search.language", "default_policy"]));
    let configuration = &changed["configuration"];
    assert_eq!(configuration["defaultPolicy"], "ask");
    assert_eq!(
        configuration["settings"]["search"],
        json!({"semantic": false, "language": "german"})
    );
    let written = fs::read_to_string(world.path("../beta/toolscout.toml")).expect("a file");
    for part in ["# Our team's settings.", "meta_tools = \"always\" # for now", "# Slow machines."]
    {
        assert!(written.contains(part), "{part} is not in {written}");
    }
    assert!(!world.path("toolscout.toml").exists(), "the other project is unchanged");
    let removed = put(&api, "/api/projects/beta/configuration", json!({"meta_tools": null}));
    assert_eq!(removed["configuration"]["settings"].get("meta_tools"), None);
    let agent = api.web.send("GET", "/api/projects/beta/configuration", &[&api.agent], "");
    assert_eq!(agent.message()["configuration"].get("settings"), None);
}

/// M-15h
#[test]
fn a_change_of_settings_is_audited_once_and_a_dry_run_writes_nothing() {
    let world = two_projects(World::trusted()).file("toolscout.toml", FILE);
    let api = start(&world);
    let settings = json!({"settings": {"meta_tools": "never"}});
    let would = api.done("PUT", "/api/configuration?dryRun=true", Some(settings.clone()));
    assert_eq!((&would["dryRun"], &would["kind"]), (&json!(true), &json!("settings")));
    assert_eq!(fs::read_to_string(world.path("toolscout.toml")).expect("a file"), FILE);
    api.done("PUT", "/api/configuration", Some(settings));
    let audit = api.get("/api/audit?kind=decision")["entries"].as_array().expect("entries").clone();
    let about: Vec<_> =
        audit.iter().filter(|entry| entry.to_string().contains("meta_tools")).collect();
    assert_eq!(about.len(), 1, "{audit:?}");
}

/// M-15h
#[test]
fn invalid_settings_are_refused_and_nothing_is_written() {
    let world = two_projects(World::trusted()).file("toolscout.toml", FILE);
    let api = start(&world);
    for (settings, reason) in [
        (json!({"meta_tools": "sometimes"}), "always"),
        (json!({"meta_tols": "auto"}), "unknown setting `meta_tols`"),
        (json!({"servers": {"x": {"command": "x"}}}), "`servers` cannot be changed as a setting"),
        (json!({"serve": {"projects": ["/"]}}), "allowed only in your user configuration"),
        (json!({"default_policy": 7}), "default_policy"),
        (json!({}), "`settings` is empty"),
    ] {
        let body = json!({"settings": settings});
        let answer = api.send_request("PUT", "/api/configuration", Some(body));
        assert_eq!(
            (answer.status, &answer.message()["code"]),
            (400, &json!("VALIDATION_FAILED")),
            "{answer:?}"
        );
        assert!(answer.body.contains(reason), "{reason} is not in {answer:?}");
    }
    assert_eq!(fs::read_to_string(world.path("toolscout.toml")).expect("a file"), FILE);
    let none = api.refused("PUT", "/api/configuration", Some(json!({"meta_tools": "auto"})));
    assert_eq!(none, (400, "VALIDATION_FAILED".to_owned()));
}

//! How long a registration lasts, and when its tools are reviewed again.

use super::program::Program;
use super::{approve, call, listed, registration};
use crate::api::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

fn states(api: &Api) -> Vec<(String, String)> {
    let all = api.get("/api/registrations")["registrations"].as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    all.iter().map(|entry| (text(&entry["id"]), text(&entry["state"]))).collect()
}

/// M-18c
#[test]
fn a_registration_ends_when_it_expires_or_is_removed() {
    let world = World::trusted();
    let api = Api::start(&world);
    let program = Program::saying("x");
    let mut short = registration(Some(&program.url));
    short["ttlMs"] = json!(1_000);
    api.done("POST", "/api/tools", Some(short));
    wait_until("the registration expires", || states(&api).is_empty());
    assert_eq!(listed(&api), [""; 0]);
    let unknown = (404, "RESOURCE_NOT_FOUND".to_owned());
    let renewal = |id: &str| format!("/api/registrations/{id}/renew");
    assert_eq!(api.refused("POST", &renewal("billing"), Some(json!({}))), unknown);

    let registered = api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    let renewed = api.done("POST", &renewal("billing"), Some(json!({"ttlMs": 7_200_000})));
    let expires = |answer: &Value| answer["registration"]["expires"].to_string();
    assert!(expires(&renewed) > expires(&registered), "{registered} {renewed}");
    assert_eq!(states(&api), [("billing".to_owned(), "active".to_owned())]);
    assert_eq!(listed(&api), ["invoice"]);
    api.done("DELETE", "/api/registrations/billing", None);
    assert_eq!(states(&api), []);
    assert_eq!(listed(&api), [""; 0]);
    assert_eq!(api.refused("DELETE", "/api/registrations/billing", None), unknown);
}

/// M-18f: a program that starts again on another port has the same tools. A changed definition,
/// and another address, are reviewed again.
#[test]
fn only_changed_tools_are_reviewed_again() {
    let world = World::trusted();
    let (first, second) = (Program::saying("first"), Program::saying("second"));
    let api = Api::start(&world);
    api.done("POST", "/api/tools", Some(registration(Some(&first.url))));
    approve(&api);
    drop(api);

    let api = Api::start(&world);
    let again = api.done("POST", "/api/tools", Some(registration(Some(&second.url))));
    assert_eq!(again["registration"]["quarantinedCount"], 0);
    let result = api.done("POST", "/api/call", Some(call()));
    assert_eq!(result["result"]["content"][0]["text"], "second");

    let mut changed = registration(Some(&second.url));
    changed["tools"][0]["description"] = json!("Pay an invoice");
    let changed = api.done("POST", "/api/tools", Some(changed));
    assert_eq!(changed["registration"]["quarantinedCount"], 1);
    assert_eq!(api.refused("POST", "/api/call", Some(call())), (403, "POLICY_DENIED".to_owned()));

    let elsewhere = second.url.replace("/call", "/other");
    let elsewhere = api.done("POST", "/api/tools", Some(registration(Some(&elsewhere))));
    assert_eq!(elsewhere["registration"]["quarantinedCount"], 1);
}

/// M-18h: a changed configuration keeps registrations, except one whose id is now a server.
#[test]
fn a_reload_keeps_registrations() {
    let world = World::trusted();
    let program = Program::saying("kept");
    let api = Api::start(&world);
    api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    approve(&api);
    let words = world.hostile("files", "honest", &[]);
    let server = |id: &str| json!({"id": id, "command": words[0], "args": words[1..]});
    api.done("POST", "/api/servers", Some(server("files")));
    let result = api.done("POST", "/api/call", Some(call()));
    assert_eq!(result["result"]["content"][0]["text"], "kept");
    api.done("POST", "/api/servers", Some(server("billing")));
    assert_eq!(states(&api), []);
    wait_until("the server has the id", || listed(&api).contains(&"echo".to_owned()));
}

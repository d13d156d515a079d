//! The servers of a session, and sessions of several projects.

use super::Api;
use super::projects::{start, two_projects};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

fn session(api: &Api, path: &str, body: Value) -> String {
    let started = api.done("POST", path, Some(body))["session"].clone();
    started["id"].as_str().expect("an id").to_owned()
}

/// M-15f
#[test]
fn a_session_is_found_by_its_id_and_only_in_its_own_project() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let own = session(&api, "/api/sessions", json!({}));
    let beta = session(&api, "/api/projects/beta/sessions", json!({"name": "t"}));
    let named = session(&api, "/api/sessions", json!({"project": "beta"}));
    let listed = api.get("/api/sessions")["sessions"].as_array().expect("sessions").clone();
    let project = |id: &str| {
        let session =
            listed.iter().find(|session| session["id"] == id).expect("the session is listed");
        session["project"].as_str().expect("a project").to_owned()
    };
    assert_eq!([project(&own), project(&beta), project(&named)], ["project", "beta", "beta"]);
    assert_eq!(
        api.get("/api/projects/beta/sessions")["sessions"].as_array().map(Vec::len),
        Some(2)
    );
    let tools = api.get(&format!("/api/sessions/{beta}/configuration"))["configuration"].clone();
    assert!(tools["availableTools"].to_string().contains("mail/echo"), "{tools}");
    let elsewhere = format!("/api/projects/project/sessions/{beta}/configuration");
    let not_found = (404, "RESOURCE_NOT_FOUND".to_owned());
    assert_eq!(api.refused("GET", &elsewhere, None), not_found);
    assert_eq!(api.refused("POST", "/api/sessions", Some(json!({"project": "x"}))), not_found);
    api.done("DELETE", &format!("/api/sessions/{beta}"), None);
    assert_eq!(api.refused("DELETE", &format!("/api/sessions/{beta}"), None), not_found);
}

/// M-15g
#[test]
fn servers_of_a_session_are_started_stopped_restarted_and_refreshed() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let id = session(&api, "/api/projects/beta/sessions", json!({}));
    let base = format!("/api/sessions/{id}");
    let state = || api.get(&format!("{base}/servers"))["servers"][0]["state"].clone();
    let source = || api.get(&format!("{base}/configuration"))["configuration"]["source"].clone();
    let control = |action: &str| {
        let path = format!("{base}/servers/mail/control");
        let answer = api.send_request("POST", &path, Some(json!({"action": action, "wait": true})));
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.message()["status"].clone()
    };
    assert_eq!((state(), source()), (json!("ready"), json!("cached")));
    let before = world.starts("mail");
    assert_eq!(control("start"), "started");
    assert_eq!((state(), source()), (json!("idle"), json!("runtime")));
    assert_eq!(control("restart"), "started");
    wait_until("the server has started twice", || world.starts("mail") >= before + 2);
    assert_eq!(control("refresh"), "refreshed");
    assert_eq!(control("stop"), "stopped");
    assert_eq!((state(), source()), (json!("ready"), json!("cached")));
}

/// M-15g
#[test]
fn control_of_a_session_reports_the_errors_of_the_api() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let id = session(&api, "/api/projects/beta/sessions", json!({}));
    let control = |session: &str, server: &str, action: &str| {
        let path = format!("/api/sessions/{session}/servers/{server}/control");
        api.refused("POST", &path, Some(json!({"action": action})))
    };
    let not_found = (404, "RESOURCE_NOT_FOUND".to_owned());
    assert_eq!(control("nobody", "mail", "start"), not_found);
    assert_eq!(control(&id, "nobody", "start"), not_found);
    assert_eq!(control(&id, "mail", "x"), (400, "VALIDATION_FAILED".to_owned()));
    assert_eq!(control(&id, "mail", "disable"), (400, "VALIDATION_FAILED".to_owned()));
    let path = format!("/api/sessions/{id}/servers/mail/control");
    let agent = api.request_as(&api.agent, "POST", &path, Some(json!({"action": "start"})));
    assert_eq!((agent.status, &agent.message()["code"]), (403, &json!("FORBIDDEN")));
    let words = world.hostile("mail", "honest", &[]);
    let mail = json!({"id": "mail", "command": words[0], "args": words[1..]});
    assert_eq!(
        api.refused("POST", "/api/projects/beta/servers", Some(mail.clone())),
        (409, "DUPLICATE_SERVER".to_owned())
    );
    // The same id is free in the other project.
    assert_eq!(api.send_request("POST", "/api/servers", Some(mail)).status, 201);
}

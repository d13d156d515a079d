use super::Api;
use super::catalog::{mail, world};
use crate::serve::Agent;
use crate::servers::scene::until;
use serde_json::{Value, json};

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["configuration"]["availableTools"].as_array().expect("tools");
    tools.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
}

fn session(api: &Api) -> String {
    let session = api.done("POST", "/api/sessions", Some(json!({"name": "tests"})));
    format!("/api/sessions/{}/configuration", session["session"]["id"].as_str().expect("an id"))
}

/// D-15
#[test]
fn a_session_has_what_running_servers_list_and_else_what_is_remembered() {
    let world = world();
    let api = Api::start(&world);
    let session = session(&api);
    assert_eq!(api.get(&session)["configuration"]["source"], "cached");
    api.done("POST", "/api/servers/mail/control", Some(json!({"action": "start"})));
    until("the server runs", || api.get(&session)["configuration"]["source"] == "runtime");
    // Another process asks the server when it has something else to say: that is remembered, and not what runs here.
    let mut more = mail();
    more.as_array_mut()
        .expect("a list")
        .push(json!({"name": "news", "inputSchema": {"type": "object"}}));
    let world = world.file("mail.tools.json", &more.to_string());
    world.run(&["server", "refresh", "mail"]).exits(0);
    let live = api.get(&session);
    assert_eq!(
        (names(&live), &live["configuration"]["source"]),
        (strings(&["hello", "mail/fetch", "mail/send"]), &json!("runtime"))
    );
    api.done("POST", "/api/servers/mail/control", Some(json!({"action": "stop"})));
    until("the server has ended", || api.get(&session)["configuration"]["source"] == "cached");
    until("what is remembered is seen", || {
        names(&api.get(&session)).contains(&"mail/news".to_owned())
    });
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(|it| (*it).to_owned()).collect()
}

/// D-16
#[test]
fn what_is_for_the_inside_of_a_program_is_no_part_of_a_session() {
    let world = world();
    let api = Api::start(&world);
    let seen = names(&api.get(&session(&api)));
    assert!(
        seen.contains(&"mail/send".to_owned()) && !seen.contains(&"mail/sweep".to_owned()),
        "{seen:?}"
    );
    let project = names(&api.get("/api/projects/current/configuration"));
    assert!(project.contains(&"mail/sweep".to_owned()), "{project:?}");
}

/// D-17
#[test]
fn unknown_projects_and_sessions_are_not_found() {
    let world = world();
    let api = Api::start(&world);
    for (path, said) in [("projects", "Project not found"), ("sessions", "Session not found")] {
        let answer = api.ask("GET", &format!("/api/{path}/nobody/configuration"), None);
        assert_eq!(answer.status, 404);
        assert_eq!(answer.message(), json!({"error": said, "code": "RESOURCE_NOT_FOUND"}));
    }
}

/// An agent that talks MCP with a session is there, too, and what it calls itself is told.
#[test]
fn a_conversation_over_mcp_is_a_session() {
    let world = world();
    let api = Api::start(&world);
    assert_eq!(api.get("/api/sessions")["sessions"], json!([]));
    let _agent = api.web.session("/mcp", &[&api.agent]);
    let seen = api.get("/api/sessions")["sessions"][0].clone();
    assert_eq!(seen["kind"], "mcp");
    assert!(seen["client"].as_str().is_some_and(|it| it.starts_with('t')), "{seen}");
    let path = format!("/api/sessions/{}", seen["id"].as_str().expect("an id"));
    assert!(names(&api.get(&format!("{path}/configuration"))).contains(&"mail/send".to_owned()));
    assert_eq!(api.refused("DELETE", &path, None), (409, "CONFLICT".to_owned()));
}

/// An agent that another process serves over pipes is there for as long as it talks.
#[test]
fn a_conversation_over_pipes_is_a_session_of_the_project() {
    let world = world();
    let api = Api::start(&world);
    let agent = Agent::legacy(&world, &[]);
    until("it is seen", || api.get("/api/sessions")["sessions"][0]["kind"] == "stdio");
    let id = api.get("/api/sessions")["sessions"][0]["id"].as_str().expect("an id").to_owned();
    let held = api.get(&format!("/api/sessions/{id}/configuration"));
    assert_eq!(held["configuration"]["source"], "cached");
    assert!(names(&held).contains(&"mail/send".to_owned()));
    agent.end();
    assert_eq!(api.get("/api/sessions")["sessions"], json!([]));
    let killed = Agent::legacy(&world, &[]);
    until("it is seen", || api.get("/api/sessions")["sessions"][0]["kind"] == "stdio");
    drop(killed);
    until("it is gone, however it went", || api.get("/api/sessions")["sessions"] == json!([]));
}

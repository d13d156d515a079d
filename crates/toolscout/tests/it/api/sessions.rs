use super::Api;
use super::catalog::{mail, world};
use crate::serve::Agent;
use crate::servers::fixture::wait_until;
use serde_json::{Value, json};

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["configuration"]["availableTools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn session(api: &Api) -> String {
    let session = api.done("POST", "/api/sessions", Some(json!({"name": "tests"})));
    format!("/api/sessions/{}/configuration", session["session"]["id"].as_str().expect("an id"))
}

/// D-15
#[test]
fn a_session_shows_live_tools_of_running_servers_and_cached_tools_otherwise() {
    let world = world();
    let api = Api::start(&world);
    let session = session(&api);
    assert_eq!(api.get(&session)["configuration"]["source"], "cached");
    api.done("POST", "/api/servers/mail/control", Some(json!({"action": "start"})));
    wait_until("the server runs", || api.get(&session)["configuration"]["source"] == "runtime");
    // Another process starts the server for itself and lists its changed tools. That updates the
    // cache, but not the tools of the server that runs here.
    let mut more = mail();
    more.as_array_mut()
        .expect("a list")
        .push(json!({"name": "news", "inputSchema": {"type": "object"}}));
    let world = world.file("mail.tools.json", &more.to_string());
    assert_eq!(Agent::legacy(&world, &[]).text("mail__fetch", json!({})), "called");
    let live = api.get(&session);
    assert_eq!(
        (names(&live), &live["configuration"]["source"]),
        (strings(&["hello", "mail/fetch", "mail/send"]), &json!("runtime"))
    );
    api.done("POST", "/api/servers/mail/control", Some(json!({"action": "stop"})));
    wait_until("the server has ended", || api.get(&session)["configuration"]["source"] == "cached");
    wait_until("the cached tools are shown", || {
        names(&api.get(&session)).contains(&"mail/news".to_owned())
    });
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(|item| (*item).to_owned()).collect()
}

/// D-16
#[test]
fn internal_tools_are_hidden_from_sessions() {
    let world = world();
    let api = Api::start(&world);
    let session_view = names(&api.get(&session(&api)));
    assert!(
        session_view.contains(&"mail/send".to_owned())
            && !session_view.contains(&"mail/sweep".to_owned()),
        "{session_view:?}"
    );
    let project = names(&api.get("/api/projects/current/configuration"));
    assert!(project.contains(&"mail/sweep".to_owned()), "{project:?}");
}

/// D-17
#[test]
fn unknown_projects_and_sessions_are_not_found() {
    let world = world();
    let api = Api::start(&world);
    for (path, output) in [("projects", "Project not found"), ("sessions", "Session not found")] {
        let answer = api.send_request("GET", &format!("/api/{path}/nobody/configuration"), None);
        assert_eq!(answer.status, 404);
        assert_eq!(answer.message(), json!({"error": output, "code": "RESOURCE_NOT_FOUND"}));
    }
}

/// A session shows the name that the client sent in `initialize`.
#[test]
fn an_mcp_connection_over_http_is_a_session() {
    let world = world();
    let api = Api::start(&world);
    assert_eq!(api.get("/api/sessions")["sessions"], json!([]));
    let _agent = api.web.session("/mcp", &[&api.agent]);
    let session_view = api.get("/api/sessions")["sessions"][0].clone();
    assert_eq!(session_view["kind"], "mcp");
    assert!(
        session_view["client"].as_str().is_some_and(|client| client.starts_with('t')),
        "{session_view}"
    );
    let path = format!("/api/sessions/{}", session_view["id"].as_str().expect("an id"));
    assert!(names(&api.get(&format!("{path}/configuration"))).contains(&"mail/send".to_owned()));
    assert_eq!(api.refused("DELETE", &path, None), (409, "CONFLICT".to_owned()));
}

/// The session exists for as long as the connection of the other process.
#[test]
fn an_mcp_connection_over_stdio_is_a_session_of_the_project() {
    let world = world();
    let api = Api::start(&world);
    let agent = Agent::legacy(&world, &[]);
    wait_until("the session is listed", || {
        api.get("/api/sessions")["sessions"][0]["kind"] == "stdio"
    });
    let id = api.get("/api/sessions")["sessions"][0]["id"].as_str().expect("an id").to_owned();
    let cached = api.get(&format!("/api/sessions/{id}/configuration"));
    assert_eq!(cached["configuration"]["source"], "cached");
    assert!(names(&cached).contains(&"mail/send".to_owned()));
    agent.end();
    assert_eq!(api.get("/api/sessions")["sessions"], json!([]));
    let killed = Agent::legacy(&world, &[]);
    wait_until("the session is listed", || {
        api.get("/api/sessions")["sessions"][0]["kind"] == "stdio"
    });
    drop(killed);
    wait_until("the session is removed", || api.get("/api/sessions")["sessions"] == json!([]));
}

/// M-14d: with `eager`, opening a session starts its servers and lists their tools again.
#[test]
fn an_eager_session_starts_and_refreshes_its_servers() {
    let world = world();
    let api = Api::start(&world);
    let lazy = api.done("POST", "/api/sessions", Some(json!({"name": "lazy"})));
    assert!(lazy.get("servers").is_none(), "{lazy}");
    assert_eq!(api.get("/api/servers/mail")["server"]["state"], "ready");
    let mut more = mail();
    let news = json!({"name": "news", "inputSchema": {"type": "object"}});
    more.as_array_mut().expect("a list").push(news);
    let _world = world.file("mail.tools.json", &more.to_string());
    let eager = api.done("POST", "/api/sessions", Some(json!({"eager": true})));
    assert_eq!(eager["servers"], json!([{"id": "mail", "state": "running"}]));
    assert_eq!(api.get("/api/servers/mail")["server"]["state"], "idle");
    let id = eager["session"]["id"].as_str().expect("an id");
    let configuration = api.get(&format!("/api/sessions/{id}/configuration"));
    assert_eq!(configuration["configuration"]["source"], "runtime");
    assert!(names(&configuration).contains(&"mail/news".to_owned()), "{configuration}");
}

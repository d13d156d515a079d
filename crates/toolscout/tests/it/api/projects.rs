//! Several projects in one process.

use super::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

/// The current project `project` with a tool `hello`, and beside it the project `beta` with a tool
/// `bye` and a server `mail`.
pub(super) fn two_projects(world: World) -> World {
    let mail = entry(&world, "mail");
    world
        .echo("tools/hello.tool.toml", "hello", "description = \"Say hello\"")
        .file("../beta/package.json", "{}")
        .echo("../beta/tools/bye.tool.toml", "bye", "description = \"Say goodbye\"")
        .file("../beta/toolscout.toml", &mail)
}

/// The entry of a well-behaved server.
pub(super) fn entry(world: &World, id: &str) -> String {
    let words = world.hostile(id, "honest", &[]);
    format!("[servers.{id}]\ncommand = {}\nargs = {}\n", json!(words[0]), json!(words[1..]))
}

pub(super) fn start(world: &World) -> Api {
    world.run(&["--project", "../beta", "server", "refresh"]).exits(0);
    Api::start_with(world, &["--projects", "../beta"])
}

fn tool_names(api: &Api, path: &str) -> Vec<String> {
    let tools = api.get(path)["tools"].as_array().expect("tools").clone();
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn ids(api: &Api) -> Vec<Value> {
    let projects = api.get("/api/projects")["projects"].as_array().expect("projects").clone();
    projects.iter().map(|project| project["id"].clone()).collect()
}

/// M-15a
#[test]
fn every_project_has_the_routes_of_the_api_at_its_own_path() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let projects = api.get("/api/projects")["projects"].clone();
    assert_eq!(
        projects[0],
        json!({"id": "project", "name": "project", "current": true, "trusted": true, "servers": 0, "tools": 1})
    );
    assert_eq!((&projects[1]["id"], &projects[1]["current"]), (&json!("beta"), &json!(false)));
    assert_eq!(api.get("/api/projects/beta")["project"], projects[1]);
    assert_eq!(tool_names(&api, "/api/tools"), ["hello"]);
    assert_eq!(tool_names(&api, "/api/projects/project/tools"), ["hello"]);
    let beta = tool_names(&api, "/api/projects/beta/tools");
    assert!(beta.contains(&"bye".to_owned()) && beta.contains(&"echo".to_owned()), "{beta:?}");
    assert!(!beta.contains(&"hello".to_owned()), "{beta:?}");
    let call = json!({"name": "bye", "arguments": {}});
    assert_eq!(
        api.refused("POST", "/api/call", Some(call.clone())),
        (404, "RESOURCE_NOT_FOUND".to_owned())
    );
    api.done("POST", "/api/projects/beta/call", Some(call));
    let found = api.get("/api/projects/beta/search?q=goodbye")["results"][0].clone();
    assert_eq!(found["id"], "local/bye", "{found}");
}

/// M-15a
#[test]
fn an_unknown_project_or_route_is_not_found() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    for (method, path) in [
        ("GET", "/api/projects/nobody"),
        ("GET", "/api/projects/nobody/servers"),
        ("POST", "/api/projects/nobody/servers"),
        ("GET", "/api/projects/nobody/configuration"),
    ] {
        let answer = api.web.send(method, path, &[&api.operator], "{}");
        assert_eq!(
            (answer.status, answer.message()),
            (404, json!({"error": "Project not found", "code": "RESOURCE_NOT_FOUND"})),
            "{method} {path}"
        );
    }
    let unknown = api.web.send("GET", "/api/projects/beta/nothing", &[&api.operator], "");
    assert_eq!((unknown.status, &unknown.message()["error"]), (404, &json!("not found")));
    let method = api.web.send("DELETE", "/api/projects/beta/servers", &[&api.operator], "");
    assert_eq!(method.status, 405);
    assert_eq!(api.web.send("GET", "/api/projects/beta/servers", &[], "").status, 401);
    assert_eq!(api.web.send("GET", "/api/projects/nobody/servers", &[], "").status, 401);
}

/// M-15a: an agent's token changes nothing, in any project.
#[test]
fn agents_change_nothing_in_any_project() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let requests = [
        ("POST", "/api/projects/beta/servers"),
        ("DELETE", "/api/projects/beta/servers/mail"),
        ("POST", "/api/projects/beta/servers/mail/control"),
        ("PUT", "/api/projects/beta/configuration"),
        ("PUT", "/api/projects/beta/policies"),
        ("GET", "/api/projects/beta/audit"),
    ];
    for (method, path) in requests {
        let answer = api.web.send(method, path, &[&api.agent], "{}");
        assert_eq!(
            (answer.status, &answer.message()["code"]),
            (403, &json!("FORBIDDEN")),
            "{path}"
        );
    }
}

/// M-15c
#[test]
fn every_project_has_its_own_mcp_endpoint() {
    let world = two_projects(World::trusted()).append_config("listed = [\"local/*\"]");
    let beta = format!("listed = [\"local/*\"]\n{}", entry(&world, "mail"));
    let world = world.file("../beta/toolscout.toml", &beta);
    let api = start(&world);
    assert!(
        api.web.startup_output.contains(&format!("http://{}/projects/beta/mcp", api.web.addr)),
        "{}",
        api.web.startup_output
    );
    let listed = |path: &str| api.web.session(path, &[&api.agent]).listed();
    assert_eq!(listed("/mcp"), ["local__hello"]);
    assert_eq!(listed("/projects/project/mcp"), ["local__hello"]);
    let beta = listed("/projects/beta/mcp");
    assert!(beta.contains(&"local__bye".to_owned()), "{beta:?}");
    assert!(!beta.contains(&"local__hello".to_owned()), "{beta:?}");
    let text = |path: &str| {
        let mut session = api.web.session(path, &[&api.agent]);
        session.text("execute_tool", json!({"name": "mail/echo", "arguments": {"text": "x"}}))
    };
    assert_eq!(text("/projects/beta/mcp"), "x");
    // A session belongs to its project.
    let sessions = api.get("/api/projects/beta/sessions")["sessions"].clone();
    assert_eq!((&sessions[0]["kind"], &sessions[0]["project"]), (&json!("mcp"), &json!("beta")));
    assert_eq!(api.web.send("POST", "/projects/nobody/mcp", &[&api.agent], "{}").status, 404);
}

/// M-15d
#[test]
fn the_user_configuration_names_further_projects() {
    let world = two_projects(World::trusted());
    let world = world
        .file("../config/config.toml", "[serve]\nprojects = [\"../beta\", \"../gone\"]\n")
        .file("toolscout.toml", "[serve]\nprojects = [\"../elsewhere\"]\n");
    let api = Api::start(&world);
    assert_eq!(ids(&api), ["project", "beta"]);
    let output = &api.web.startup_output;
    assert!(output.contains("/gone is not served"), "{output}");
    // A project cannot make its operator serve another folder.
    assert!(output.contains("`serve.projects` is set, which is allowed only in your"), "{output}");
}

/// M-15d
#[test]
fn projects_named_on_the_command_line_must_exist_and_need_http() {
    let world = two_projects(World::trusted()).file("../gamma/package.json", "{}");
    let bad = world.run(&["serve", "--http", "127.0.0.1:0", "--projects", "../gone"]).exits(2);
    bad.stderr_contains(&["`../gone` is not a folder", "hint:"]);
    let stdio = world.run(&["serve", "--projects", "../beta"]).exits(2);
    stdio.stderr_contains(&["--projects needs --http"]);
    let word = world.run(&["serve", "--http", "127.0.0.1:0", "../beta"]).exits(2);
    word.stderr_contains(&["unexpected argument `../beta`", "--projects DIR"]);
    let several =
        ["serve", "--http", "127.0.0.1:0", "--dry-run", "--projects", "../beta", "../gamma"];
    world.run(&several).exits(0).stderr_contains(&["serve the tools of 3 projects"]);
    // Outside of a project, only the named ones are served.
    let world = world.in_folder("..");
    let api = Api::start_with(&world, &["--projects", "beta", "gamma", "beta"]);
    assert_eq!(ids(&api), ["beta", "gamma"]);
}

/// M-15e
#[test]
fn an_untrusted_project_is_shown_and_starts_nothing() {
    let world = two_projects(World::project());
    world.run(&["trust"]).exits(0);
    let world = world.file("../beta/tools/probe.sh", "#!/bin/sh\n");
    let api = Api::start_with(&world, &["--projects", "../beta"]);
    let projects = api.get("/api/projects")["projects"].clone();
    assert_eq!((&projects[0]["trusted"], &projects[1]["trusted"]), (&json!(true), &json!(false)));
    assert_eq!(
        api.refused(
            "POST",
            "/api/projects/beta/servers/mail/control",
            Some(json!({"action": "start"}))
        ),
        (403, "POLICY_DENIED".to_owned())
    );
    assert_eq!(
        api.refused("POST", "/api/projects/beta/call", Some(json!({"name": "bye"}))),
        (403, "POLICY_DENIED".to_owned())
    );
    assert_eq!(world.starts("mail"), 0);
}

/// A command in the folder of any served project reaches this process.
#[test]
fn commands_in_every_project_reach_the_process_that_serves_it() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let start = ["--project", "../beta", "server", "start", "mail"];
    wait_until("the process hosts the servers of the other project", || {
        world.run(&start).code == 0
    });
    assert_eq!(api.get("/api/projects/beta/servers/mail")["server"]["state"], "idle");
    let link = world.run(&["--project", "../beta", "ui", "link"]).exits(0).out;
    assert!(link.starts_with(&format!("http://{}/", api.web.addr)), "{link}");
}

/// M-15n: a project that cannot be started does not end the process that serves the others.
#[test]
fn a_project_that_fails_to_start_does_not_end_the_others() {
    let world = two_projects(World::trusted())
        .file("../beta/toolscout.toml", "strict = true\n")
        .file("../beta/tools/broken.tool.toml", "name = [\n");
    let api = Api::start_with(&world, &["--projects", "../beta"]);
    assert_eq!(ids(&api), [json!("project")]);
    assert_eq!(tool_names(&api, "/api/tools"), ["hello"]);
}

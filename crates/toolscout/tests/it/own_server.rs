//! 1. An application serves its own tools: listed tools keep their names, and search finds the
//!    others.
//! 2. Tools can be added and removed at runtime, and clients are notified.
//! 3. Code can add tools for a single request.
//! 4. The serve, CLI, registry and discovery plugins work without each other.

use crate::requests::{Serving, text};
use crate::serve::Agent;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use toolscout::surface::codes::Exit;
use toolscout::{App, AppBuilder, Environment, plugins};
use toolscout_hostile::example;

/// An agent connected to the example, in an empty world.
fn agent(world: &World) -> Agent {
    agent_with(world, &[])
}

fn agent_with(world: &World, args: &[&str]) -> Agent {
    let mut command = world.program_command(&example("own_server").display().to_string());
    command.arg("serve").args(args);
    Agent::spawn(command).greeting(json!({}))
}

/// X-01: a listed tool keeps its bare name, and no tool of the library is listed.
#[test]
fn listed_tools_of_an_application_keep_their_names_and_others_are_hidden() {
    let world = World::bare();
    let mut agent = agent(&world);
    assert_eq!(agent.listed(), ["execute_tool", "help", "tool_search"]);
    assert_eq!(agent.text("help", json!({})), "10 tools");
    let list = agent.request("tools/list", json!({}));
    let help = list["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|tool| tool["name"] == "help")
        .expect("help");
    assert_eq!(
        help["inputSchema"]["properties"]["retire"]["description"],
        "Take this tool away, for everybody"
    );
}

/// X-02, X-04
#[test]
fn hidden_tools_are_found_with_their_schema_and_can_be_called() {
    let world = World::bare();
    let mut agent = agent(&world);
    let hits: Value =
        serde_json::from_str(&agent.text("tool_search", json!({"query": "email"}))).expect("JSON");
    let hits = hits.as_array().expect("a list");
    assert!(
        ["list_emails", "send_email"]
            .iter()
            .all(|name| hits.iter().any(|hit| hit["name"] == **name)),
        "{hits:?}"
    );
    assert!(hits.iter().all(|hit| hit["inputSchema"]["type"] == "object"), "{hits:?}");
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    let output = agent.text("execute_tool", json!({"name": "send_email", "arguments": mail}));
    assert_eq!(output, format!("send_email: {mail}"));
    let refused =
        agent.call("execute_tool", json!({"name": "send_email", "arguments": {"to": "a"}}));
    assert!(
        refused["isError"] == true
            && refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("subject"))
    );
}

/// M-11a, M-11c: over both ways to call a tool.
#[test]
fn a_tool_in_code_refuses_empty_required_strings_and_unknown_arguments() {
    let world = World::bare();
    let mut agent = agent(&world);
    let mail = json!({"to": "a", "subject": "", "body": "c"});
    let refused = agent.call("execute_tool", json!({"name": "send_email", "arguments": mail}));
    assert_eq!(refused["isError"], true, "{refused}");
    let text = refused["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("required parameter cannot be empty: subject"), "{text}");
    let refused = agent.call("send_email", mail);
    assert_eq!(
        (&refused["isError"], &refused["content"][0]["text"]),
        (&json!(true), &json!("required parameter cannot be empty: subject"))
    );
    let mail = json!({"to": "a", "subject": "b", "body": "c", "zz": 1});
    let refused = agent.call("execute_tool", json!({"name": "send_email", "arguments": mail}));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("zz")));
}

/// X-02 with the profile `ladder`: `list_emails` is the first result for an agent and on the
/// command line.
#[test]
fn the_ladder_profile_keeps_its_first_results() {
    let world = World::bare();
    let mut agent = agent_with(&world, &["--ranking", "ladder"]);
    let result = agent.call("tool_search", json!({"query": "email"}));
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "one text block: {result}");
    assert_eq!(result["structuredContent"]["results"][0]["name"], "list_emails", "{result}");
    let program = example("own_server").display().to_string();
    let found = Outcome::run(world.program_command(&program).args([
        "search",
        "email",
        "--profile",
        "ladder",
        "--json",
    ]))
    .exits(0);
    assert_eq!(found.json()[0]["name"], "list_emails", "{found:?}");
}

/// X-11, N-01: the meta tools disappear with the last hidden tool and return with the first.
/// Clients are notified once each time.
#[test]
fn tools_can_be_added_and_removed_at_runtime() {
    let world = World::bare();
    let mut agent = agent(&world);
    agent.listed();
    for (name, ..) in crate::serve::LIBRARY {
        agent.text("help", json!({"retire": name}));
    }
    assert_eq!(agent.text("help", json!({})), "0 tools");
    let notification = agent.wait_for("notifications/tools/list_changed");
    assert!(notification.get("id").is_none(), "{notification}");
    while agent.listed() != ["help"] {
        agent.wait_for("notifications/tools/list_changed");
    }
    let fault = agent.request_error(
        "tools/call",
        json!({"name": "tool_search", "arguments": {"query": "email"}}),
    );
    assert_eq!(fault["code"], -32602);
    agent.text("help", json!({"restore": "sql_query"}));
    agent.wait_for("notifications/tools/list_changed");
    while agent.listed() != ["execute_tool", "help", "tool_search"] {
        agent.wait_for("notifications/tools/list_changed");
    }
    assert_eq!(
        agent.text("execute_tool", json!({"name": "sql_query", "arguments": {"target": "x"}})),
        r#"sql_query: {"target":"x"}"#
    );
    let output = agent.text("execute_tool", json!({"name": "send_email"}));
    assert!(output.starts_with("Tool not found: send_email"), "{output}");
}

/// P-01, P-02: no other request has these tools.
#[test]
fn code_can_add_tools_for_one_request() {
    let world = World::bare();
    let mut serving =
        Serving::spawn(world.program_command(&example("own_server").display().to_string()));
    let alice = [("X-User-ID", "alice")];
    let found = serving.call(&alice, "tool_search", json!({"query": "saved"}));
    assert!(text(&found).contains("The saved queries of alice"), "{found}");
    let ran = serving.call(&alice, "execute_tool", json!({"name": "my_saved_queries"}));
    assert_eq!(text(&ran), "alice has saved nothing yet");
    for other in [&[][..], &[("X-User-ID", "bob")]] {
        let found = serving.call(other, "tool_search", json!({"query": "saved"}));
        assert!(!text(&found).contains("alice"), "{found}");
        assert_eq!(serving.listed(other), ["execute_tool", "help", "tool_search"]);
    }
    let ran = serving.call(&[], "execute_tool", json!({"name": "my_saved_queries"}));
    assert!(text(&ran).starts_with("Tool not found: my_saved_queries."), "{ran}");
}

async fn help_of(app: AppBuilder) -> String {
    let world = World::bare();
    let (environment, captured) = Environment::captured(&world.path(""), &[]);
    let app = app.environment(environment).build().expect("the app builds");
    assert_eq!(app.run(["--help"]).await, Exit::Done, "{}", captured.err());
    captured.out()
}

/// B-25: help lists only the commands of the included plugins.
#[tokio::test]
async fn the_serve_and_cli_plugins_work_without_each_other() {
    let has = |help: &str, command: &str| {
        help.lines().any(|line| line.trim_start().starts_with(&format!("{command} ")))
    };
    let alone =
        help_of(App::builder("own").plugin(plugins::Registry::default()).plugin(plugins::Serve))
            .await;
    assert!(has(&alone, "serve") && !has(&alone, "search") && !has(&alone, "discover"), "{alone}");
    let cli =
        help_of(App::builder("own").plugin(plugins::Registry::default()).plugin(plugins::Cli))
            .await;
    assert!(has(&cli, "search") && !has(&cli, "serve"), "{cli}");
    let folder =
        help_of(App::builder("own").plugin(plugins::Discovery::default()).plugin(plugins::Serve))
            .await;
    assert!(
        has(&folder, "serve") && has(&folder, "discover") && !has(&folder, "search"),
        "{folder}"
    );
    let requests =
        help_of(App::builder("own").plugin(plugins::Requests::default()).plugin(plugins::Serve))
            .await;
    assert!(has(&requests, "serve"), "{requests}");
}

//! 1. An application's own tools are served: what it lists keeps its name, the rest is found by search.
//! 2. Tools come and go while it runs, and clients hear of it.
//! 3. Code gives tools to one request that no other has.
//! 4. Server, command line, registry and discovery: each without the others.

use crate::requests::{Serving, text};
use crate::serve::Agent;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use toolscout::surface::codes::Exit;
use toolscout::{App, AppBuilder, Environment, plugins};
use toolscout_hostile::example;

/// An agent of the example, in a world that has nothing for it.
fn agent(world: &World) -> Agent {
    agent_with(world, &[])
}

fn agent_with(world: &World, args: &[&str]) -> Agent {
    let mut command = world.other(&example("own_server").display().to_string());
    command.arg("serve").args(args);
    Agent::of(command).greeting(json!({}))
}

/// X-01: a native tool keeps its bare name, and none of the library is listed.
#[test]
fn what_an_application_lists_keeps_its_name_and_the_rest_is_hidden() {
    let world = World::bare();
    let mut agent = agent(&world);
    assert_eq!(agent.listed(), ["execute_tool", "help", "tool_search"]);
    assert_eq!(agent.text("help", json!({})), "10 tools");
    let list = agent.request("tools/list", json!({}));
    let help = list["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["name"] == "help")
        .expect("help");
    assert_eq!(
        help["inputSchema"]["properties"]["retire"]["description"],
        "Take this tool away, for everybody"
    );
}

/// X-02, X-04: the library is found, and run.
#[test]
fn what_is_hidden_is_found_with_its_schema_and_run() {
    let world = World::bare();
    let mut agent = agent(&world);
    let hits: Value =
        serde_json::from_str(&agent.text("tool_search", json!({"query": "email"}))).expect("JSON");
    let hits = hits.as_array().expect("a list");
    assert!(
        ["list_emails", "send_email"].iter().all(|name| hits.iter().any(|it| it["name"] == **name)),
        "{hits:?}"
    );
    assert!(hits.iter().all(|it| it["inputSchema"]["type"] == "object"), "{hits:?}");
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    let said = agent.text("execute_tool", json!({"name": "send_email", "arguments": mail}));
    assert_eq!(said, format!("send_email: {mail}"));
    let refused =
        agent.call("execute_tool", json!({"name": "send_email", "arguments": {"to": "a"}}));
    assert!(
        refused["isError"] == true
            && refused["content"][0]["text"].as_str().is_some_and(|it| it.contains("subject"))
    );
}

/// X-02 with the profile `ladder`: `list_emails` first, for an agent and at a command line.
#[test]
fn the_ladder_finds_the_same_first_as_ever() {
    let world = World::bare();
    let mut agent = agent_with(&world, &["--ranking", "ladder"]);
    let result = agent.call("tool_search", json!({"query": "email"}));
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "one text block: {result}");
    assert_eq!(result["structuredContent"]["results"][0]["name"], "list_emails", "{result}");
    let program = example("own_server").display().to_string();
    let found = Outcome::of(world.other(&program).args([
        "search",
        "email",
        "--profile",
        "ladder",
        "--json",
    ]))
    .exits(0);
    assert_eq!(found.json()[0]["name"], "list_emails", "{found:?}");
}

/// X-11, N-01: with the last hidden tool the two tools go, with the first they come; each time clients are told, once.
#[test]
fn tools_come_and_go_while_it_runs() {
    let world = World::bare();
    let mut agent = agent(&world);
    agent.listed();
    for (name, ..) in crate::serve::LIBRARY {
        agent.text("help", json!({"retire": name}));
    }
    assert_eq!(agent.text("help", json!({})), "0 tools");
    let news = agent.told("notifications/tools/list_changed");
    assert!(news.get("id").is_none(), "{news}");
    while agent.listed() != ["help"] {
        agent.told("notifications/tools/list_changed");
    }
    let fault =
        agent.fault("tools/call", json!({"name": "tool_search", "arguments": {"query": "email"}}));
    assert_eq!(fault["code"], -32602);
    agent.text("help", json!({"restore": "sql_query"}));
    agent.told("notifications/tools/list_changed");
    while agent.listed() != ["execute_tool", "help", "tool_search"] {
        agent.told("notifications/tools/list_changed");
    }
    assert_eq!(
        agent.text("execute_tool", json!({"name": "sql_query", "arguments": {"target": "x"}})),
        r#"sql_query: {"target":"x"}"#
    );
    let gone = agent.text("execute_tool", json!({"name": "send_email"}));
    assert!(gone.starts_with("Tool not found: send_email"), "{gone}");
}

/// P-01, P-02: what code gives to one request, no other has.
#[test]
fn code_gives_tools_to_one_request() {
    let world = World::bare();
    let mut serving = Serving::of(world.other(&example("own_server").display().to_string()));
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
    let app = app.environment(environment).build().expect("the plugins fit together");
    assert_eq!(app.run(["--help"]).await, Exit::Done, "{}", captured.err());
    captured.out()
}

/// B-25: each of them without the others; what is there works, and what is not there is not offered.
#[tokio::test]
async fn a_server_needs_no_command_line_and_a_command_line_no_server() {
    let has = |help: &str, command: &str| {
        help.lines().any(|it| it.trim_start().starts_with(&format!("{command} ")))
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

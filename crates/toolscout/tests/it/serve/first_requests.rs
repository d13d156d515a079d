//! The first list and the first search of a client wait for servers that are still loading.

use super::Agent;
use super::web::Web;
use crate::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LISTED: &str = "visibility = \"listed\"";

/// A project whose server `slow` was never discovered, and waits until it is released.
fn loading(settings: &str) -> World {
    let world = World::trusted().file("toolscout.toml", settings);
    let words = world.breakable_command("slow", "honest", &[]);
    world.entry("slow", &words, LISTED).delay_server("slow")
}

/// M-14a
#[test]
fn the_first_list_of_a_client_waits_for_a_loading_server() {
    let world = loading("");
    let mut agent = Agent::legacy(&world, &[]);
    let request = agent.send_request("tools/list", json!({}));
    world.wait_until_delayed("slow");
    world.release_server("slow");
    let answer = agent.answer(request)["result"].to_string();
    assert!(answer.contains("slow__add"), "{answer}");
}

/// M-14a
#[test]
fn the_first_search_of_a_client_waits_for_a_loading_server() {
    let world = loading("");
    let mut agent = Agent::modern(&world, &["--meta-tools", "always"]);
    let arguments = json!({"query": "add two numbers", "detail": "names"});
    let request =
        agent.send_request("tools/call", json!({"name": "tool_search", "arguments": arguments}));
    world.wait_until_delayed("slow");
    world.release_server("slow");
    let answer = agent.answer(request)["result"].to_string();
    assert!(answer.contains("slow/add") && !answer.contains("still loading"), "{answer}");
}

/// M-14b: the wait is limited, happens once for each client and kind of request, and a search
/// names the servers that it could not wait for.
#[test]
fn the_first_requests_of_a_client_wait_for_a_limited_time() {
    let world = loading("serve = { wait_for_discovery = 2 }\n");
    let web = Web::open(&world, &["--meta-tools", "always"]);
    world.wait_until_delayed("slow");
    let mut session = web.session("/mcp", &[]);
    let mut timed = |method: &str, params: Value| {
        let started = Instant::now();
        (session.answer(method, params)["result"].to_string(), started.elapsed())
    };
    let search = json!({"name": "tool_search", "arguments": {"query": "add"}});
    let wait = Duration::from_secs(2);
    for (method, params, part) in
        [("tools/list", json!({}), "tool_search"), ("tools/call", search, "still loading: slow")]
    {
        let (answer, first) = timed(method, params.clone());
        assert!(first >= wait && answer.contains(part), "{answer} after {first:?}");
        let (_, second) = timed(method, params);
        assert!(second < wait, "the second {method} took {second:?}");
    }
    world.release_server("slow");
}

/// M-14c
#[test]
fn nothing_waits_if_the_setting_is_zero() {
    let world = loading("serve = { wait_for_discovery = 0 }\n");
    let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
    assert_eq!(agent.listed(), ["execute_tool", "tool_search"]);
    world.wait_until_delayed("slow");
    world.release_server("slow");
    let world = World::trusted().file("toolscout.toml", "serve = { wait_for_discovery = 61 }\n");
    world.run(&["tools"]).stderr_contains(&["wait_for_discovery", "from 0 to 60"]);
}

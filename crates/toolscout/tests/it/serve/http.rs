//! 1. Over HTTP agents see what they see over pipes, and come in with a token that was made for them.
//! 2. Nobody is let in by mistake: not from other computers without a token, not under a foreign name.
//! 3. Told to end, it answers what it was asked before.

use super::library;
use super::web::{Client, Web};
use crate::world::World;
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const BOTH: [&str; 2] = ["execute_tool", "tool_search"];

/// A token is made once, shown once, and kept for its owner alone.
#[test]
fn the_first_run_makes_a_token_and_shows_it_once() {
    let world = library();
    let web = Web::start(&world, &[]);
    let token = web.token();
    let file = world.outside().join("state/agent.token");
    assert_eq!(fs::read_to_string(&file).expect("it is kept").trim(), token);
    assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o600);
    let pasted =
        format!("claude mcp add --transport http toolscout http://{}/mcp --header", web.addr);
    assert!(web.said.contains(&pasted), "{}", web.said);
    assert!(web.said.contains("Web UI: run `toolscout ui`"), "{}", web.said);
    let again = Web::start(&world, &[]);
    assert!(!again.said.contains(&token), "{}", again.said);
    assert!(again.said.contains("agent.token"), "{}", again.said);
    assert_eq!(again.session("/mcp", &[&format!("Authorization: Bearer {token}")]).listed(), BOTH);
}

/// Who has the token is served as over pipes; who has not is told what is missing.
#[test]
fn who_has_the_token_comes_in_and_nobody_else() {
    let world = library();
    let web = Web::start(&world, &[]);
    let bearer = format!("Authorization: Bearer {}", web.token());
    let mut session = web.session("/mcp", &[&bearer]);
    assert_eq!(session.listed(), BOTH);
    assert!(session.text("tool_search", json!({"query": "email"})).contains("local/send_email"));
    let sent =
        session.call("execute_tool", json!({"name": "sql_query", "arguments": {"target": "x"}}));
    assert!(sent["isError"] != true, "{sent}");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for headers in [&[][..], &["Authorization: Bearer ts_0123456789abcdef0123456789abcdef"]] {
        let answer = web.post("/mcp", headers, &hello);
        assert_eq!(answer.status, 401, "{answer:?}");
        assert!(
            answer.header("www-authenticate").is_some_and(|it| it.starts_with("Bearer")),
            "{answer:?}"
        );
        assert!(!answer.body.contains("tool_search"), "{answer:?}");
    }
}

/// everything, for who asks for it.
#[test]
fn a_client_may_ask_to_see_everything() {
    let world = library();
    let web = Web::open(&world, &[]);
    for (path, headers) in [("/mcp", &["X-MCP-Show-All: TRUE"][..]), ("/mcp?show_all=true", &[])] {
        let listed = web.session(path, headers).listed();
        assert_eq!(listed.len(), 10, "{path}: {listed:?}");
        assert!(listed.iter().all(|it| it.starts_with("local__")), "{listed:?}");
    }
    assert_eq!(web.session("/mcp", &["X-MCP-Show-All: no"]).listed(), BOTH);
}

/// A token file that others could read has been read by them.
#[test]
fn a_token_that_others_can_read_is_not_used() {
    let world = World::trusted();
    world.run(&["tools"]).exits(0);
    let file = world.outside().join("state/agent.token");
    fs::write(&file, "ts_0123456789abcdef0123456789abcdef\n").expect("write it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("open it");
    world.run(&["serve", "--http", "127.0.0.1:0"]).exits(2).says(&["others than you", "rm '"]);
}

/// Without a token only this machine is served, and only under its own names.
#[test]
fn nobody_else_is_served_without_a_token() {
    let world = library();
    let refused = world.run(&["serve", "--http", "0.0.0.0:0", "--auth", "none"]).exits(2);
    refused.says(&["can be reached from other computers", "--auth token", "127.0.0.1"]);
    let web = Web::open(&world, &[]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp", &["Host: evil.example.com"], &ping).status, 403);
    assert_eq!(web.post("/mcp", &["Origin: https://evil.example.com"], &ping).status, 403);
    let named = Web::open(
        &world,
        &["--allow-host", "tools.example.com", "--allow-origin", "https://app.example.com"],
    );
    let mut known =
        named.session("/mcp", &["Host: tools.example.com", "Origin: https://app.example.com"]);
    assert_eq!(known.listed(), BOTH);
}

#[test]
fn mistakes_on_the_command_line_say_what_to_type() {
    let world = library();
    world
        .run(&["serve", "--auth", "none"])
        .exits(2)
        .says(&["--auth needs --http", "--http 127.0.0.1:7420"]);
    world
        .run(&["serve", "--http", "nonsense"])
        .exits(2)
        .says(&["`nonsense` is no address", "--http 127.0.0.1:7420"]);
    let jwt = ["serve", "--http", "127.0.0.1:0", "--auth", "jwt"];
    world.run(&jwt).exits(2).says(&["whose tokens count", "--issuer URL --audience URL"]);
    world
        .run(&[&jwt[..3], &["--issuer", "https://a.example"]].concat())
        .exits(2)
        .says(&["are for `--auth jwt`"]);
    world.run(&[&jwt[..3], &["--auth", "sesame"]].concat()).exits(2).says(&["token, none, jwt"]);
    let taken = Web::open(&world, &[]);
    world
        .run(&["serve", "--http", &taken.addr, "--auth", "none"])
        .exits(3)
        .says(&["cannot listen on"]);
    let would = world.run(&["serve", "--http", "7420", "--dry-run"]).exits(0);
    would.says(&["Would offer the tools of this project on 127.0.0.1:7420"]);
}

/// Told to end, by another process or from the keyboard, it takes nobody new and answers what is under way.
#[test]
fn what_is_under_way_is_answered_before_it_ends() {
    for (by, code) in [(Signal::TERM, 0), (Signal::INT, 130)] {
        let world = World::trusted().server("s", "honest", &[]);
        world.run(&["server", "refresh"]).exits(0);
        let web = Web::open(&world, &[]);
        let mut session = web.session("/mcp", &[]);
        session.call("s__echo", json!({"text": "warm"}));
        let before = world.asked("s", "tools/call");
        let slow =
            session.begin("tools/call", json!({"name": "s__sleep", "arguments": {"seconds": 0.7}}));
        crate::servers::scene::until("the call has begun", || {
            world.asked("s", "tools/call") > before
        });
        drop(session);
        assert_eq!(web.ends(by), Some(code), "{by:?}");
        let answer = Client::receive(slow);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.message()["result"]["isError"] != true, "{answer:?}");
    }
}

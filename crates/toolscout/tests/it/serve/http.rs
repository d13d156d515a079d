//! 1. Over HTTP agents see the same tools as over stdio, and authenticate with a generated token.
//! 2. Requests from other computers without a token, or with an unknown host name, are refused.
//! 3. On shutdown the program finishes pending requests.

use super::library;
use super::web::{Client, Web};
use crate::world::World;
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const BOTH: [&str; 2] = ["execute_tool", "tool_search"];

/// V-33: the token is created in a file that only its owner can read. It is not in the output,
/// because that is no terminal and may be kept in a log.
#[test]
fn the_first_run_creates_a_token_and_does_not_log_it() {
    let world = library();
    let web = Web::start(&world, &[]);
    let token = web.token();
    let file = world.temp_dir().join("state/agent.token");
    assert_eq!(fs::metadata(&file).expect("the token exists").permissions().mode() & 0o777, 0o600);
    for text in ["agent.token", "toolscout token create"] {
        assert!(web.startup_output.contains(text), "{}", web.startup_output);
    }
    assert!(!web.startup_output.contains(&token), "{}", web.startup_output);
    assert!(web.startup_output.contains("Web UI: run `toolscout ui`"), "{}", web.startup_output);
    let again = Web::start(&world, &[]);
    assert!(!again.startup_output.contains(&token), "{}", again.startup_output);
    assert!(again.startup_output.contains("agent.token"), "{}", again.startup_output);
    assert_eq!(again.session("/mcp", &[&format!("Authorization: Bearer {token}")]).listed(), BOTH);
}

/// With the token a client is served as over stdio. Without it the response states what is missing.
#[test]
fn only_requests_with_the_token_are_accepted() {
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
            answer.header("www-authenticate").is_some_and(|header| header.starts_with("Bearer")),
            "{answer:?}"
        );
        assert!(!answer.body.contains("tool_search"), "{answer:?}");
    }
}

///
#[test]
fn a_client_may_request_the_full_tool_list() {
    let world = library();
    let web = Web::open(&world, &[]);
    for (path, headers) in [("/mcp", &["X-MCP-Show-All: TRUE"][..]), ("/mcp?show_all=true", &[])] {
        let listed = web.session(path, headers).listed();
        assert_eq!(listed.len(), 10, "{path}: {listed:?}");
        assert!(listed.iter().all(|item| item.starts_with("local__")), "{listed:?}");
    }
    assert_eq!(web.session("/mcp", &["X-MCP-Show-All: no"]).listed(), BOTH);
}

/// Other users may already have read such a token.
#[test]
fn a_token_file_readable_by_others_is_refused() {
    let world = World::trusted();
    world.run(&["tools"]).exits(0);
    let file = world.temp_dir().join("state/agent.token");
    fs::write(&file, "ts_0123456789abcdef0123456789abcdef\n").expect("write it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("open it");
    world
        .run(&["serve", "--http", "127.0.0.1:0"])
        .exits(2)
        .stderr_contains(&["other users may have", "rm '"]);
}

/// Without a token the program serves only this machine, and only under its own host names.
#[test]
fn serving_without_a_token_requires_loopback_and_known_hosts() {
    let world = library();
    let refused = world.run(&["serve", "--http", "0.0.0.0:0", "--auth", "none"]).exits(2);
    refused.stderr_contains(&["is reachable from other machines", "--auth token", "127.0.0.1"]);
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
fn usage_errors_of_serve_suggest_a_fix() {
    let world = library();
    world
        .run(&["serve", "--auth", "none"])
        .exits(2)
        .stderr_contains(&["--auth needs --http", "--http 127.0.0.1:7420"]);
    world
        .run(&["serve", "--http", "nonsense"])
        .exits(2)
        .stderr_contains(&["`nonsense` is not an address to listen on", "--http 127.0.0.1:7420"]);
    let jwt = ["serve", "--http", "127.0.0.1:0", "--auth", "jwt"];
    world
        .run(&jwt)
        .exits(2)
        .stderr_contains(&["needs --issuer and --audience", "--issuer URL --audience URL"]);
    world
        .run(&[&jwt[..3], &["--issuer", "https://a.example"]].concat())
        .exits(2)
        .stderr_contains(&["need `--auth jwt`"]);
    world
        .run(&[&jwt[..3], &["--auth", "sesame"]].concat())
        .exits(2)
        .stderr_contains(&["token, none, jwt"]);
    let taken = Web::open(&world, &[]);
    world
        .run(&["serve", "--http", &taken.addr, "--auth", "none"])
        .exits(3)
        .stderr_contains(&["cannot listen on"]);
    let would = world.run(&["serve", "--http", "7420", "--dry-run"]).exits(0);
    would.stderr_contains(&["Would serve the tools of this project on 127.0.0.1:7420"]);
}

/// After a signal from another process or from the keyboard, it accepts no new requests and
/// finishes pending ones.
#[test]
fn pending_calls_finish_before_shutdown() {
    for (by, code) in [(Signal::TERM, 0), (Signal::INT, 130)] {
        let world = World::trusted().server("s", "honest", &[]);
        world.run(&["server", "refresh"]).exits(0);
        let web = Web::open(&world, &[]);
        let mut session = web.session("/mcp", &[]);
        session.call("s__echo", json!({"text": "warm"}));
        let before = world.request_count("s", "tools/call");
        let slow =
            session.begin("tools/call", json!({"name": "s__sleep", "arguments": {"seconds": 0.7}}));
        crate::servers::fixture::wait_until("the call has started", || {
            world.request_count("s", "tools/call") > before
        });
        drop(session);
        assert_eq!(web.ends(by), Some(code), "{by:?}");
        let answer = Client::receive(slow);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.message()["result"]["isError"] != true, "{answer:?}");
    }
}

//! Files of other programs, read in place.

use super::*;
use toolscout_core::Visibility;

#[test]
fn a_claude_code_file_is_read() {
    let world = World::with_file(
        "project/.mcp.json",
        r#"{
          // JSON with comments is fine, and so is a comma at the end.
          "mcpServers": {
            "GitHub Server": {"type": "http", "url": "${API:-https://example.com}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "files": {"type": "stdio", "command": "npx", "args": ["${workspaceFolder}/x"], "env": {"PORT": 80}, "timeout": 5000},
            "stream": {"type": "streamable-http", "url": "https://example.com", "oauth": {"clientId": "me"}, "alwaysLoad": true},
            "camel": {"type": "streamableHttp", "url": "https://example.com"},
            "old": {"type": "sse", "url": "https://example.com/sse", "disabled": true},
          },
        }"#,
    );
    let config = world.read();
    assert_eq!(ids(&config), ["github-server", "files", "stream", "camel", "old"]);
    assert_eq!(
        endpoint(&config, "github-server").headers["Authorization"].written(),
        "Bearer ${TOKEN}"
    );
    assert_eq!(config.servers[0].path, ["mcpServers", "GitHub Server"]);
    let files = program(&config, "files");
    assert_eq!(files.args[0].written(), format!("{}/x", world.path("project").display()));
    assert_eq!(files.env["PORT"].written(), "80");
    assert_eq!(
        server(&config, "files").call_timeout.map(|call_timeout| call_timeout.as_millis()),
        Some(5000)
    );
    assert_eq!(
        endpoint(&config, "stream").client_id.as_ref().map(|client_id| client_id.written()),
        Some("me")
    );
    assert_eq!(server(&config, "stream").visibility, Visibility::Listed);
    assert!(
        !endpoint(&config, "camel").sse
            && endpoint(&config, "old").sse
            && !server(&config, "old").enabled
    );
    assert_eq!(world.warnings(), [""; 0]);
    assert_eq!(world.notes(), [".mcp.json: server `GitHub Server` gets the id `github-server`"]);
}

#[test]
fn a_lace_file_is_read_despite_its_discovery_results() {
    let world = World::with_file(
        "project/.lace/mcp-config.json",
        r#"{"servers": {"fs": {
            "command": "node", "args": ["s.js"], "cwd": "sub", "enabled": false,
            "tools": {"write": "require-approval", "read": "allow-always", "rm": "disable"},
            "discoveredTools": [], "lastDiscovery": "2024", "discoveryStatus": "success", "configHash": "x",
            "discoveryTimeoutMs": 7000
        }}}"#,
    );
    let config = world.read();
    let fs = server(&config, "fs");
    assert!(!fs.enabled);
    assert_eq!(
        program(&config, "fs").cwd,
        Some(world.path("project/sub")),
        "relative to the project"
    );
    assert_eq!(
        fs.discovery_timeout.map(|discovery_timeout| discovery_timeout.as_millis()),
        Some(7000)
    );
    let words: Vec<(&str, &str)> =
        fs.policies.iter().map(|(name, policy)| (name.as_str(), policy.as_str())).collect();
    assert_eq!(words, [("read", "allow"), ("rm", "disable"), ("write", "ask")]);
    assert_eq!(world.warnings(), [""; 0]);
}

#[test]
fn an_orion_file_may_use_several_server_tables() {
    for text in [
        "mcpServers:\n  rube:\n    url: https://example.com/mcp\n",
        "mcp_servers:\n  rube:\n    url: https://example.com/mcp\n",
        "mcp:\n  servers:\n    rube:\n      url: https://example.com/mcp\n",
        "mcp:\n  other: 1\nservers:\n  - name: rube\n    url: https://example.com/mcp\n",
    ] {
        let world = World::with_file("project/.orion/config.yaml", text);
        assert_eq!(ids(&world.read()), ["rube"], "{text}");
        assert_eq!(world.warnings(), [""; 0]);
    }
}

#[test]
fn two_names_with_the_same_id_keep_the_first() {
    let world = World::with_file(
        "project/.mcp.json",
        r#"{"mcpServers": {"My Server": {"command": "a"}, "my-server": {"command": "b"}}}"#,
    );
    let config = world.read();
    assert_eq!(program(&config, "my-server").command.written(), "a");
    let warnings = world.warnings();
    assert!(
        warnings[0].contains("`my-server` and `My Server` would both get the id `my-server`"),
        "{warnings:?}"
    );
}

#[test]
fn unknown_keys_of_other_programs_are_reported_and_the_entry_is_used() {
    let world = World::with_file(
        "project/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "x", "description": "fine", "headersHelper": "/bin/x"}}}"#,
    );
    assert_eq!(ids(&world.read()), ["a"]);
    assert_eq!(
        world.warnings(),
        [".mcp.json: line 1 column 62: server `a`: unknown key `headersHelper`"]
    );
}

#[test]
fn an_entry_for_toolscout_itself_is_ignored() {
    let own = std::env::current_exe().expect("a path");
    let text = serde_json::json!({"mcpServers": {
        "a": {"command": "toolscout", "args": ["serve"]},
        "b": {"command": "/usr/local/bin/toolscout"},
        "c": {"command": own},
        "d": {"command": "other-toolscout"},
    }});
    let world = World::with_file("project/.mcp.json", &text.to_string());
    assert_eq!(ids(&world.read()), ["d"]);
    assert_eq!(world.warnings(), [""; 0]);
    assert_eq!(world.notes()[0], ".mcp.json: server `a` is toolscout itself; it is skipped");
}

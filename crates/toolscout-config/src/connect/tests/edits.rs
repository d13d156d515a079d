//! Our entry in the file of each client.

use super::{World, client, sample};
use std::fs;

fn connected(name: &str, text: Option<&str>) -> String {
    let (world, client) = (World::new(), client(name));
    if let Some(text) = text {
        world.write(client, text.as_bytes());
    }
    world.connect(client);
    fs::read_to_string(world.path(client)).expect("the file")
}

#[test]
fn a_new_file_contains_only_our_entry() {
    let usual = "{\n  \"mcpServers\": {\n    \"toolscout\": {\n      \"command\": \"/opt/bin/toolscout\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n";
    for name in ["claude-desktop", "cursor", "gemini", "windsurf", "cline"] {
        assert_eq!(connected(name, None), usual, "{name}");
    }
    assert_eq!(connected("zed", None), usual.replace("mcpServers", "context_servers"));
    let typed = usual.replace("\"command\"", "\"type\": \"stdio\",\n      \"command\"");
    assert_eq!(connected("claude-code", None), typed);
    assert_eq!(connected("vscode", None), typed.replace("mcpServers", "servers"));
    assert_eq!(
        connected("opencode", None),
        "{\n  \"mcp\": {\n    \"toolscout\": {\n      \"type\": \"local\",\n      \"command\": [\"/opt/bin/toolscout\", \"serve\"],\n      \"enabled\": true\n    }\n  }\n}\n"
    );
    assert_eq!(
        connected("codex", None),
        "[mcp_servers.toolscout]\ncommand = \"/opt/bin/toolscout\"\nargs = [\"serve\"]\n"
    );
}

#[test]
fn connecting_appends_our_entry_and_keeps_the_rest() {
    assert_eq!(
        connected("cursor", Some(&sample(client("cursor")))),
        r#"{
    "other": {"deep":[1,2 ,3]},   // mine
    "mcpServers": {
        "docs": { "command": "npx", "args": ["-y"] }, // keep
        "toolscout": {
            "command": "/opt/bin/toolscout",
            "args": ["serve"]
        }
    }
}"#
    );
    assert_eq!(
        connected("codex", Some(&sample(client("codex")))),
        r#"# mine
model = "gpt-5"   # fast

[mcp_servers.docs] # keep
command = 'npx'
args = [
  "a", # first
  "b",
]

[profiles.x]
model = "y"
# the end

[mcp_servers.toolscout]
command = "/opt/bin/toolscout"
args = ["serve"]
"#
    );
}

#[test]
fn opencode_version_2_gets_an_entry_in_its_format() {
    let text = connected("opencode", Some("{\"mcp\": {\"servers\": {}}}"));
    assert!(text.contains("\"servers\"") && !text.contains("enabled"), "{text}");
}

#[test]
fn connecting_preserves_line_endings() {
    for name in ["cursor", "codex", "zed"] {
        let text = connected(name, Some(&sample(client(name)).replace('\n', "\r\n")));
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{name}: {text:?}");
    }
}

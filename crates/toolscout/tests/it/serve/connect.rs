//! What `connect` writes for another program is what starts us.

use super::{Agent, library};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The entry that a file has for us, wherever it is.
fn entry(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(map) => map
            .get("toolscout")
            .filter(|toolscout| toolscout.is_object())
            .or_else(|| map.values().find_map(entry)),
        _ => None,
    }
}

/// The files below a folder that name us.
fn naming_us(folder: &Path, found: &mut Vec<String>) {
    for at in fs::read_dir(folder).into_iter().flatten().flatten() {
        match at.path() {
            path if path.is_dir() => naming_us(&path, found),
            path => found
                .extend(fs::read_to_string(path).ok().filter(|text| text.contains("toolscout"))),
        }
    }
}

/// Every client that is written as JSON: its entry, started as it stands there, serves.
#[test]
fn the_entry_written_by_connect_starts_a_server() {
    for client in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vscode",
        "opencode",
        "gemini",
        "windsurf",
        "zed",
    ] {
        let world = library();
        world.run(&["connect", client]).exits(0);
        let mut found = Vec::new();
        naming_us(&world.temp_dir().join("home"), &mut found);
        assert_eq!(found.len(), 1, "{client}: {found:?}");
        let file: Value = serde_json::from_str(&found[0])
            .unwrap_or_else(|error| panic!("{client}: {error}: {found:?}"));
        let entry = entry(&file).unwrap_or_else(|| panic!("{client}: {file}"));
        let words = |value: &Value| -> Vec<String> {
            let texts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            texts.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let command = entry.get("command").unwrap_or(&Value::Null);
        let line: Vec<_> = match command.get("path") {
            Some(path) => [words(path), words(&command["args"])].concat(),
            None => [words(command), entry.get("args").map(words).unwrap_or_default()].concat(),
        };
        assert!(line.len() >= 2 && line.contains(&"serve".to_owned()), "{client}: {line:?}");
        let mut command = world.program_command(&line[0]);
        command.args(&line[1..]);
        let mut agent = Agent::spawn(command);
        agent.request("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}));
        agent.notify("notifications/initialized", json!({}));
        assert_eq!(agent.listed(), ["execute_tool", "tool_search"], "{client}");
    }
}

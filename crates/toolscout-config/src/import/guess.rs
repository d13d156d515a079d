//! Guesses the client of a file that the user named: by its path, else by the structure of its
//! content.

use super::{ClientFolders, ClientFormat, clients};
use serde_json::Value;
use std::path::Path;

/// The client whose format the file has; `None` if it contains no servers.
pub(super) fn guess_client(path: &Path, document: &Value) -> Option<&'static ClientFormat> {
    let by_content = || clients::find_client(client_by_content(document)?);
    client_by_path(path).filter(|client| has_servers(client, document)).or_else(by_content)
}

/// Paths that only one program uses.
const KNOWN_PATHS: [(&str, &str); 8] = [
    ("claude_desktop_config.json", "claude-desktop"),
    (".claude.json", "claude-code"),
    (".cursor/mcp.json", "cursor"),
    (".vscode/mcp.json", "vscode"),
    (".gemini/settings.json", "gemini"),
    ("mcp_config.json", "windsurf"),
    ("cline_mcp_settings.json", "cline"),
    ("opencode.json", "opencode"),
];

fn client_by_path(path: &Path) -> Option<&'static ClientFormat> {
    KNOWN_PATHS
        .iter()
        .find(|(name, _)| path.ends_with(name))
        .and_then(|(_, client)| clients::find_client(client))
}

fn has_servers(client: &ClientFormat, document: &Value) -> bool {
    let sections = client.sections(document, &ClientFolders::default());
    sections.iter().any(|section| super::document::table(document, section).is_some())
}

fn client_by_content(document: &Value) -> Option<&'static str> {
    let is_table = |key: &str| document.get(key).is_some_and(Value::is_object);
    let keys = [
        ("mcp_servers", "codex"),
        ("context_servers", "zed"),
        ("servers", "vscode"),
        ("mcp", "opencode"),
    ];
    if let Some((_, client)) = keys.into_iter().find(|(key, _)| is_table(key)) {
        return Some(client);
    }
    let servers = document.get("mcpServers")?.as_object()?;
    let any_has = |key: &str| servers.values().any(|server| server.get(key).is_some());
    Some(match () {
        () if any_has("httpUrl") => "gemini",
        () if any_has("serverUrl") => "windsurf",
        () => "claude-code",
    })
}

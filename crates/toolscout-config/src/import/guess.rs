//! Guesses the client of a file that the user named: by its path, else by the structure of its
//! content.

use super::{ClientFolders, ClientFormat, clients};
use serde_json::Value;
use std::path::Path;

/// The client whose format the file has; `None` if it contains no servers.
pub(super) fn client(path: &Path, document: &Value) -> Option<&'static ClientFormat> {
    let by_shape = || clients::named(shape(document)?);
    by_name(path).filter(|it| has_servers(it, document)).or_else(by_shape)
}

/// Paths that only one program uses.
const NAMES: [(&str, &str); 8] = [
    ("claude_desktop_config.json", "claude-desktop"),
    (".claude.json", "claude-code"),
    (".cursor/mcp.json", "cursor"),
    (".vscode/mcp.json", "vscode"),
    (".gemini/settings.json", "gemini"),
    ("mcp_config.json", "windsurf"),
    ("cline_mcp_settings.json", "cline"),
    ("opencode.json", "opencode"),
];

fn by_name(path: &Path) -> Option<&'static ClientFormat> {
    NAMES
        .iter()
        .find(|(name, _)| path.ends_with(name))
        .and_then(|(_, client)| clients::named(client))
}

fn has_servers(client: &ClientFormat, document: &Value) -> bool {
    let sections = client.sections(document, &ClientFolders::default());
    sections.iter().any(|it| super::document::table(document, it).is_some())
}

fn shape(document: &Value) -> Option<&'static str> {
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
    let some_has = |key: &str| servers.values().any(|it| it.get(key).is_some());
    Some(match () {
        () if some_has("httpUrl") => "gemini",
        () if some_has("serverUrl") => "windsurf",
        () => "claude-code",
    })
}

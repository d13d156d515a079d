//! The formats in which other MCP clients store their servers. To add a client, add a row to
//! [`CLIENTS`].

use super::client::{ClientFormat, ClientKey, ClientPath, OwnEntry};
use super::common::BareUrl;
use super::fields::ClientFields;
use super::references::VariableSyntax;
use super::{ClientFolders, KeyPath};
use ClientKey::{
    Approval, Bearer, BearerVariable, CallTimeout, DiscoveryTimeout, Environment, ExcludeTools,
    Headers, Ignored, IncludeTools, Listed, Note, OAuth, Scopes, VariableHeaders, VariableNames,
};
use ClientPath::{Apps, Config, Home, Native, Project, Variable, VariableFile};
use serde_json::{Map, Value, json};

/// The format that most clients share.
const COMMON: ClientFormat = ClientFormat {
    name: "",
    title: "",
    files: &[],
    servers: &["mcpServers"],
    locate: None,
    syntax: VariableSyntax::Braces,
    bare_url: BareUrl::Http,
    prepare: None,
    keys: &[],
    own_entry: OwnEntry::Plain,
    is_desktop: false,
};

/// In display order.
pub static CLIENTS: [ClientFormat; 10] = [
    ClientFormat {
        name: "claude-desktop",
        title: "Claude Desktop",
        files: &[Apps("Claude/claude_desktop_config.json")],
        syntax: VariableSyntax::Plain,
        is_desktop: true,
        ..COMMON
    },
    ClientFormat {
        name: "claude-code",
        title: "Claude Code",
        files: &[Native(".mcp.json"), Variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
        locate: Some(claude_code_servers),
        keys: &[
            ("timeout", CallTimeout(1.0)),
            ("alwaysLoad", Listed),
            ("oauth", OAuth),
            (
                "headersHelper",
                Note(
                    "its `headersHelper` program is not run by toolscout: set `headers` or `bearer` instead",
                ),
            ),
        ],
        own_entry: OwnEntry::Typed,
        ..COMMON
    },
    ClientFormat {
        name: "cursor",
        title: "Cursor",
        files: &[Project(".cursor/mcp.json"), Home(".cursor/mcp.json")],
        keys: &[("auth", OAuth)],
        ..COMMON
    },
    ClientFormat {
        name: "vscode",
        title: "VS Code",
        files: &[
            Project(".vscode/mcp.json"),
            Apps("Code/User/mcp.json"),
            Apps("Code - Insiders/User/mcp.json"),
            Apps("VSCodium/User/mcp.json"),
            Variable("COPILOT_HOME", ".copilot", "mcp-config.json"),
        ],
        servers: &["servers"],
        locate: Some(vscode_servers),
        // Its origin in the gallery, and debug settings.
        keys: &[("gallery", Ignored), ("version", Ignored), ("dev", Ignored)],
        own_entry: OwnEntry::Typed,
        ..COMMON
    },
    ClientFormat {
        name: "codex",
        title: "Codex",
        files: &[Project(".codex/config.toml"), Variable("CODEX_HOME", ".codex", "config.toml")],
        servers: &["mcp_servers"],
        syntax: VariableSyntax::Plain,
        keys: &[
            ("env_vars", VariableNames),
            ("http_headers", Headers),
            ("env_http_headers", VariableHeaders),
            ("bearer_token_env_var", BearerVariable),
            ("scopes", Scopes),
            ("startup_timeout_sec", DiscoveryTimeout(1000.0)),
            ("startup_timeout_ms", DiscoveryTimeout(1.0)),
            ("tool_timeout_sec", CallTimeout(1000.0)),
            ("enabled_tools", IncludeTools),
            ("disabled_tools", ExcludeTools),
            // Whether Codex may start without it.
            ("required", Ignored),
        ],
        ..COMMON
    },
    ClientFormat {
        name: "opencode",
        title: "OpenCode",
        files: &[
            Project("opencode.json"),
            Project("opencode.jsonc"),
            Project(".opencode/opencode.json"),
            Project(".opencode/opencode.jsonc"),
            Config("opencode/opencode.json"),
            Config("opencode/opencode.jsonc"),
            VariableFile("OPENCODE_CONFIG"),
        ],
        servers: &["mcp"],
        locate: Some(opencode_servers),
        syntax: VariableSyntax::Curly,
        prepare: Some(opencode_entry),
        keys: &[
            ("bearer", Bearer),
            ("environment", Environment),
            ("timeout", DiscoveryTimeout(1.0)),
            ("oauth", OAuth),
        ],
        own_entry: OwnEntry::CommandList,
        ..COMMON
    },
    ClientFormat {
        name: "gemini",
        title: "Gemini CLI",
        files: &[Project(".gemini/settings.json"), Home(".gemini/settings.json")],
        syntax: VariableSyntax::Dollar,
        bare_url: BareUrl::Sse,
        keys: &[
            ("timeout", CallTimeout(1.0)),
            ("includeTools", IncludeTools),
            ("excludeTools", ExcludeTools),
            ("trust", Approval),
            ("oauth", OAuth),
            ("description", Ignored),
        ],
        ..COMMON
    },
    ClientFormat {
        name: "windsurf",
        title: "Windsurf",
        files: &[
            Home(".codeium/windsurf/mcp_config.json"),
            Home(".codeium/windsurf-next/mcp_config.json"),
            Home(".codeium/mcp_config.json"),
        ],
        keys: &[("disabledTools", ExcludeTools)],
        ..COMMON
    },
    ClientFormat {
        name: "zed",
        title: "Zed",
        files: &[Project(".zed/settings.json"), Config("zed/settings.json")],
        servers: &["context_servers"],
        syntax: VariableSyntax::Plain,
        prepare: Some(zed_entry),
        keys: &[("timeout", CallTimeout(1.0))],
        ..COMMON
    },
    ClientFormat {
        name: "cline",
        title: "Cline",
        files: &[
            Apps("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            Apps(
                "Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            Apps(
                "VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            Apps(
                "Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            Home(".cline/data/settings/cline_mcp_settings.json"),
        ],
        bare_url: BareUrl::Sse,
        keys: &[
            ("timeout", CallTimeout(1000.0)),
            ("autoApprove", Approval),
            ("alwaysAllow", Approval),
        ],
        ..COMMON
    },
];

/// The client with this name.
pub fn find_client(name: &str) -> Option<&'static ClientFormat> {
    CLIENTS.iter().find(|client| client.name == name)
}

fn key_path<const N: usize>(keys: [&str; N]) -> KeyPath {
    keys.map(str::to_owned).to_vec()
}

/// Servers for all projects, then those of this project, which is keyed by its path.
fn claude_code_servers(document: &Value, folders: &ClientFolders) -> Vec<KeyPath> {
    let project = folders.project.to_string_lossy();
    let for_project =
        document.get("projects").and_then(|projects| projects.get(&*project)).is_some();
    let for_project = for_project.then(|| key_path(["projects", &project, "mcpServers"]));
    [key_path(["mcpServers"])].into_iter().chain(for_project).collect()
}

/// The file that VS Code shares with other programs uses their key.
fn vscode_servers(document: &Value, _: &ClientFolders) -> Vec<KeyPath> {
    let is_shared = document.get("servers").is_none() && document.get("mcpServers").is_some();
    vec![key_path([if is_shared { "mcpServers" } else { "servers" }])]
}

/// `mcp.servers` since version 2, `mcp` before. In version 1 a server may have the name `servers`;
/// then it has a type.
fn opencode_servers(document: &Value, _: &ClientFolders) -> Vec<KeyPath> {
    let inner = document.get("mcp").and_then(|mcp| mcp.get("servers"));
    let is_version_2 = inner.is_some_and(|inner| inner.is_object() && !inner["type"].is_string());
    vec![if is_version_2 { key_path(["mcp", "servers"]) } else { key_path(["mcp"]) }]
}

/// The command is a list, and a bearer token may be in a file.
fn opencode_entry(fields: &mut ClientFields<'_>) -> Result<(), String> {
    if let Some(mut words) = fields.list("command") {
        if words.is_empty() {
            return Err("it has no command".to_owned());
        }
        let args = words.split_off(1);
        fields.add(Map::from_iter([
            ("command".to_owned(), words.remove(0)),
            ("args".to_owned(), json!(args)),
        ]));
    }
    // Our form cannot embed a file in a text, but it supports a bearer token from a file.
    if let Some(mut headers) = fields.nested_table("headers") {
        let file = headers.iter().find_map(|(name, value)| {
            let file = value
                .as_str()?
                .strip_prefix("Bearer ")?
                .strip_prefix("{file:")?
                .strip_suffix('}')?;
            name.eq_ignore_ascii_case("authorization")
                .then(|| (name.clone(), format!("{{file:{file}}}")))
        });
        if let Some((name, file)) = file {
            headers.shift_remove(&name);
            fields.add(Map::from_iter([("bearer".to_owned(), json!(file))]));
        }
        fields.add(Map::from_iter([("headers".to_owned(), Value::Object(headers))]));
    }
    Ok(())
}

/// Older files have a table for the command, and servers of extensions have none.
fn zed_entry(fields: &mut ClientFields<'_>) -> Result<(), String> {
    if let Some(mut nested) = fields.nested_table("command") {
        if let Some(path) = nested.remove("path") {
            nested.insert("command".to_owned(), path);
        }
        fields.add(nested);
    }
    let is_from_extension =
        fields.plain_text("source")?.as_deref() == Some("extension") || fields.has("settings");
    if is_from_extension && !fields.has("command") && !fields.has("url") {
        return Err("it belongs to a Zed extension, and only Zed can start it".to_owned());
    }
    Ok(())
}

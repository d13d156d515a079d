//! 1. The entries of each client, with all quirks, are converted to ours.
//! 2. Variables stay variables, in our syntax.
//! 3. Keys that are not imported are reported.
//! 4. Files are found in the folders of each system, and in those named by variables.

use super::super::{CLIENTS, ClientScan};
use super::{World, render};
use std::collections::BTreeSet;

#[test]
fn claude_desktop_entries_contain_no_variables() {
    let world = World::new().file(
        ".config/Claude/claude_desktop_config.json",
        r#"{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/ana/Documents"]
    },
    "weather": { "command": "uv", "args": ["run", "weather.py"], "env": { "REGION": "eu", "RETRIES": 3 } },
    "shell": { "command": "sh", "args": ["-c", "exec server --root ${ROOT}"], "env": { "KEY": "${WEATHER_KEY}" } }
  }
}"#,
    );
    assert_eq!(
        world.entries("claude-desktop"),
        r#"[filesystem]
command = "npx"
args = ["-y", "@modelcontextprotocol/server-filesystem", "/srv/ana/Documents"]
[weather]
command = "uv"
args = ["run", "weather.py"]

[env]
REGION = "eu"
RETRIES = "3"
[shell]
command = "sh"
args = ["-c", "exec server --root $${ROOT}"]

[env]
KEY = "env:WEATHER_KEY"
"#
    );
}

#[test]
fn claude_code_servers_are_read_for_all_projects_and_this_one() {
    let world =
        World::new().file("project/.mcp.json", r#"{"mcpServers": {"shared": {"command": "x"}}}"#);
    let project = world.path("project").display().to_string();
    let file = r#"{
  "numStartups": 12,
  "mcpServers": {
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp", "headers": { "X-Org": "${SENTRY_ORG:-acme}" },
                "oauth": { "clientId": "abc" }, "timeout": 90000 },
    "socket": { "type": "ws", "url": "wss://example.com" },
    "events": { "type": "sse", "url": "https://example.com/sse", "headersHelper": "/bin/token.sh" }
  },
  "projects": {
    "PROJECT": { "mcpServers": { "db": { "type": "stdio", "command": "db-mcp", "args": ["${DB_URL}"], "alwaysLoad": true } } },
    "/elsewhere": { "mcpServers": { "not-ours": { "command": "x" } } }
  }
}"#;
    let world = world.file(".claude.json", &file.replace("PROJECT", &project));
    assert_eq!(
        world.entries("claude-code"),
        r#".mcp.json: native
[sentry]
url = "https://mcp.sentry.dev/mcp"
client_id = "abc"
call_timeout_ms = 90000

[headers]
X-Org = "${SENTRY_ORG:-acme}"
[socket]
! its transport `ws` is not supported
[events]
url = "https://example.com/sse"
type = "sse"
# its `headersHelper` program is not run by toolscout: set `headers` or `bearer` instead
[db]
command = "db-mcp"
args = ["env:DB_URL"]
visibility = "listed"
"#
    );
}

#[test]
fn cursor_project_file_precedes_the_user_file() {
    let world = World::new()
        .file(
            "project/.cursor/mcp.json",
            r#"{"mcpServers": {
  // Written by hand.
  "build": { "command": "${workspaceFolder}/bin/mcp", "args": ["--root", "${workspaceFolder}"], "cwd": "${userHome}/x",
             "env": { "TOKEN": "${env:BUILD_TOKEN}" }, "envFile": "${workspaceFolder}/.env" },
}}"#,
        )
        .file(".cursor/mcp.json", r#"{"mcpServers": {"linear": {"url": "https://mcp.linear.app/mcp", "headers": {"Authorization": "Bearer ${env:LINEAR}"}}}}"#);
    assert_eq!(
        world.entries("cursor"),
        r#"[build]
command = "./bin/mcp"
args = ["--root", "."]
cwd = "~/x"

[env]
TOKEN = "env:BUILD_TOKEN"
# its `envFile` `${workspaceFolder}/.env` is not read: put the variables it needs into `env`
[linear]
url = "https://mcp.linear.app/mcp"

[headers]
Authorization = "Bearer ${LINEAR}"
"#
    );
}

#[test]
fn vscode_inputs_become_variables() {
    let world = World::new().file(
        "project/.vscode/mcp.json",
        r#"{
  // What is asked for at the first start.
  "inputs": [{ "type": "promptString", "id": "github-token", "description": "GitHub token", "password": true }],
  "servers": {
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/",
                "headers": { "Authorization": "Bearer ${input:github-token}" } },
    "perplexity": { "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
                    "env": { "PERPLEXITY_API_KEY": "${input:perplexity-key}" }, "dev": { "watch": "**" }, "sandbox": {} },
    "odd": { "command": "x", "args": ["${command:pick}"], },
  },
}"#,
    );
    assert_eq!(
        world.entries("vscode"),
        r#"[github]
url = "https://api.githubcopilot.com/mcp/"

[headers]
Authorization = "Bearer ${GITHUB_TOKEN}"
# `${input:github-token}` prompts for a value, which toolscout cannot do: export GITHUB_TOKEN instead
[perplexity]
command = "npx"
args = ["-y", "server-perplexity-ask"]

[env]
PERPLEXITY_API_KEY = "env:PERPLEXITY_KEY"
# `${input:perplexity-key}` prompts for a value, which toolscout cannot do: export PERPLEXITY_KEY instead
# not imported: `sandbox`
[odd]
command = "x"
args = ["${command:pick}"]
# `${command:pick}` works only in that program: replace it before you use the server
"#
    );
}

#[test]
fn codex_variables_in_separate_keys_are_read() {
    let world = World::new().file(
        ".codex/config.toml",
        r#"model = "gpt-5"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
env = { LEVEL = "info" }
env_vars = ["DOCS_TOKEN", { name = "REGION", source = "local" }]
cwd = "/srv/docs"
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["search", "read"]
disabled_tools = ["write"]
required = true

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { X-Region = "eu" }
env_http_headers = { X-Team = "FIGMA_TEAM" }
enabled = false
"#,
    );
    assert_eq!(
        world.entries("codex"),
        r#"[docs]
command = "npx"
args = ["-y", "docs-mcp"]
cwd = "/srv/docs"
discovery_timeout_ms = 20000
call_timeout_ms = 1500

[env]
DOCS_TOKEN = "env:DOCS_TOKEN"
LEVEL = "info"
REGION = "env:REGION"

[filter]
include = ["search", "read"]
exclude = ["write"]
[figma]
url = "https://mcp.figma.com/mcp"
bearer = "env:FIGMA_TOKEN"
enabled = false

[headers]
X-Region = "eu"
X-Team = "env:FIGMA_TEAM"
"#
    );
}

#[test]
fn opencode_command_lists_are_read() {
    let world = World::new().file(
        "project/opencode.jsonc",
        r#"{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "everything": { "type": "local", "command": ["npx", "-y", "server-everything", "{env:MODE}"],
                    "environment": { "KEY": "{env:EVERYTHING_KEY}", "CERT": "{file:./cert.pem}" }, "enabled": true,
                    "timeout": 8000 },
    "context7": { "type": "remote", "url": "https://mcp.context7.com/mcp", "headers": { "Authorization": "Bearer {file:~/.token}", "X": "{env:X}y" },
                  "oauth": { "clientId": "{env:ID}", "scope": "read write", "clientSecret": "s" }, "enabled": false },
    "empty": { "type": "local", "command": [] }, /* never worked */
    "plain": { "type": "remote", "url": "https://example.com", "oauth": false }
  }
}"#,
    );
    assert_eq!(
        world.entries("opencode"),
        r#"[everything]
command = "npx"
args = ["-y", "server-everything", "env:MODE"]
discovery_timeout_ms = 8000

[env]
CERT = "file:~/project/cert.pem"
KEY = "env:EVERYTHING_KEY"
[context7]
url = "https://mcp.context7.com/mcp"
bearer = "file:~/.token"
client_id = "env:ID"
scopes = ["read", "write"]
enabled = false

[headers]
X = "${X}y"
# the client secret in its `oauth` is not imported
[empty]
! it has no command
[plain]
url = "https://example.com"
"#
    );
}

#[test]
fn opencode_version_2_servers_are_read() {
    let world = World::new().file(
        ".config/opencode/opencode.json",
        r#"{"mcp": {"timeout": 5, "servers": {"a": {"type": "local", "command": ["x"], "cwd": "sub", "disabled": true}}}}"#,
    );
    assert_eq!(world.entries("opencode"), "[a]\ncommand = \"x\"\ncwd = \"sub\"\nenabled = false\n");
    let world = World::new().file(
        "project/opencode.json",
        r#"{"mcp": {"servers": {"type": "local", "command": ["x"]}}}"#,
    );
    assert_eq!(world.entries("opencode"), "[servers]\ncommand = \"x\"\n");
}

#[test]
fn gemini_urls_and_bare_variables_are_read() {
    let world = World::new().file(
        ".gemini/settings.json",
        r#"{ "theme": "GitHub", "mcpServers": {
  "old": { "url": "http://localhost:8080/sse", "timeout": 5000 },
  "http": { "httpUrl": "https://example.com/mcp", "headers": { "X-Key": "$EXAMPLE_KEY" }, "trust": true },
  "now": { "url": "https://example.com/mcp", "type": "http" },
  "run": { "command": "node", "args": ["$HOME/x.js", "costs $5", "a${B}c"], "includeTools": ["x"], "excludeTools": ["y(z)"], "description": "d" }
} }"#,
    );
    assert_eq!(
        world.entries("gemini"),
        r#"[old]
url = "http://localhost:8080/sse"
type = "sse"
call_timeout_ms = 5000
[http]
url = "https://example.com/mcp"

[headers]
X-Key = "env:EXAMPLE_KEY"
# its `trust` is not imported: use `tools` to choose what may run
[now]
url = "https://example.com/mcp"
[run]
command = "node"
args = ["${HOME}/x.js", "costs $5", "a${B}c"]

[filter]
include = ["x"]
exclude = ["y(z)"]
"#
    );
}

#[test]
fn windsurf_server_urls_are_read() {
    let world = World::new().file(
        ".codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"remote": {"serverUrl": "https://example.com/mcp", "headers": {"K": "${env:K}"}, "disabledTools": ["rm"]},
                           "off": {"command": "x", "disabled": true}, "old": {"serverUrl": "https://example.com/sse?x=1"}}}"#,
    );
    assert_eq!(
        world.entries("windsurf"),
        r#"[remote]
url = "https://example.com/mcp"

[headers]
K = "env:K"

[filter]
exclude = ["rm"]
[off]
command = "x"
enabled = false
[old]
url = "https://example.com/sse?x=1"
type = "sse"
"#
    );
}

#[test]
fn zed_nested_commands_and_extension_servers_are_read() {
    let world = World::new().file(
        ".config/zed/settings.json",
        r#"// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "custom": { "source": "custom", "command": "x", "args": ["y"], "env": {} },
    "nested": { "source": "custom", "command": { "path": "/bin/x", "args": ["y"], "env": { "A": "b" } }, "settings": {} },
    "postgres": { "source": "extension", "settings": { "database_url": "postgres://x" } },
    "web": { "url": "https://example.com/mcp", "enabled": false },
  },
}"#,
    );
    assert_eq!(
        world.entries("zed"),
        r#"[custom]
command = "x"
args = ["y"]
[nested]
command = "/bin/x"
args = ["y"]

[env]
A = "b"
# not imported: `settings`
[postgres]
! it belongs to a Zed extension, and only Zed can start it
[web]
url = "https://example.com/mcp"
enabled = false
"#
    );
}

#[test]
fn cline_settings_are_found_in_the_vscode_extension_storage() {
    let world = World::new().file(
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        r#"{"mcpServers": {"a": {"command": "x", "autoApprove": ["read"], "alwaysAllow": [], "disabled": false, "timeout": 60},
                           "b": {"url": "https://example.com/sse"}, "c": {"url": "https://example.com", "type": "streamableHttp"}}}"#,
    );
    assert_eq!(
        world.entries("cline"),
        r#"[a]
command = "x"
call_timeout_ms = 60000
# its `autoApprove` is not imported: use `tools` to choose what may run
[b]
url = "https://example.com/sse"
type = "sse"
[c]
url = "https://example.com"
"#
    );
}

#[test]
fn client_files_are_found_by_operating_system_and_environment() {
    let world = World::new()
        .file(
            "Library/Application Support/Claude/claude_desktop_config.json",
            r#"{"mcpServers": {"mac": {"command": "x"}}}"#,
        )
        .file("elsewhere/config.toml", "[mcp_servers.moved]\ncommand = \"x\"\n")
        .file("elsewhere/zed/settings.json", r#"{"context_servers": {"xdg": {"command": "x"}}}"#);
    assert_eq!(world.entries("claude-desktop"), "[mac]\ncommand = \"x\"\n");
    let (home, elsewhere) =
        (world.home().display().to_string(), world.path("elsewhere").display().to_string());
    let vars =
        [("HOME", home.as_str()), ("CODEX_HOME", &elsewhere), ("XDG_CONFIG_HOME", &elsewhere)];
    let folders = world.folders_with(&vars);
    let found = |name| {
        render(ClientScan::read_clients(
            [super::super::find_client(name).expect("a client")],
            &folders,
        ))
    };
    assert_eq!(found("codex"), "[moved]\ncommand = \"x\"\n");
    assert_eq!(found("zed"), "[xdg]\ncommand = \"x\"\n");
}

#[test]
fn invalid_entries_are_reported_and_skipped() {
    let world = World::new().file(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": 1, "b": {}, "c": {"command": 7}, "d": {"command": "x", "args": "y"}, "e": {"url": "ftp://x"},
            "f": {"command": "x", "env": {"K": ["v"]}}, "g": {"command": "fine", "args": null}}}"#,
    );
    assert_eq!(
        world.entries("cursor"),
        "[a]\n! its entry is not a table\n[b]\n! it has neither a command nor a URL\n\
         [c]\n! its `command` is not a string\n[d]\n! its `args` is not a list of strings\n\
         [e]\n! its URL must start with `http://` or `https://`\n[f]\n! its `env` is not a table of strings\n[g]\ncommand = \"fine\"\n"
    );
    for broken in
        ["{", "[]", "7", "{\"mcpServers\": []}", "{\"mcpServers\": null}", "", "\u{feff}{}"]
    {
        let world = World::new().file(".cursor/mcp.json", broken);
        let found = world.entries("cursor");
        assert_eq!(
            found.starts_with("mcp.json: broken"),
            ["{", "[]", "7"].contains(&broken),
            "{broken:?}: {found}"
        );
    }
}

#[test]
fn client_names_are_unique() {
    let names: BTreeSet<_> = CLIENTS.iter().map(|client| client.name).collect();
    assert_eq!(names.len(), CLIENTS.len());
}

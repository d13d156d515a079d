//! OpenCode: a command is one list, variables are in single braces, and the table of servers moved in its second version.

use super::super::client::{ClientFile, ClientFormat, KeyPath, LaunchCommand, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::references::VariableSyntax;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::{Map, Value, json};

pub(super) struct OpenCode;

const OWN: [&str; 4] = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];

impl ClientFormat for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = OWN.map(|it| ClientFile::project(homes, it));
        let user = ["opencode/opencode.json", "opencode/opencode.jsonc"].map(|it| homes.config(it));
        let user = user.into_iter().flatten().chain(homes.opencode_file()).map(ClientFile::user);
        own.into_iter().chain(user).collect()
    }

    /// `mcp.servers` since the second version, `mcp` before; a server may be called `servers`, and then has a type.
    fn sections(&self, document: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        let inner = document.get("mcp").and_then(|it| it.get("servers"));
        let is_second = inner.is_some_and(|it| it.is_object() && !it["type"].is_string());
        vec![if is_second { section(["mcp", "servers"]) } else { section(["mcp"]) }]
    }

    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Curly
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        split_command(fields)?;
        let bearer = bearer_in_file(fields);
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        entry.bearer = bearer;
        entry.env.extend(fields.table("environment")?);
        entry.discovery_timeout_ms = fields.duration("timeout", 1.0);
        if let Some(oauth) = fields.inner("oauth") {
            login(fields, &mut entry, oauth);
        }
        fields.ignore(&["oauth"]);
        Ok(entry)
    }

    fn own_entry(&self, launch: &LaunchCommand, section: &KeyPath) -> Value {
        let command: Vec<_> = [&launch.command].into_iter().chain(&launch.args).collect();
        match section.len() {
            1 => json!({"type": "local", "command": command, "enabled": true}),
            _ => json!({"type": "local", "command": command}),
        }
    }
}

/// `command: [program, args…]`, as everybody else writes it.
fn split_command(fields: &mut ClientFields<'_>) -> Result<(), String> {
    let Some(mut words) = fields.list("command") else { return Ok(()) };
    if words.is_empty() {
        return Err("it names no command".to_owned());
    }
    let args = words.split_off(1);
    let command = words.remove(0);
    fields.add(Map::from_iter([("command".to_owned(), command), ("args".to_owned(), Value::Array(args))]));
    Ok(())
}

/// `Bearer {file:…}` is a text with a file in it, which we cannot write; a bearer token in a file we can.
fn bearer_in_file(fields: &mut ClientFields<'_>) -> Option<String> {
    let mut headers = fields.inner("headers")?;
    let file = headers.iter().find_map(|(name, value)| {
        let file = value.as_str()?.strip_prefix("Bearer ")?.strip_prefix("{file:")?.strip_suffix('}')?;
        name.eq_ignore_ascii_case("authorization").then(|| (name.clone(), format!("{{file:{file}}}")))
    });
    if let Some((name, _)) = &file {
        headers.shift_remove(name);
    }
    fields.add(Map::from_iter([("headers".to_owned(), Value::Object(headers))]));
    file.map(|(_, file)| fields.ours(&file))
}

fn login(fields: &mut ClientFields<'_>, entry: &mut ServerEntry, mut oauth: Map<String, Value>) {
    let text = |it: Option<Value>| it.and_then(|it| Some(it.as_str()?.to_owned()));
    entry.client_id = text(oauth.remove("clientId")).map(|it| fields.ours(&it));
    let scopes = text(oauth.remove("scope")).unwrap_or_default();
    entry.scopes = scopes.split_whitespace().map(str::to_owned).collect();
    if oauth.contains_key("clientSecret") {
        fields.note("the client secret in its `oauth` is not taken over");
    }
}

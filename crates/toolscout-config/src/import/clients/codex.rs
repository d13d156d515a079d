//! Codex: TOML, where variables are named in keys of their own.

use super::super::client::{ClientFile, ClientFormat, KeyPath, section};
use super::super::fields::ClientFields;
use super::super::homes::ClientFolders;
use super::super::references::VariableSyntax;
use super::super::usual::{self, BareUrl};
use crate::ServerEntry;
use serde_json::Value;

pub(super) struct Codex;

impl ClientFormat for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn files(&self, homes: &ClientFolders) -> Vec<ClientFile> {
        let own = ClientFile::project(homes, ".codex/config.toml");
        [own].into_iter().chain(homes.codex("config.toml").map(ClientFile::user)).collect()
    }

    fn sections(&self, _: &Value, _: &ClientFolders) -> Vec<KeyPath> {
        vec![section(["mcp_servers"])]
    }

    fn syntax(&self) -> VariableSyntax {
        VariableSyntax::Plain
    }

    fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        let mut entry = usual::entry(fields, BareUrl::Http)?;
        for name in variables(fields) {
            let reference = format!("env:{name}");
            entry.env.entry(name).or_insert(reference);
        }
        entry.headers.extend(fields.table("http_headers")?);
        for (header, name) in fields.table("env_http_headers")? {
            entry.headers.insert(header, format!("env:{name}"));
        }
        entry.bearer = fields.word("bearer_token_env_var")?.map(|it| format!("env:{it}"));
        entry.scopes = fields.words("scopes")?;
        entry.discovery_timeout_ms =
            fields.duration("startup_timeout_sec", 1000.0).or_else(|| fields.duration("startup_timeout_ms", 1.0));
        entry.call_timeout_ms = fields.duration("tool_timeout_sec", 1000.0);
        entry.filter = usual::filter(fields.words("enabled_tools")?, fields.words("disabled_tools")?);
        // Only says whether Codex may start without it.
        fields.ignore(&["required"]);
        Ok(entry)
    }
}

/// Names, or tables that have one and say which machine's variable it is.
fn variables(fields: &mut ClientFields<'_>) -> Vec<String> {
    let Some(listed) = fields.list("env_vars") else { return Vec::new() };
    let name = |it: &Value| it.as_str().or_else(|| it.get("name")?.as_str()).map(str::to_owned);
    listed.iter().filter_map(name).collect()
}

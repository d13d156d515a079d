//! Entries as they are found in files, ours and those of other programs.

use super::{ServerEntry, ToolFilterEntry};
use crate::keys::{Keys, Wrong};
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys of an entry in our own files.
const KEYS: [&str; 24] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "type",
    "headers",
    "bearer",
    "client_id",
    "client_secret",
    "scopes",
    "enabled",
    "disabled",
    "tools",
    "visibility",
    "listed",
    "filter",
    "trust",
    "on_change",
    "delegate",
    "discovery_timeout_ms",
    "call_timeout_ms",
    "idle_timeout_ms",
    "name",
];

/// What other programs keep beside their entries: words for people, and what discoveries of theirs have found.
const THEIRS: [&str; 12] = [
    "name",
    "id",
    "title",
    "description",
    "version",
    "icon",
    "gallery",
    "discovered_tools",
    "last_discovery",
    "discovery_error",
    "discovery_status",
    "config_hash",
];

/// An entry that was read, and the keys in it that mean nothing to us.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    pub entry: ServerEntry,
    pub unknown: Vec<String>,
}

impl ServerEntry {
    /// The keys of an entry, to guess from.
    pub const KEYS: &[&str] = &KEYS;

    /// Reads the value of one entry. Names of keys may be in camel case, as other programs write them.
    pub(crate) fn read(value: Value) -> Result<Read, Wrong> {
        let Value::Object(map) = value else {
            return Err(Wrong { key: String::new(), reason: "its entry is not a table".to_owned() });
        };
        let mut keys = Keys::snake(map);
        let (tools, include) = tools(&mut keys)?;
        let (client_id, client_secret) = client(&mut keys)?;
        let entry = ServerEntry {
            command: keys.text("command")?,
            args: keys.texts("args")?.unwrap_or_default(),
            env: keys.table("env")?,
            cwd: keys.text("cwd")?,
            url: url(&mut keys)?,
            kind: kind(&mut keys)?,
            headers: keys.table("headers")?,
            bearer: keys.text("bearer")?,
            client_id,
            client_secret,
            scopes: keys.texts("scopes")?.unwrap_or_default(),
            enabled: enabled(&mut keys)?,
            tools,
            visibility: visibility(&mut keys)?,
            listed: keys.texts("listed")?.unwrap_or_default(),
            filter: filter(&mut keys, include)?,
            trust: keys.flag("trust")?,
            on_change: keys.text("on_change")?,
            delegate: keys.flag("delegate")?,
            discovery_timeout_ms: keys.milliseconds("discovery_timeout_ms")?,
            call_timeout_ms: keys.milliseconds("call_timeout_ms")?.or(keys.milliseconds("timeout")?),
            idle_timeout_ms: keys.milliseconds("idle_timeout_ms")?,
        };
        let unknown =
            keys.left().filter(|(name, _)| !THEIRS.contains(name)).map(|(_, written)| written.to_owned()).collect();
        Ok(Read { entry, unknown })
    }
}

type Policies = BTreeMap<String, String>;

/// Policies by name; or, as some programs have it, a list of the only tools there should be.
fn tools(keys: &mut Keys) -> Result<(Policies, Option<Vec<String>>), Wrong> {
    match keys.is_list("tools") {
        true => Ok((Default::default(), keys.texts("tools")?)),
        false => Ok((keys.table("tools")?, None)),
    }
}

fn url(keys: &mut Keys) -> Result<Option<String>, Wrong> {
    Ok(keys.text("url")?.or(keys.text("server_url")?).or(keys.text("http_url")?))
}

fn kind(keys: &mut Keys) -> Result<Option<String>, Wrong> {
    Ok(keys.text("type")?.or(keys.text("transport")?).or(keys.text("transport_type")?))
}

/// Who we are where we log in: here, or, as some programs have it, in a table of its own.
fn client(keys: &mut Keys) -> Result<(Option<String>, Option<String>), Wrong> {
    let within = keys.inner("oauth")?.map(|mut it| Ok((it.text("client_id")?, it.text("client_secret")?)));
    let (id, secret) = within.transpose()?.unwrap_or_default();
    Ok((keys.text("client_id")?.or(id), keys.text("client_secret")?.or(secret)))
}

/// Both words are understood; a server that either of them turns off is off.
fn enabled(keys: &mut Keys) -> Result<Option<bool>, Wrong> {
    Ok(match (keys.flag("enabled")?, keys.flag("disabled")?) {
        (Some(false), _) | (_, Some(true)) => Some(false),
        (enabled, disabled) => enabled.or(disabled.map(|it| !it)),
    })
}

fn visibility(keys: &mut Keys) -> Result<Option<String>, Wrong> {
    let listed = keys.flag("always_load")?.unwrap_or_default().then(|| "listed".to_owned());
    Ok(keys.text("visibility")?.or(listed))
}

fn filter(keys: &mut Keys, only: Option<Vec<String>>) -> Result<Option<ToolFilterEntry>, Wrong> {
    let Some(mut filter) = keys.inner("filter")? else {
        return Ok(only.map(|it| ToolFilterEntry { include: Some(it), exclude: Vec::new() }));
    };
    let include = filter.texts("include")?.or(only);
    let exclude = filter.texts("exclude")?.unwrap_or_default();
    match filter.left().next() {
        None => Ok(Some(ToolFilterEntry { include, exclude })),
        Some((_, key)) => {
            let reason = format!("`filter` holds `{key}`; it may hold `include` and `exclude`");
            Err(Wrong { key: "filter".to_owned(), reason })
        }
    }
}

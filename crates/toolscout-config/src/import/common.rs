//! The entry format that most programs share, in all its variants: `command`, `args` and `env`, or
//! `url` and `headers`.

use super::fields::ClientFields;
use crate::ServerEntry;

/// The transport of an entry with only a `url`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BareUrl {
    Http,
    Sse,
}

/// Reads the common keys; the others stay in `fields`.
pub(super) fn entry(fields: &mut ClientFields<'_>, bare: BareUrl) -> Result<ServerEntry, String> {
    let mut entry = ServerEntry { enabled: enabled(fields), ..ServerEntry::default() };
    let kind = kind(fields)?;
    match kind.as_deref() {
        Some("stdio" | "local") => program(fields, &mut entry)?,
        Some("http" | "sse" | "remote") => address(fields, &mut entry, kind.as_deref(), bare)?,
        Some(other) => return Err(format!("its transport `{other}` is not supported")),
        None if fields.has("command") => program(fields, &mut entry)?,
        None => address(fields, &mut entry, None, bare)?,
    }
    Ok(entry)
}

/// Combines `enabled` and `disabled`; only a disabled server has a value.
fn enabled(fields: &mut ClientFields<'_>) -> Option<bool> {
    let (enabled, disabled) = (fields.switch("enabled"), fields.switch("disabled"));
    (enabled == Some(false) || disabled == Some(true)).then_some(false)
}

/// The transport, normalized from all spellings in use.
fn kind(fields: &mut ClientFields<'_>) -> Result<Option<String>, String> {
    let said = [fields.word("type")?, fields.word("transport")?, fields.word("transportType")?];
    let Some(said) = said.into_iter().flatten().next() else { return Ok(None) };
    Ok(Some(match said.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "streamablehttp" | "http" => "http".to_owned(),
        "stdio" | "sse" | "local" | "remote" => said.to_ascii_lowercase(),
        _ => said,
    }))
}

fn program(fields: &mut ClientFields<'_>, entry: &mut ServerEntry) -> Result<(), String> {
    let command = fields.text("command")?.filter(|it| !it.trim().is_empty());
    entry.command = Some(command.ok_or("it names no command")?);
    entry.args = fields.texts("args")?;
    entry.env = fields.table("env")?;
    entry.cwd = fields.folder("cwd")?;
    if let Some(file) = fields.word("envFile")? {
        fields
            .note(format!("its variables in `{file}` are not read: put those it needs into `env`"));
    }
    Ok(())
}

fn address(
    fields: &mut ClientFields<'_>,
    entry: &mut ServerEntry,
    kind: Option<&str>,
    bare: BareUrl,
) -> Result<(), String> {
    let http = fields.text("httpUrl")?;
    let is_http = http.is_some();
    let either = [http, fields.text("url")?, fields.text("serverUrl")?];
    let url =
        either.into_iter().flatten().next().ok_or("it names neither a command nor an address")?;
    let is_web = ["http://", "https://", "${", "env:", "file:", "keyring:"]
        .iter()
        .any(|it| url.starts_with(it));
    if !is_web {
        return Err("its address is not on the web".to_owned());
    }
    // Clients that try both transports in turn need no type; by convention the URL indicates it.
    let looks_old = url.split(['?', '#']).next().is_some_and(|it| it.ends_with("/sse"));
    let is_sse =
        kind == Some("sse") || (kind.is_none() && !is_http && (bare == BareUrl::Sse || looks_old));
    entry.kind = is_sse.then(|| "sse".to_owned());
    entry.url = Some(url);
    entry.headers = fields.table("headers")?;
    Ok(())
}

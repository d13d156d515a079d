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
pub(super) fn read_entry(
    fields: &mut ClientFields<'_>,
    bare_url: BareUrl,
) -> Result<ServerEntry, String> {
    let mut entry = ServerEntry { enabled: read_enabled(fields), ..ServerEntry::default() };
    let kind = read_kind(fields)?;
    match kind.as_deref() {
        Some("stdio" | "local") => read_program(fields, &mut entry)?,
        Some("http" | "sse" | "remote") => read_url(fields, &mut entry, kind.as_deref(), bare_url)?,
        Some(other) => return Err(format!("its transport `{other}` is not supported")),
        None if fields.has("command") => read_program(fields, &mut entry)?,
        None => read_url(fields, &mut entry, None, bare_url)?,
    }
    Ok(entry)
}

/// Combines `enabled` and `disabled`; only a disabled server has a value.
fn read_enabled(fields: &mut ClientFields<'_>) -> Option<bool> {
    let (enabled, disabled) = (fields.boolean("enabled"), fields.boolean("disabled"));
    (enabled == Some(false) || disabled == Some(true)).then_some(false)
}

/// The transport, normalized from all spellings in use.
fn read_kind(fields: &mut ClientFields<'_>) -> Result<Option<String>, String> {
    let written = [
        fields.plain_text("type")?,
        fields.plain_text("transport")?,
        fields.plain_text("transportType")?,
    ];
    let Some(written) = written.into_iter().flatten().next() else { return Ok(None) };
    Ok(Some(match written.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "streamablehttp" | "http" => "http".to_owned(),
        "stdio" | "sse" | "local" | "remote" => written.to_ascii_lowercase(),
        _ => written,
    }))
}

fn read_program(fields: &mut ClientFields<'_>, entry: &mut ServerEntry) -> Result<(), String> {
    let command = fields.text("command")?.filter(|value| !value.trim().is_empty());
    entry.command = Some(command.ok_or("it has no command")?);
    entry.args = fields.texts("args")?;
    entry.env = fields.table("env")?;
    entry.cwd = fields.folder("cwd")?;
    if let Some(file) = fields.plain_text("envFile")? {
        fields.note(format!(
            "its `envFile` `{file}` is not read: put the variables it needs into `env`"
        ));
    }
    Ok(())
}

fn read_url(
    fields: &mut ClientFields<'_>,
    entry: &mut ServerEntry,
    kind: Option<&str>,
    bare_url: BareUrl,
) -> Result<(), String> {
    let http = fields.text("httpUrl")?;
    let is_http = http.is_some();
    let urls = [http, fields.text("url")?, fields.text("serverUrl")?];
    let url = urls.into_iter().flatten().next().ok_or("it has neither a command nor a URL")?;
    let is_web = ["http://", "https://", "${", "env:", "file:", "keyring:"]
        .iter()
        .any(|prefix| url.starts_with(prefix));
    if !is_web {
        return Err("its URL must start with `http://` or `https://`".to_owned());
    }
    // Clients that try both transports in turn need no type; by convention the URL indicates it.
    let has_sse_path = url.split(['?', '#']).next().is_some_and(|part| part.ends_with("/sse"));
    let is_sse = kind == Some("sse")
        || (kind.is_none() && !is_http && (bare_url == BareUrl::Sse || has_sse_path));
    entry.kind = is_sse.then(|| "sse".to_owned());
    entry.url = Some(url);
    entry.headers = fields.table("headers")?;
    Ok(())
}

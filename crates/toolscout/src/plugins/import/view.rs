//! A server as it is shown before it is taken: what would run, and never a secret.

use super::plan::{Fate, Plan, Planned, PlannedFile};
use crate::config::Entry;
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

/// What `import --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct PlanView<'a> {
    /// The file that servers are, or would be, added to.
    target: &'a Path,
    /// Whether they were.
    written: bool,
    servers: Vec<ServerView<'a>>,
}

#[derive(Debug, Serialize)]
struct ServerView<'a> {
    client: &'static str,
    path: &'a Path,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// `add`, `same` or `skip`.
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    /// The command line, or the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
    notes: &'a [String],
}

impl<'a> PlanView<'a> {
    pub(super) fn new(plan: &'a Plan, target: &'a Path, written: bool) -> Self {
        let servers = plan.files.iter().flat_map(|file| file.servers.iter().map(|it| ServerView::new(file, it)));
        Self { target, written, servers: servers.collect() }
    }
}

impl<'a> ServerView<'a> {
    fn new(file: &'a PlannedFile, server: &'a Planned) -> Self {
        let (action, id, reason, shown) = match &server.fate {
            Fate::Add { id, treated } => ("add", Some(id.as_str()), None, Some(&treated.shown)),
            Fate::Same { id } => ("same", Some(id.as_str()), None, None),
            Fate::Skip { reason, .. } => ("skip", None, Some(reason.as_str()), None),
        };
        Self {
            client: file.client.name(),
            path: &file.path,
            name: &server.name,
            id,
            action,
            reason,
            transport: shown.map(transport),
            runs: shown.map(runs),
            notes: &server.notes,
        }
    }
}

/// `stdio`, `http` or `sse`.
pub(super) fn transport(entry: &Entry) -> &'static str {
    match (&entry.command, entry.kind.as_deref()) {
        (Some(_), _) => "stdio",
        (None, Some("sse")) => "sse",
        _ => "http",
    }
}

/// The command line as it would be typed, or the address.
pub(super) fn runs(entry: &Entry) -> String {
    let words = entry.command.iter().chain(&entry.args).map(|it| quoted(it));
    let line = words.collect::<Vec<_>>().join(" ");
    entry.url.clone().unwrap_or(line)
}

/// What else is set: variables and headers by name. A value is shown only where it is a reference.
pub(super) fn settings(entry: &Entry) -> Vec<String> {
    let named = |what: &str, name: &str, value: &str| match is_reference(value) {
        true => format!("{what} {name} = {value}"),
        false => format!("{what} {name}"),
    };
    let env = entry.env.iter().map(|(name, value)| named("variable", name, value));
    let headers = entry.headers.iter().map(|(name, value)| named("header", name, value));
    let bearer =
        entry.bearer.iter().map(|it| if is_reference(it) { format!("bearer = {it}") } else { "bearer".to_owned() });
    let cwd = entry.cwd.iter().map(|it| format!("cwd = {it}"));
    let off = (entry.enabled == Some(false)).then(|| "not enabled".to_owned());
    env.chain(headers).chain(bearer).chain(cwd).chain(off).collect()
}

fn is_reference(value: &str) -> bool {
    ["env:", "file:", "keyring:"].iter().any(|it| value.starts_with(it))
}

fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |it: char| it.is_alphanumeric() || "_-./:@=+,%^{}$".contains(it);
    match !word.is_empty() && word.chars().all(plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

//! The preview of a server before it is imported: its command, and never a secret.

use super::plan::{ImportAction, ImportPlan, PlannedFile, PlannedServer};
use super::secrets::is_reference;
use crate::ServerEntry;
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

/// The output of `import --json`.
#[derive(Debug, Serialize)]
pub struct ImportPlanView<'a> {
    /// The files to which servers are added.
    targets: Vec<&'a Path>,
    /// Whether the file was written.
    written: bool,
    servers: Vec<PlannedServerView<'a>>,
}

#[derive(Debug, Serialize)]
struct PlannedServerView<'a> {
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
    /// The command line or the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
    notes: &'a [String],
}

impl<'a> ImportPlanView<'a> {
    pub fn new(plan: &'a ImportPlan, written: bool) -> Self {
        let servers = plan.files.iter().flat_map(|file| {
            file.servers.iter().map(|server| PlannedServerView::new(file, server))
        });
        Self { targets: plan.changed_files(), written, servers: servers.collect() }
    }
}

impl Serialize for ImportPlan {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ImportPlanView::new(self, false).serialize(serializer)
    }
}

impl<'a> PlannedServerView<'a> {
    fn new(file: &'a PlannedFile, server: &'a PlannedServer) -> Self {
        let (action, id, reason, preview) = match &server.action {
            ImportAction::Add { id, prepared } => {
                ("add", Some(id.as_str()), None, Some(&prepared.preview))
            }
            ImportAction::Same { id } => ("same", Some(id.as_str()), None, None),
            ImportAction::Skip { reason, .. } => ("skip", None, Some(reason.as_str()), None),
        };
        Self {
            client: file.client.name,
            path: &file.path,
            name: &server.name,
            id,
            action,
            reason,
            transport: preview.map(transport),
            runs: preview.map(command_line),
            notes: &server.notes,
        }
    }
}

/// `stdio`, `http` or `sse`.
pub fn transport(entry: &ServerEntry) -> &'static str {
    match (&entry.command, entry.kind.as_deref()) {
        (Some(_), _) => "stdio",
        (None, Some("sse")) => "sse",
        _ => "http",
    }
}

/// The command line as the user would type it, or the URL.
pub fn command_line(entry: &ServerEntry) -> String {
    let words = entry.command.iter().chain(&entry.args).map(|command| shell_quoted(command));
    let line = words.collect::<Vec<_>>().join(" ");
    entry.url.clone().unwrap_or(line)
}

/// Other settings: variables and headers by name. A value is shown only if it is a reference.
pub fn settings(entry: &ServerEntry) -> Vec<String> {
    let setting = |kind: &str, name: &str, value: &str| {
        if is_reference(value) {
            format!("{kind} {name} = {value}")
        } else {
            format!("{kind} {name}")
        }
    };
    let env = entry.env.iter().map(|(name, value)| setting("variable", name, value));
    let headers = entry.headers.iter().map(|(name, value)| setting("header", name, value));
    let bearer = entry.bearer.iter().map(|bearer| {
        if is_reference(bearer) { format!("bearer = {bearer}") } else { "bearer".to_owned() }
    });
    let cwd = entry.cwd.iter().map(|cwd| format!("cwd = {cwd}"));
    let disabled = (entry.enabled == Some(false)).then(|| "disabled".to_owned());
    env.chain(headers).chain(bearer).chain(cwd).chain(disabled).collect()
}

fn shell_quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-./:@=+,%^{}$".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

//! `trust show`: the files and servers that are new or have changed since the project was trusted.

use crate::error::failure;
use crate::operations::status::NoInput;
use crate::trust::changed_servers;
use crate::{AppError, Trust, Workspace, present_content};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use toolscout_core::{Cx, Digest, escape};
use toolscout_folder::trust::{TrustGrant, TrustedServer};
use toolscout_surface::operation::{Access, Operation, OperationError, OperationSpec, Text};

/// The longest file whose text is shown, in bytes.
const MAX_TEXT: u64 = 64 * 1024;

/// Show what waits for trust.
pub(crate) struct ShowTrust;

/// A file or server whose content is not trusted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TrustChange {
    /// `file` or `server`.
    kind: &'static str,
    /// The path of the file; for a server its file and its id.
    name: String,
    /// `new` or `changed`.
    state: &'static str,
    /// The command line or address of a server, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The command line or address that is trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_command: Option<String>,
    /// The text of a file; missing if it is binary or longer than 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The digest of the entry or content, which accepting it has to name.
    pub(super) digest: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownTrust {
    /// The trusted folder, or the project if it is not trusted.
    folder: String,
    /// Whether it is trusted.
    trusted: bool,
    /// Whether new and changed content is trusted too.
    author: bool,
    /// The files and servers that are not started until the folder is trusted again.
    changes: Vec<TrustChange>,
}

impl Operation<Workspace> for ShowTrust {
    type Input = NoInput;
    type Output = ShownTrust;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        examples: &["toolscout trust show"],
        ..OperationSpec::read(
            "trust show",
            "Show files and servers that are not trusted yet",
            "/api/trust",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, cx: &Cx) -> Result<ShownTrust, OperationError> {
        shown_trust(workspace, cx).await.map_err(failure)
    }

    fn text(output: &ShownTrust, _: &Text) -> String {
        let state = match (output.trusted, output.author) {
            (true, true) => "trusted, with all new and changed content",
            (true, false) if output.changes.is_empty() => "trusted",
            (true, false) => "trusted, except:",
            (false, _) => "not trusted:",
        };
        let list: String = output.changes.iter().map(TrustChange::line).collect();
        format!("{}: {state}\n{list}", escape::line(&output.folder))
    }

    fn notes(output: &ShownTrust) -> Vec<String> {
        let is_waiting = !output.changes.is_empty();
        is_waiting.then(|| "Trust them with `toolscout trust`.".to_owned()).into_iter().collect()
    }
}

/// The files and servers that are new or have changed since the project was trusted; empty if it
/// is not trusted.
pub(crate) async fn pending_changes(
    workspace: &Workspace,
    cx: &Cx,
) -> Result<Vec<TrustChange>, AppError> {
    let shown = shown_trust(workspace, cx).await?;
    Ok(if shown.trusted { shown.changes } else { Vec::new() })
}

async fn shown_trust(workspace: &Workspace, cx: &Cx) -> Result<ShownTrust, AppError> {
    let ProjectTrust { folder, trusted, before, now } = ProjectTrust::new(workspace, cx).await?;
    let changes = changes(&folder, &before, &now);
    let folder = folder.display().to_string();
    Ok(ShownTrust { folder, trusted, author: before.is_author, changes })
}

/// What is trusted of the project, and what it contains now.
pub(super) struct ProjectTrust {
    /// The trusted folder, or the project if it is not trusted.
    pub(super) folder: PathBuf,
    pub(super) trusted: bool,
    pub(super) before: TrustGrant,
    /// The present content; empty for a folder of an author, where nothing waits.
    pub(super) now: TrustGrant,
}

impl ProjectTrust {
    pub(super) async fn new(workspace: &Workspace, cx: &Cx) -> Result<Self, AppError> {
        let project = workspace.config().project_folder().to_owned();
        let grant = Trust::new(&workspace.environment, &workspace.options).folders.grant(&project);
        let trusted = grant.is_some();
        let (folder, before) = grant.unwrap_or_else(|| (project, TrustGrant::default()));
        let now = if before.is_author {
            TrustGrant::default()
        } else {
            present_content(workspace, &folder, cx).await?
        };
        Ok(Self { folder, trusted, before, now })
    }
}

/// What is in the second grant and not, or differently, in the first. `folder` is the folder of
/// both.
pub(super) fn changes(folder: &Path, before: &TrustGrant, now: &TrustGrant) -> Vec<TrustChange> {
    let state = |is_known: bool| if is_known { "changed" } else { "new" };
    let servers = changed_servers(before, now).map(|(name, before, now)| TrustChange {
        kind: "server",
        name: name.to_owned(),
        state: state(before.is_some()),
        command: Some(now.command.clone()),
        trusted_command: before.map(|before| before.command.clone()),
        text: None,
        digest: server_digest(now),
    });
    let files =
        now.files.iter().filter(|(name, content)| before.files.get(*name) != Some(*content));
    let files = files.map(|(name, content)| TrustChange {
        kind: "file",
        name: name.clone(),
        state: state(before.files.contains_key(name)),
        command: None,
        trusted_command: None,
        text: text_of(&folder.join(name), content),
        digest: content.to_string(),
    });
    servers.chain(files).collect()
}

/// The digest of a server's entry.
pub(super) fn server_digest(server: &TrustedServer) -> String {
    Digest::of_bytes(server.fingerprint.as_bytes()).to_string()
}

/// The text of a file, if it still has this content.
fn text_of(file: &Path, content: &Digest) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(MAX_TEXT + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_TEXT || Digest::of_bytes(&bytes) != *content {
        return None;
    }
    String::from_utf8(bytes).ok()
}

impl TrustChange {
    /// One line for a file; for a server also its command, and the trusted one.
    pub(crate) fn line(&self) -> String {
        let mut text = format!("  {} {} {}\n", self.state, self.kind, escape::line(&self.name));
        if let Some(before) = &self.trusted_command {
            text += &format!("    - {}\n", escape::line(before));
        }
        let sign = if self.trusted_command.is_some() { "+" } else { "$" };
        if let Some(command) = &self.command {
            text += &format!("    {sign} {}\n", escape::line(command));
        }
        text
    }
}

//! `trust` and its relatives: the folders whose tools and servers may be started, and the content
//! that the user has seen.

mod accept;
mod changes;
mod list;
mod reset;

pub(crate) use accept::AcceptTrust;
pub(crate) use changes::{ShowTrust, TrustChange, pending_changes};
pub(crate) use list::ListTrust;
pub(crate) use reset::ResetTrust;

use crate::error::failure;
use crate::{AppError, Trust, Workspace, present_content};
use changes::changes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_folder::trust::TrustGrant;
use toolscout_surface::operation::{
    CommandName, Confirm, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// Trust a folder, or revoke the trust.
pub(crate) struct SetTrust;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetTrustInput {
    /// The folder; the project root if omitted
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "DIR"}))]
    folder: Option<PathBuf>,
    /// Trust new and changed files and servers too: for a folder that only you write
    #[serde(default)]
    author: bool,
    /// Trust the folder, or revoke the trust
    trusted: bool,
}

/// Whether a folder is trusted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangedTrust {
    /// The path of the folder.
    folder: String,
    /// Whether it is trusted now.
    trusted: bool,
    /// Whether this command changed that.
    changed: bool,
    /// Whether new and changed content is trusted too.
    author: bool,
    /// The number of trusted files.
    files: usize,
    /// The number of trusted servers.
    servers: usize,
    /// The files and servers that were not trusted before.
    changes: Vec<TrustChange>,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for SetTrust {
    type Input = SetTrustInput;
    type Output = ChangedTrust;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("trust").preset(&[("trusted", "true")]),
            CommandName::new("trust remove")
                .summary("Stop trusting a folder")
                .preset(&[("trusted", "false")])
                .alias("trust --remove"),
        ],
        notes: &[
            "Files of an untrusted folder are read but not started, unless you run a tool yourself.",
            "Trust covers the present content: new and changed files and servers wait until you trust the folder again. Repositories below the folder are not covered.",
        ],
        examples: &["toolscout trust", "toolscout trust --author", "toolscout trust remove"],
        confirm: Confirm::AtTerminal,
        ..OperationSpec::local_change(
            "trust",
            "Trust a project folder, so that its tools can be started",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: SetTrustInput,
        cx: &Cx,
    ) -> Result<ChangedTrust, OperationError> {
        let folder = match &input.folder {
            Some(given) => workspace.environment.cwd().join(given),
            None => workspace.config().project_folder().to_owned(),
        };
        if input.trusted {
            return add(workspace, folder, input.author, cx).await;
        }
        let shown = folder.display().to_string();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Trust,
            subject: shown.clone(),
            action: "removed",
            summary: format!("no longer trust {shown}"),
        })?;
        let folders = Trust::new(&workspace.environment, &workspace.options).folders;
        let changed = folders.remove(&folder).map_err(not_stored)?;
        change.commit();
        Ok(ChangedTrust { changed, ..ChangedTrust::of(shown, &TrustGrant::default()) })
    }

    fn text(output: &ChangedTrust, _: &Text) -> String {
        output.changes.iter().map(TrustChange::line).collect()
    }

    fn message(output: &ChangedTrust, _: &Text) -> String {
        let folder = escape::line(&output.folder);
        match (output.trusted, output.changed) {
            // The summary of the planned change says it.
            (true, _) if output.planned.is_some() => String::new(),
            (true, _) => format!("Trusted: {folder}{}\n", output.covered()),
            (false, true) => format!("No longer trusted: {folder}\n"),
            (false, false) => format!("Was not trusted: {folder}\n"),
        }
    }

    fn planned(output: &ChangedTrust) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }
}

impl ChangedTrust {
    fn of(folder: String, grant: &TrustGrant) -> Self {
        Self {
            folder,
            trusted: false,
            changed: false,
            author: grant.is_author,
            files: grant.files.len(),
            servers: grant.servers.len(),
            changes: Vec::new(),
            planned: None,
        }
    }

    fn covered(&self) -> String {
        if self.author {
            return " (all its content, also if it is new or changes)".to_owned();
        }
        let (files, servers) = (counted(self.files, "file"), counted(self.servers, "server"));
        format!(" ({files}, {servers})")
    }
}

async fn add(
    workspace: &Workspace,
    folder: PathBuf,
    is_author: bool,
    cx: &Cx,
) -> Result<ChangedTrust, OperationError> {
    let shown = folder.display().to_string();
    if !folder.is_dir() {
        return Err(OperationError::invalid(format!("`{shown}` is not a folder"))
            .hint("toolscout trust DIR"));
    }
    let real = folder.canonicalize().map_err(crate::error::file_failure("find", &folder))?;
    let mut grant = present_content(workspace, &real, cx).await.map_err(failure)?;
    let folders = Trust::new(&workspace.environment, &workspace.options).folders;
    let before = folders.grant(&real).filter(|(trusted, _)| *trusted == real);
    let before = before.map(|(_, grant)| grant).unwrap_or_default();
    let mut output = ChangedTrust {
        trusted: true,
        changed: true,
        changes: changes(&real, &before, &grant),
        author: is_author,
        ..ChangedTrust::of(real.display().to_string(), &grant)
    };
    let change = cx.change(PlannedChange {
        kind: ChangeKind::Trust,
        subject: shown.clone(),
        action: "added",
        summary: format!("trust {shown}"),
    });
    let change = match change {
        Ok(change) => change,
        Err(DryRun(planned)) => return Ok(ChangedTrust { planned: Some(planned), ..output }),
    };
    grant.is_author = is_author;
    // Content that was trusted stays so, if the present settings leave its file out.
    let left_out = before.files.into_iter().filter(|(file, _)| real.join(file).exists());
    for (file, content) in left_out {
        grant.files.entry(file).or_insert(content);
    }
    output.folder = folders.add(&real, grant).map_err(not_stored)?.display().to_string();
    change.commit();
    Ok(output)
}

fn not_stored(error: toolscout_core::StoreError) -> OperationError {
    failure(AppError::not_stored(error))
}

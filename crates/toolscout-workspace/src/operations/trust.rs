//! `trust`, `trust remove` and `trust list`: the folders whose tools may be started.

use super::status::NoInput;
use crate::error::failure;
use crate::{AppError, Trust, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::json;

/// Trust a folder, or revoke the trust.
pub(crate) struct SetTrust;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetTrustInput {
    /// The folder; the project root if omitted
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "DIR"}))]
    folder: Option<PathBuf>,
    /// Whether its tools may be started.
    trusted: bool,
}

/// Whether a folder is trusted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangedTrust {
    folder: String,
    /// Whether it is trusted now.
    trusted: bool,
    /// Whether this command changed that.
    changed: bool,
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
            "Until then a folder's files are read and never started, unless you run a tool yourself.",
        ],
        examples: &["toolscout trust", "toolscout trust remove"],
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
        let shown = folder.display().to_string();
        if input.trusted && !folder.is_dir() {
            return Err(OperationError::invalid(format!("`{shown}` is not a folder"))
                .hint("toolscout trust DIR"));
        }
        let (action, summary) = match input.trusted {
            true => ("added", format!("trust {shown}")),
            false => ("removed", format!("no longer trust {shown}")),
        };
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Trust,
            subject: shown.clone(),
            action,
            summary,
        })?;
        let folders = Trust::new(&workspace.environment, &workspace.options).folders;
        let not_stored = |error| failure(AppError::not_stored(error));
        let (folder, changed) = if input.trusted {
            (folders.add(&folder).map_err(not_stored)?.display().to_string(), true)
        } else {
            (shown, folders.remove(&folder).map_err(not_stored)?)
        };
        change.commit();
        Ok(ChangedTrust { folder, trusted: input.trusted, changed })
    }

    fn text(output: &ChangedTrust, _: &Text) -> String {
        match (output.trusted, output.changed) {
            (true, _) => format!("Trusted: {}\n", output.folder),
            (false, true) => format!("No longer trusted: {}\n", output.folder),
            (false, false) => format!("Was not trusted: {}\n", output.folder),
        }
    }
}

/// List trusted folders.
pub(crate) struct ListTrust;

#[derive(Serialize, JsonSchema)]
pub(crate) struct TrustedFolderList {
    folders: Vec<String>,
}

impl Operation<Workspace> for ListTrust {
    type Input = NoInput;
    type Output = TrustedFolderList;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[CommandName::new("trust list").alias("trust --list")],
        examples: &["toolscout trust list"],
        ..OperationSpec::local("trust list", "List trusted folders")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        _: &Cx,
    ) -> Result<TrustedFolderList, OperationError> {
        let folders = Trust::new(&workspace.environment, &workspace.options).folders.list();
        let folders = folders.map_err(|error| failure(AppError::not_stored(error)))?;
        Ok(TrustedFolderList {
            folders: folders.iter().map(|folder| folder.display().to_string()).collect(),
        })
    }

    fn text(output: &TrustedFolderList, _: &Text) -> String {
        output.folders.iter().map(|folder| format!("{folder}\n")).collect()
    }

    fn write_json(output: &TrustedFolderList, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.folders)
    }
}

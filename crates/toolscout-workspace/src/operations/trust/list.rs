//! `trust list`: the trusted folders.

use crate::operations::status::NoInput;
use crate::{Trust, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;
use toolscout_core::Cx;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::json;

/// List trusted folders.
pub(crate) struct ListTrust;

#[derive(Serialize, JsonSchema)]
pub(crate) struct TrustedFolderList {
    /// The paths of all trusted folders.
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
        let folders = folders.map_err(super::not_stored)?;
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

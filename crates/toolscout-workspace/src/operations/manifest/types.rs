//! `manifest types`: the type files for modules in TypeScript, JavaScript and Python.

use super::{ManifestInput, folder};
use crate::Workspace;
use crate::error::failure;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_config::overwrite;
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_folder::module_types;
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Write the type files for modules.
pub(crate) struct WriteTypes;

#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenTypes {
    /// The paths of the files.
    files: Vec<String>,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for WriteTypes {
    type Input = ManifestInput;
    type Output = WrittenTypes;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["Writes toolscout.d.ts and toolscout.pyi, and replaces earlier versions of them."],
        examples: &["toolscout manifest types", "toolscout manifest types tools"],
        ..OperationSpec::local_change(
            "manifest types",
            "Write the type files for modules in TypeScript and Python",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ManifestInput,
        cx: &Cx,
    ) -> Result<WrittenTypes, OperationError> {
        let folder = folder(workspace, input)?;
        let paths = module_types::FILES.map(|(name, text)| (folder.join(name), text));
        let files: Vec<String> = paths.iter().map(|(path, _)| path.display().to_string()).collect();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Manifest,
            subject: folder.display().to_string(),
            action: "changed",
            summary: format!("write {}", files.join(" and ")),
        });
        let change = match change {
            Ok(change) => change,
            Err(DryRun(planned)) => return Ok(WrittenTypes { files, planned: Some(planned) }),
        };
        for (path, text) in &paths {
            overwrite(workspace.config().project_folder(), path, text).map_err(failure)?;
        }
        change.commit();
        Ok(WrittenTypes { files, planned: None })
    }

    fn text(output: &WrittenTypes, _: &Text) -> String {
        output.files.iter().map(|file| format!("Wrote {file}\n")).collect()
    }

    fn planned(output: &WrittenTypes) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }
}

//! `undo` and `undo list`: take back changes of the configuration and of clients' files.

use super::blocking;
use super::client::discover_added;
use super::status::NoInput;
use crate::Workspace;
use crate::error::failure;
use crate::servers::forget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_config::{UndoAction, UndoPlan};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, Moment, SourceId, escape};
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, HttpRoute, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::{age, json};

/// Undo the last change.
pub(crate) struct Undo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoInput {
    /// Restore whole files, even if they were changed since
    #[serde(default)]
    whole: bool,
    /// Undo only the change with this number, which must be the last one
    number: Option<u64>,
}

/// A change that can be undone, or that was.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangeInfo {
    /// Its number; later changes have larger ones.
    number: u64,
    /// When it was made; RFC 3339.
    time: String,
    /// The operation that made it.
    operation: String,
    /// The change in words.
    summary: String,
    /// The files that it wrote.
    files: Vec<ChangedFile>,
    #[serde(skip)]
    made: Moment,
}

#[derive(Serialize, JsonSchema)]
struct ChangedFile {
    /// The path of the file.
    path: String,
    /// `restore` (byte for byte), `remove` (it did not exist before), `restore-entries` (it has changed since, so only the changed entries are
    /// restored) or `refuse` (it has changed since, and only `whole` restores it).
    action: &'static str,
    /// Whether another program has changed the file since.
    changed: bool,
}

impl ChangeInfo {
    fn new(plan: &UndoPlan) -> Self {
        let file = |(path, action, changed): (&std::path::Path, UndoAction, bool)| ChangedFile {
            path: path.display().to_string(),
            action: action.word(),
            changed,
        };
        Self {
            number: plan.number(),
            time: plan.time().to_string(),
            operation: plan.operation().to_owned(),
            summary: plan.summary().to_owned(),
            files: plan.files().map(file).collect(),
            made: plan.time(),
        }
    }
}

/// The change that was undone.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UndoneChange {
    #[serde(flatten)]
    change: ChangeInfo,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for Undo {
    type Input = UndoInput;
    type Output = UndoneChange;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/undo", status: 200 },
        notes: &[
            "Restores files byte for byte, and removes files that the change created. In a file that was changed since, only the entries of the change are restored.",
            "Repeat it to undo earlier changes, at most 20.",
        ],
        examples: &["toolscout undo"],
        ..OperationSpec::change(
            "undo",
            "Undo the last change of servers, settings or clients",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: UndoInput,
        cx: &Cx,
    ) -> Result<UndoneChange, OperationError> {
        let plan = plans(workspace, input.whole).await?.into_iter().next();
        let Some(plan) = plan else {
            return Err(OperationError::new(
                ErrorCode::ResourceNotFound,
                "there is no change to undo",
            ));
        };
        let change = ChangeInfo::new(&plan);
        if let Some(number) = input.number.filter(|number| *number != change.number) {
            let message = format!("change {number} is not the last one: that is {}", change.number);
            return Err(OperationError::new(ErrorCode::Conflict, message)
                .hint("list the changes with `toolscout undo list`"));
        }
        let planned = PlannedChange {
            kind: ChangeKind::Settings,
            subject: format!("{} #{}", change.operation, change.number),
            action: "undone",
            summary: format!("undo `{}`: {}", change.operation, change.summary),
        };
        let guard = match cx.change(planned) {
            Ok(guard) => guard,
            Err(dry_run) => return Ok(UndoneChange { change, planned: Some(dry_run.0) }),
        };
        let before = workspace.servers();
        let store = workspace.environment.store();
        blocking(move || plan.apply(&*store).map_err(conflict)).await?;
        workspace.apply_configuration().await?;
        let now = workspace.servers();
        let added: Vec<SourceId> = now
            .configured
            .iter()
            .map(|configured| configured.server.id.clone())
            .filter(|id| before.find(id.as_str()).is_err())
            .collect();
        for configured in &before.configured {
            if now.find(configured.server.id.as_str()).is_err() {
                forget(&before, &configured.server.id);
            }
        }
        guard.commit();
        discover_added(workspace, &added).await?;
        Ok(UndoneChange { change, planned: None })
    }

    fn text(output: &UndoneChange, _: &Text) -> String {
        let is_planned = output.planned.is_some();
        let ChangeInfo { operation, summary, files, .. } = &output.change;
        let mut text = if is_planned {
            String::new()
        } else {
            format!("Undone: {} ({operation})\n", escape::line(summary))
        };
        for file in files {
            let (done, plan) = match file.action {
                "remove" => ("removed", "remove"),
                "restore-entries" => (
                    "changed since; restored its entries in",
                    "changed since; restore its entries in",
                ),
                "refuse" => ("", "changed since; restored only with --whole:"),
                _ => ("restored", "restore"),
            };
            let verb = if is_planned { plan } else { done };
            text += &format!("  {verb} {}\n", escape::line(&file.path));
        }
        text
    }

    fn planned(output: &UndoneChange) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }
}

/// List the changes that can be undone.
pub(crate) struct ListChanges;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangeList {
    /// Newest first.
    changes: Vec<ChangeInfo>,
}

impl Operation<Workspace> for ListChanges {
    type Input = NoInput;
    type Output = ChangeList;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[CommandName::new("undo list").alias("undo --list")],
        examples: &["toolscout undo list"],
        ..OperationSpec::read("undo list", "List the changes that can be undone", "/api/changes")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<ChangeList, OperationError> {
        let plans = plans(workspace, false).await?;
        Ok(ChangeList { changes: plans.iter().map(ChangeInfo::new).collect() })
    }

    fn text(output: &ChangeList, _: &Text) -> String {
        if output.changes.is_empty() {
            return "There is no change to undo.\n".to_owned();
        }
        let now = Moment::now();
        let line = |change: &ChangeInfo| {
            let age = format!("{} ago", age(change.made.age(now)));
            let operation = &change.operation;
            format!(
                "{:<5}{age:<12}{operation:<15}{}\n",
                change.number,
                escape::line(&change.summary)
            )
        };
        output.changes.iter().map(line).collect()
    }

    fn write_json(output: &ChangeList, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.changes)
    }
}

/// The changes that can be undone, newest first.
async fn plans(workspace: &Workspace, whole: bool) -> Result<Vec<UndoPlan>, OperationError> {
    let store = workspace.environment.store();
    blocking(move || UndoPlan::all(&*store, whole).map_err(failure)).await
}

/// A file that has changed since is a conflict.
fn conflict(error: toolscout_config::ConfigError) -> OperationError {
    let is_conflict = matches!(error, toolscout_config::ConfigError::Invalid { .. });
    let error = failure(error);
    if is_conflict { error.with_code(ErrorCode::Conflict) } else { error }
}

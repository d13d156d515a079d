//! `import`: add servers that other programs have configured.

mod plan_text;

pub(super) use plan_text::plan_text;

use super::client::{self, SecretStorage, client_folders, client_list};
use super::shown_path;
use crate::error::failure;
use crate::{Workspace, config};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use toolscout_config::import::{
    self, ImportPlan, ImportPlanView, ImportRequest, OwnProgram, ServerSelection,
};
use toolscout_config::{Config, ConfigScope};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, SourceId};
use toolscout_surface::operation::{Confirm, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;

/// Add servers that other programs have configured.
pub(crate) struct ImportServers;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImportServersInput {
    /// The clients to import from; all clients if omitted
    #[serde(default)]
    #[schemars(schema_with = "client_list", extend("x-cli" = {"positional": true, "value": "CLIENT"}))]
    clients: Vec<String>,
    /// Import from this file instead
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "FILE"}))]
    file: Option<PathBuf>,
    /// Import project servers into the user configuration, too
    #[serde(default)]
    global: bool,
    /// Import only this server; CLIENT/NAME is that of one client, NAME=ID renames it
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    only: Option<Vec<String>>,
    /// Where to store secrets
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "WHERE"}))]
    secrets: SecretStorage,
}

/// The found servers, and which of them were added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ImportedServers {
    /// The files the servers are added to, and all found servers.
    #[serde(flatten)]
    view: Map<String, Value>,
    #[serde(skip)]
    page: String,
    /// Files that were looked for and do not exist.
    #[serde(skip)]
    missing: Vec<PathBuf>,
    #[serde(skip)]
    message: String,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl ImportedServers {
    fn new(plan: &ImportPlan, is_written: bool, message: &str) -> Self {
        let view = serde_json::to_value(ImportPlanView::new(plan, is_written)).unwrap_or_default();
        Self {
            view: view.as_object().cloned().unwrap_or_default(),
            page: plan_text(plan),
            missing: plan.missing.clone(),
            message: message.to_owned(),
            planned: None,
        }
    }
}

impl Operation<Workspace> for ImportServers {
    type Input = ImportServersInput;
    type Output = ImportedServers;

    const SPEC: OperationSpec = OperationSpec {
        confirm: Confirm::Always,
        notes: &[
            "Shows a preview first, without secrets. The tools of imported servers are loaded in the background.",
        ],
        examples: &[
            "toolscout import",
            "toolscout import cursor --yes",
            "toolscout import --file servers.json --only github=gh",
        ],
        ..OperationSpec::local_change("import", "Import MCP servers from other programs")
    };

    async fn run(
        workspace: &Workspace,
        input: ImportServersInput,
        cx: &Cx,
    ) -> Result<ImportedServers, OperationError> {
        let plan = plan(workspace, &workspace.config(), input)?;
        let ids: Vec<_> = plan.additions().map(|(id, _)| id.clone()).collect();
        if ids.is_empty() {
            let message = match (plan.files.is_empty(), plan.servers().next()) {
                (true, _) => {
                    "No configuration of another program found.\n  hint: use --verbose to list the files that were checked\n"
                }
                (false, Some(_)) => "Nothing to add.\n",
                (false, None) => "",
            };
            return Ok(ImportedServers::new(&plan, false, message));
        }
        let summary = format!("{} to {}", counted(ids.len(), "server"), changed_files(&plan));
        let subject = ids.iter().map(SourceId::as_str).collect::<Vec<_>>().join(", ");
        let planned = PlannedChange {
            kind: ChangeKind::Server,
            subject,
            action: "added",
            summary: format!("add {summary}"),
        };
        let change = match cx.change(planned) {
            Ok(change) => change,
            Err(DryRun(planned)) => {
                return Ok(ImportedServers {
                    planned: Some(planned),
                    ..ImportedServers::new(&plan, false, "")
                });
            }
        };
        let editor = config::editor(workspace, Self::SPEC.name, &change.planned().summary);
        import::apply(&plan, &editor).map_err(failure)?;
        let message = format!("Added {summary}\n");
        let mut imported = ImportedServers::new(&plan, true, &message);
        drop(plan);
        client::apply_added(workspace, &ids, &editor).await?;
        change.commit();
        if client::discover_added(workspace, &ids).await? {
            imported.message += client::TOOLS_ARE_LOADING;
        }
        Ok(imported)
    }

    fn text(output: &ImportedServers, _: &Text) -> String {
        output.page.clone()
    }

    fn is_data(_: &ImportedServers) -> bool {
        true
    }

    fn planned(output: &ImportedServers) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &ImportedServers, text: &Text) -> String {
        let missing = output.missing.iter().filter(|_| text.verbose);
        missing.map(|path| format!("not found: {}\n", shown_path(path))).collect::<String>()
            + &output.message
    }
}

/// The files that the plan adds servers to.
fn changed_files(plan: &ImportPlan) -> String {
    plan.changed_files().into_iter().map(shown_path).collect::<Vec<_>>().join(" and ")
}

fn plan(
    workspace: &Workspace,
    config: &Config,
    input: ImportServersInput,
) -> Result<ImportPlan, OperationError> {
    if input.file.is_some() && !input.clients.is_empty() {
        let error = OperationError::invalid("use either client names or --file, not both");
        return Err(error.hint("toolscout import --file FILE"));
    }
    let only =
        input.only.as_deref().map(ServerSelection::parse_all).transpose().map_err(failure)?;
    let file = input.file.map(|file| workspace.environment.cwd().join(file));
    let request = ImportRequest {
        clients: input.clients.iter().filter_map(|name| import::find_client(name)).collect(),
        file: file.as_deref(),
        only,
        scope: input.global.then_some(ConfigScope::User),
        secrets: input.secrets.handling(config)?,
        folders: &client_folders(workspace, config),
        own: &OwnProgram::running(&workspace.program),
    };
    import::plan(request, config).map_err(failure)
}

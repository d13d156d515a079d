//! `project update`: writes settings into the configuration file of the project.

use super::configuration::{Configuration, current_configuration};
use crate::Workspace;
use crate::config;
use crate::error::failure;
use crate::operations::{blocking, shown_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolscout_config::{ConfigEdit, ConfigScope};
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_surface::operation::{
    CommandName, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// Change settings of the project.
pub(crate) struct UpdateProjectConfiguration;

/// Tables with operations of their own, which check and review the entries.
const SERVER_TABLES: [&str; 2] = ["servers", "mcpServers"];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateProjectConfigurationInput {
    /// Settings as in `toolscout.toml`; tables are merged, and `null` removes a setting
    settings: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct UpdatedProjectConfiguration {
    /// The changed file.
    file: String,
    /// The changed settings, such as `search.semantic`.
    changed: Vec<String>,
    /// The configuration after the change.
    configuration: Configuration,
}

impl Operation<Workspace> for UpdateProjectConfiguration {
    type Input = UpdateProjectConfigurationInput;
    type Output = UpdatedProjectConfiguration;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "PUT", path: "/api/configuration", status: 200 },
        commands: CommandName::NONE,
        examples: &["PUT /api/configuration {\"settings\": {\"meta_tools\": \"always\"}}"],
        notes: &["Keeps comments and all other settings. Writes nothing if the result is invalid."],
        ..OperationSpec::change(
            "project update",
            "Change settings in the configuration file of the project",
            "PUT",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: UpdateProjectConfigurationInput,
        cx: &Cx,
    ) -> Result<UpdatedProjectConfiguration, OperationError> {
        let edits = edits(&input.settings)?;
        let changed: Vec<String> = edits.iter().map(|(path, _)| path.join(".")).collect();
        let file = workspace.config().own_file(ConfigScope::Project).map_err(failure)?;
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Settings,
            subject: changed.join(", "),
            action: "changed",
            summary: format!("change {} in {}", changed.join(", "), file.display()),
        })?;
        let (editor, written) =
            (config::editor(workspace, Self::SPEC.name, &change.planned().summary), file.clone());
        blocking(move || {
            let compute = |map: &Map<String, Value>| {
                Ok(edits.iter().filter_map(|edit| config_edit(edit, map)).collect())
            };
            editor.edit(&written, compute).map_err(failure)
        })
        .await?;
        workspace.apply_configuration().await?;
        change.commit();
        let configuration = current_configuration(workspace, cx).await;
        Ok(UpdatedProjectConfiguration { file: shown_path(&file), changed, configuration })
    }

    fn text(output: &UpdatedProjectConfiguration, _: &Text) -> String {
        format!("Changed {} in {}.\n", output.changed.join(", "), output.file)
    }
}

/// A setting by its path, and its new value.
type Edit = (Vec<String>, Value);

/// One edit for each value that is not a table.
fn edits(settings: &Map<String, Value>) -> Result<Vec<Edit>, OperationError> {
    if let Some(table) = SERVER_TABLES.into_iter().find(|table| settings.contains_key(*table)) {
        let error = OperationError::invalid(format!("`{table}` cannot be changed as a setting"));
        return Err(error.hint("use POST /api/servers, and PUT or DELETE /api/servers/{id}"));
    }
    let mut all = Vec::new();
    collect(&[], settings, &mut all);
    if all.is_empty() {
        let error = OperationError::invalid("`settings` is empty");
        return Err(error.hint("send the settings to change, as in `toolscout.toml`"));
    }
    Ok(all)
}

fn collect(path: &[String], table: &Map<String, Value>, all: &mut Vec<Edit>) {
    for (key, value) in table {
        let path = [path, std::slice::from_ref(key)].concat();
        match value {
            Value::Object(inner) => collect(&path, inner, all),
            value => all.push((path, value.clone())),
        }
    }
}

/// The edit of the file; none if the setting to remove is not in it.
fn config_edit((path, value): &Edit, map: &Map<String, Value>) -> Option<ConfigEdit> {
    if !value.is_null() {
        return Some(ConfigEdit::Set(path.clone(), value.clone()));
    }
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first)?, |value, key| value.get(key))?;
    Some(ConfigEdit::Remove(path.clone()))
}

//! `secret set`, `secret list` and `secret remove`: the user's stored secrets. No operation
//! returns a value.

use super::client::discover_again;
use super::server::ControlServer;
use super::status::NoInput;
use super::{blocking, shown_path};
use crate::Workspace;
use crate::error::failure;
use crate::servers::ServerSet;
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toolscout_config::{ConfiguredServer, StoredSecrets};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceId, escape};
use toolscout_mcp_client::{McpSource, ReferenceLookup};
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};

/// Store a secret.
pub(crate) struct SetSecret;
/// List stored and missing secrets.
pub(crate) struct ListSecrets;
/// Remove a stored secret.
pub(crate) struct RemoveSecret;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetSecretInput {
    /// The name of the variable that servers refer to
    #[schemars(extend("x-cli" = {"positional": true}))]
    name: String,
    /// The value
    #[schemars(length(min = 1, max = 65_536), extend("x-cli" = {"secret": true}))]
    value: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveSecretInput {
    /// The name of the secret
    #[schemars(extend("x-cli" = {"positional": true}))]
    name: String,
}

/// A changed secret.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedSecret {
    /// The name of the secret.
    name: String,
    /// The servers that use it.
    used_by: Vec<String>,
    #[serde(skip)]
    message: String,
}

impl Operation<Workspace> for SetSecret {
    type Input = SetSecretInput;
    type Output = ChangedSecret;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Reads the value from standard input, or prompts for it. `env:NAME` and `${NAME}` find it if the variable is not set.",
        ],
        examples: &["toolscout secret set BRAVE_API_KEY < key.txt"],
        ..OperationSpec::change("secret set", "Store a secret", "PUT", "/api/secrets/{name}")
    };

    async fn run(
        workspace: &Workspace,
        input: SetSecretInput,
        cx: &Cx,
    ) -> Result<ChangedSecret, OperationError> {
        let SetSecretInput { name, value } = input;
        let secrets = secrets(workspace)?;
        let path = secrets.path(&name).map_err(failure)?;
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Secret,
            subject: name.clone(),
            action: "set",
            summary: format!("store the secret `{name}` in {}", shown_path(&path)),
        })?;
        toolscout_core::redact::add_secret(&value);
        let stored = name.clone();
        blocking(move || secrets.set(&stored, &value).map_err(failure)).await?;
        change.commit();
        let users = users(workspace, &name, &path);
        let running = stop(workspace, &users).await;
        discover_again(workspace, &users, cx).await?;
        let used_by: Vec<_> = users.iter().map(SourceId::to_string).collect();
        let message = match used_by.as_slice() {
            [] => format!(
                "Stored {name}. No server uses it yet; refer to it with env:{name}, as in `toolscout server add ID --env {name}=env:{name} -- COMMAND`.\n"
            ),
            ids => format!(
                "Stored {name}. Used by {}; the tools are loading in the background.\n  hint: toolscout server list\n",
                ids.join(", ")
            ),
        };
        let message = message + &restart_hint(&running);
        Ok(ChangedSecret { name, used_by, message })
    }

    fn text(output: &ChangedSecret, _: &Text) -> String {
        output.message.clone()
    }
}

/// Stored secrets, and variables that servers need and that are missing.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SecretList {
    /// The stored secrets, by name.
    secrets: Vec<SecretInfo>,
    /// Variables that servers need, and that are neither set nor stored.
    missing: Vec<MissingSecret>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SecretInfo {
    /// The name of the secret.
    name: String,
    /// The file that contains it.
    path: String,
    /// The servers that use it.
    used_by: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissingSecret {
    /// The name of the variable.
    name: String,
    /// The servers that need it.
    used_by: Vec<String>,
}

impl Operation<Workspace> for ListSecrets {
    type Input = NoInput;
    type Output = SecretList;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[
            CommandName::new("secret list"),
            CommandName::new("secret").summary("Store, list and remove secrets of servers"),
        ],
        examples: &["toolscout secret list"],
        ..OperationSpec::read(
            "secret list",
            "List stored secrets, and variables that servers lack",
            "/api/secrets",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<SecretList, OperationError> {
        let stored = secrets(workspace)?;
        let (set, lookup) = (workspace.servers(), workspace.environment.lookup());
        let names = stored.names().map_err(failure)?;
        let secret = |name: String| {
            let path = stored.folder().join(&name);
            let users = users(workspace, &name, &path);
            let used_by = users.iter().map(SourceId::to_string).collect();
            SecretInfo { path: path.display().to_string(), used_by, name }
        };
        Ok(SecretList {
            secrets: names.into_iter().map(secret).collect(),
            missing: missing(&set, &lookup),
        })
    }

    fn text(output: &SecretList, _: &Text) -> String {
        let mut text = String::new();
        let width = output.secrets.iter().map(|secret| secret.name.len()).max().unwrap_or(0);
        for SecretInfo { name, used_by, .. } in &output.secrets {
            let used_by = if used_by.is_empty() {
                "not used".to_owned()
            } else {
                format!("used by {}", used_by.join(", "))
            };
            text += &format!("{name:<width$}  {used_by}\n");
        }
        for MissingSecret { name, used_by } in &output.missing {
            text += &format!(
                "missing: {} (needed by {}); store it with `toolscout secret set {0}`\n",
                escape::line(name),
                used_by.join(", ")
            );
        }
        if text.is_empty() {
            "No secret is stored, and none is missing.\n".to_owned()
        } else {
            text
        }
    }
}

impl Operation<Workspace> for RemoveSecret {
    type Input = RemoveSecretInput;
    type Output = ChangedSecret;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["`undo` does not restore a removed secret."],
        examples: &["toolscout secret remove OLD_TOKEN"],
        ..OperationSpec::change(
            "secret remove",
            "Remove a stored secret",
            "DELETE",
            "/api/secrets/{name}",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: RemoveSecretInput,
        cx: &Cx,
    ) -> Result<ChangedSecret, OperationError> {
        let (name, secrets) = (input.name, secrets(workspace)?);
        let path = secrets.path(&name).map_err(failure)?;
        if !path.is_file() {
            let error = OperationError::not_found("Secret");
            return Err(error.hint("run `toolscout secret list` to list the secrets"));
        }
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Secret,
            subject: name.clone(),
            action: "removed",
            summary: format!("remove the secret `{name}`"),
        })?;
        secrets.remove(&name).map_err(failure)?;
        change.commit();
        let users = users(workspace, &name, &path);
        let running = stop(workspace, &users).await;
        let used_by: Vec<_> = users.iter().map(SourceId::to_string).collect();
        let message = match (used_by.as_slice(), running.as_slice()) {
            ([], _) => format!("Removed {name}.\n"),
            (ids, []) => format!("Removed {name}. {} can no longer use it.\n", ids.join(", ")),
            (ids, running) => {
                format!("Removed {name}. Used by {}.\n{}", ids.join(", "), restart_hint(running))
            }
        };
        Ok(ChangedSecret { name, used_by, message })
    }

    fn text(output: &ChangedSecret, _: &Text) -> String {
        output.message.clone()
    }
}

fn secrets(workspace: &Workspace) -> Result<StoredSecrets, OperationError> {
    workspace.config().secrets_folder().map(StoredSecrets::new).map_err(failure)
}

/// The servers that refer to a secret by its name or by its file.
fn users(workspace: &Workspace, name: &str, path: &Path) -> Vec<SourceId> {
    let (set, lookup) = (workspace.servers(), workspace.environment.lookup());
    let uses = |configured: &&ConfiguredServer| {
        configured.server.transport.texts().into_iter().any(|text| {
            text.variables().iter().any(|(variable, _)| *variable == name)
                || text.referenced_file(&lookup).is_some_and(|file| file == path)
        })
    };
    set.configured.iter().filter(uses).map(|configured| configured.server.id.clone()).collect()
}

/// Stops these servers here and in the process that hosts them: a running server has the value that
/// it was started with. The next call starts it again. Returns those that could not be stopped.
async fn stop(workspace: &Workspace, ids: &[SourceId]) -> Vec<String> {
    let set = workspace.servers();
    let is_user = |source: &&Arc<McpSource>| ids.contains(&source.server().id);
    join_all(set.sources.iter().filter(is_user).map(|source| source.stop())).await;
    let Some(host) = &set.control else { return Vec::new() };
    let mut running = Vec::new();
    for id in ids.iter().map(SourceId::to_string) {
        let fields = json!({"id": id, "action": "stop", "wait": true});
        let Value::Object(input) = fields else { continue };
        let route = <ControlServer as Operation<Workspace>>::SPEC.route;
        // No server runs in a host that does not respond.
        match host.run(&route, input, "application/json", |_| ()).await {
            Ok(response) if !response.status.is_success() => running.push(id),
            _ => {}
        }
    }
    running
}

/// What the operator still has to do about servers that run with the old value.
fn restart_hint(running: &[String]) -> String {
    running
        .iter()
        .map(|id| format!("  hint: restart {id} with `toolscout server restart {id}`\n"))
        .collect()
}

/// Variables that enabled servers need, and that are neither set nor stored.
fn missing(set: &ServerSet, lookup: &ReferenceLookup) -> Vec<MissingSecret> {
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for configured in set.configured.iter().filter(|configured| configured.server.enabled) {
        let texts = configured.server.transport.texts();
        for name in texts.into_iter().flat_map(|text| text.missing_variables(lookup)) {
            let used_by = missing.entry(name).or_default();
            let id = configured.server.id.to_string();
            if !used_by.contains(&id) {
                used_by.push(id);
            }
        }
    }
    let missing = missing.into_iter();
    missing.map(|(name, used_by)| MissingSecret { name: name.to_owned(), used_by }).collect()
}

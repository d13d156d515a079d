//! `server add` and `server update`: write the entry of a server.

use super::sandbox::SandboxFlags;
use super::{ServerInfo, blocking, find, server_info};
use crate::Workspace;
use crate::config;
use crate::error::failure;
use crate::operations::policy::PolicyValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_config::import::redacted;
use toolscout_config::{
    ConfigEdit, ConfigEditor, ConfigScope, ConfiguredServer, EntryContext, ServerEntry,
};
use toolscout_core::authorization::Policy;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceId, escape, redact};
use toolscout_gateway::policy::{LevelName, PolicyUpdate};
use toolscout_mcp_client::ConfigText;
use toolscout_surface::operation::{
    ErrorCode, HttpRoute, Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;

/// Add a server.
pub(crate) struct AddServer;
/// Change a server.
pub(crate) struct UpdateServer;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields, extend("x-cli-rest" = ["command", "args"]))]
pub(crate) struct AddServerInput {
    /// The id: lowercase letters, digits, `-` and `_`
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    #[serde(flatten)]
    settings: ServerSettings,
    /// Add the server to the user configuration, for all projects
    #[serde(default)]
    global: bool,
    /// Quarantine each of its tools until it is approved
    #[serde(default)]
    untrusted: bool,
    /// Replace a server with the same id
    #[serde(default)]
    replace: bool,
    /// Wait until its tools are loaded
    #[serde(default)]
    wait: bool,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("x-cli-rest" = ["command", "args"]))]
pub(crate) struct UpdateServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    #[serde(flatten)]
    settings: ServerSettings,
}

/// The entry of a server. An update replaces only the given fields.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerSettings {
    /// The URL of an HTTP server
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true}))]
    url: Option<String>,
    /// The command of a stdio server
    #[serde(default)]
    command: Option<String>,
    /// The arguments of the command
    #[serde(default)]
    args: Option<Vec<String>>,
    /// Set an environment variable; for secrets use a reference such as env:NAME
    #[serde(default)]
    #[schemars(extend("x-cli" = {"pairs": "=", "value": "NAME=VALUE"}))]
    env: Option<BTreeMap<String, String>>,
    /// The working directory of the command
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "DIR"}))]
    cwd: Option<String>,
    /// Send an HTTP header; for secrets use a reference such as env:NAME
    #[serde(default)]
    #[schemars(extend("x-cli" = {"flag": "header", "pairs": ":", "value": "NAME: VALUE"}))]
    headers: Option<BTreeMap<String, String>>,
    /// Send a bearer token; use a reference such as env:NAME
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "TOKEN"}))]
    bearer: Option<String>,
    /// Use the SSE transport of 2024
    #[serde(default)]
    sse: Option<bool>,
    #[serde(flatten)]
    pub(super) confinement: SandboxFlags,
    /// Enable or disable the server
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    enabled: Option<bool>,
    /// The policies of its tools, by name; `*` for all others
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    tools: Option<BTreeMap<String, PolicyValue>>,
}

impl ServerSettings {
    /// Refuses policies that are looser than the levels above allow, as `policy set` does.
    fn check_policies(
        &self,
        workspace: &Workspace,
        id: &SourceId,
        scope: ConfigScope,
    ) -> Result<(), OperationError> {
        let policies = workspace.tools.gateway().policies();
        let level = match scope {
            ConfigScope::User => LevelName::Global,
            ConfigScope::Project => LevelName::Project,
        };
        for (name, policy) in self.tools.iter().flatten() {
            let pattern = format!("{id}/{name}");
            let policy = Some(Policy::from(*policy));
            policies
                .check(&PolicyUpdate { level, pattern, policy })
                .map_err(OperationError::from)?;
        }
        Ok(())
    }
}

/// The server after the change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ServerUpdate {
    /// `added` or `changed`.
    status: &'static str,
    /// The server.
    server: ServerInfo,
    /// Warnings, for example about secrets in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Operation<Workspace> for AddServer {
    type Input = AddServerInput;
    type Output = ServerUpdate;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/servers", status: 201 },
        notes: &[
            "Returns at once; its tools are discovered in the background. The entry stays if that fails.",
            "Over HTTP, a new server is always untrusted: each of its tools is quarantined.",
        ],
        examples: &[
            "toolscout server add files -- npx -y @modelcontextprotocol/server-filesystem .",
            "toolscout server add github https://api.githubcopilot.com/mcp/ --bearer env:GITHUB_TOKEN",
        ],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::change(
            "server add",
            "Add a server: a command after `--`, or a URL",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: AddServerInput,
        cx: &Cx,
    ) -> Result<ServerUpdate, OperationError> {
        let id = new_id(&input.id)?;
        input.settings.check_new()?;
        let config = workspace.config();
        if let (Some(existing), false) = (config.server(id.as_str()), input.replace) {
            return Err(duplicate(&id, &existing.file));
        }
        let is_trusted = cx.caller.is_user() && !input.untrusted;
        let entry = ServerEntry {
            trust: (!is_trusted).then_some(false),
            ..input.settings.clone().into_entry()
        };
        let scope = if input.global { ConfigScope::User } else { ConfigScope::Project };
        input.settings.check_policies(workspace, &id, scope)?;
        let file = config.own_file(scope).map_err(failure)?;
        let context = context(workspace, &file, scope);
        let invalid = |reason| OperationError::invalid(format!("invalid server entry: {reason}"));
        entry.to_server_config(id.clone(), &context).map_err(invalid)?;
        let preview = serde_json::to_string(&redacted(entry.clone())).unwrap_or_default();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Server,
            subject: id.to_string(),
            action: "added",
            summary: format!("add server `{id}` to {}: {preview}", file.display()),
        })?;
        let mut warnings = plain_secrets(&entry, &file);
        let written_to = file.clone();
        let editor = config::editor(workspace, Self::SPEC.name, &change.planned().summary);
        let (written, replace, writer) = (id.clone(), input.replace, editor.clone());
        blocking(move || writer.add_server(&file, &written, &entry, replace).map_err(failure))
            .await?;
        workspace.apply_configuration().await?;
        if workspace.config().server(id.as_str()).is_none() {
            return Err(undo_add(workspace, editor, &id, &written_to).await);
        }
        record_trust(workspace, editor, &id, is_trusted).await?;
        change.commit();
        if input.wait {
            warnings.extend(workspace.discover_now(id.as_str(), cx).await?);
        } else {
            workspace.discover_in_background(id.as_str()).await?;
        }
        Ok(ServerUpdate {
            status: "added",
            server: server_info(workspace, &id, cx).await?,
            warnings,
        })
    }

    fn text(output: &ServerUpdate, _: &Text) -> String {
        let ServerInfo { id, file, discovery_status, tool_count, .. } = &output.server;
        let mut text = format!("Added {id} to {}.\n", escape::line(file));
        match *discovery_status {
            "success" => text += &format!("{id}: {}\n", counted(*tool_count, "tool")),
            _ => text += "Its tools are loading in the background; see `toolscout server list`.\n",
        }
        text
    }

    fn warnings(output: &ServerUpdate) -> &[String] {
        &output.warnings
    }
}

impl Operation<Workspace> for UpdateServer {
    type Input = UpdateServerInput;
    type Output = ServerUpdate;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "A server whose command, arguments, environment or URL changes is no longer trusted.",
        ],
        examples: &[
            "toolscout server update files --cwd tools",
            "toolscout server update files --allow-read ~/docs",
        ],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::change("server update", "Change a server", "PUT", "/api/servers/{id}")
    };

    async fn run(
        workspace: &Workspace,
        input: UpdateServerInput,
        cx: &Cx,
    ) -> Result<ServerUpdate, OperationError> {
        let UpdateServerInput { id, settings } = input;
        settings.check()?;
        let configured = find(&workspace.servers(), &id)?.clone();
        let id = configured.server.id.clone();
        settings.check_policies(workspace, &id, configured.scope)?;
        let (subject, summary) =
            (id.to_string(), format!("change server `{id}` in {}", configured.file.display()));
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Server,
            subject,
            action: "changed",
            summary,
        })?;
        let changes_program = settings.changes_program();
        let changes_sandbox = settings.confinement.is_given();
        let (was_trusted, may_start) = (configured.server.trusted, configured.may_start);
        let editor = config::editor(workspace, Self::SPEC.name, &change.planned().summary);
        let context = context(workspace, &configured.file, configured.scope);
        let writer = editor.clone();
        blocking(move || write(&writer, &configured, settings, &context)).await?;
        workspace.apply_configuration().await?;
        // The record covers the whole entry: if no operator has approved it yet, this change does not
        // approve the rest of it.
        if may_start && (changes_program || changes_sandbox) {
            record_trust(workspace, editor, &id, was_trusted && !changes_program).await?;
        }
        change.commit();
        Ok(ServerUpdate {
            status: "changed",
            server: server_info(workspace, &id, cx).await?,
            warnings: Vec::new(),
        })
    }

    fn text(output: &ServerUpdate, _: &Text) -> String {
        format!("Changed {} in {}.\n", output.server.id, escape::line(&output.server.file))
    }

    fn warnings(output: &ServerUpdate) -> &[String] {
        &output.warnings
    }
}

fn write(
    editor: &ConfigEditor,
    configured: &ConfiguredServer,
    settings: ServerSettings,
    context: &EntryContext,
) -> Result<(), OperationError> {
    let (enabled, changes_program) = (settings.enabled, settings.changes_program());
    let written = editor.written_entry(configured).map_err(failure)?;
    let mut fields = settings.into_fields(&written);
    if changes_program {
        fields.insert("trust".to_owned(), json!(false));
    }
    if !fields.is_empty() {
        editor.update_server(configured, &fields, context).map_err(failure)?;
    }
    match enabled {
        Some(enabled) => editor.set_enabled(configured, enabled).map_err(failure),
        None => Ok(()),
    }
}

/// Removes an entry that the configuration reader rejects as a server, such as toolscout
/// itself; returns the reason.
async fn undo_add(
    workspace: &Workspace,
    editor: ConfigEditor,
    id: &SourceId,
    file: &Path,
) -> OperationError {
    let config = workspace.config();
    let mentions_id = |message: &str| message.contains(&format!("`{id}`"));
    let reason = config
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.as_str())
        .find(|message| mentions_id(message));
    let error = OperationError::invalid(reason.unwrap_or("this entry is not a valid server"));
    let (id, file) = (id.to_string(), file.to_owned());
    let removed = blocking(move || {
        let tables = ["servers", "mcpServers"];
        let remove = |map: &Map<String, Value>| {
            let table = tables
                .into_iter()
                .find(|table| map.get(*table).is_some_and(|map| map.get(&id).is_some()));
            Ok(table
                .map(|table| ConfigEdit::Remove(vec![table.to_owned(), id.clone()]))
                .into_iter()
                .collect())
        };
        editor.edit(&file, remove).map_err(failure)
    });
    // The reason is returned whether or not the entry could be removed.
    let _ = removed.await;
    let _ = workspace.apply_configuration().await;
    error
}

/// Records that an operator added this server, and whether its tools are trusted at first
/// sight.
async fn record_trust(
    workspace: &Workspace,
    editor: ConfigEditor,
    id: &SourceId,
    trusted: bool,
) -> Result<(), OperationError> {
    let (set, recorded) = (workspace.servers(), id.clone());
    blocking(move || set.record_added(&recorded, trusted, &editor).map_err(failure)).await?;
    Ok(workspace.apply_configuration().await?)
}

/// A valid id that is not reserved by toolscout.
pub(super) fn new_id(text: &str) -> Result<SourceId, OperationError> {
    let id = SourceId::new(text).map_err(|error| {
        OperationError::invalid(format!("`id`: {error}")).hint(format!("try `{}`", error.nearest))
    })?;
    if SourceId::RESERVED.contains(&id.as_str()) {
        return Err(
            OperationError::invalid(format!("`id`: `{id}` is reserved")).hint("choose another id")
        );
    }
    Ok(id)
}

fn duplicate(id: &SourceId, file: &Path) -> OperationError {
    let message = format!("Server '{id}' already exists in {}", file.display());
    OperationError::new(ErrorCode::DuplicateServer, message)
        .hint("choose another id, or use --replace")
}

/// Warnings about secrets that are written to the file in plain text.
fn plain_secrets(entry: &ServerEntry, file: &Path) -> Vec<String> {
    let is_plain = |value: &str| !ConfigText::new(value, None).is_reference() && !value.is_empty();
    let secret_names = entry.env.iter().chain(&entry.headers);
    let secret_names = secret_names
        .filter(|(name, value)| redact::names_a_secret(name) && is_plain(value))
        .map(|(name, _)| name.as_str());
    let bearer = entry.bearer.as_deref().filter(|token| is_plain(token)).map(|_| "bearer");
    let warning = |name: &str| {
        let reference = "use a reference instead: env:NAME, file:PATH or keyring:NAME";
        format!("the value of `{name}` is stored in {} as plain text; {reference}", file.display())
    };
    secret_names.chain(bearer).map(warning).collect()
}

impl ServerSettings {
    pub(super) fn check_new(&self) -> Result<(), OperationError> {
        if self.command.is_none() && self.url.is_none() {
            let usage = "toolscout server add ID -- COMMAND ARGS…, or toolscout server add ID URL";
            return Err(OperationError::invalid("`command` or `url` is missing").hint(usage));
        }
        self.check()
    }

    pub(super) fn check(&self) -> Result<(), OperationError> {
        if self.command.is_some() && self.url.is_some() {
            return Err(OperationError::invalid("use either `command` or `url`, not both"));
        }
        if self.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            return Err(OperationError::invalid("`command` is empty"));
        }
        let is_http = |url: &String| url.starts_with("http://") || url.starts_with("https://");
        if self.url.as_ref().is_some_and(|url| !is_http(url)) {
            return Err(OperationError::invalid("`url` must start with `http://` or `https://`"));
        }
        let program_fields = [
            ("env", self.env.is_some()),
            ("cwd", self.cwd.is_some()),
            ("sandbox", self.confinement.is_given()),
        ];
        let url_fields = [
            ("headers", self.headers.is_some()),
            ("bearer", self.bearer.is_some()),
            ("sse", self.sse == Some(true)),
        ];
        let misplaced = match (&self.command, &self.url) {
            (Some(_), None) => url_fields
                .iter()
                .find(|(_, given)| *given)
                .map(|(name, _)| (name, "an HTTP server")),
            (None, Some(_)) => program_fields
                .iter()
                .find(|(_, given)| *given)
                .map(|(name, _)| (name, "a stdio server")),
            _ => None,
        };
        if let Some((name, kind)) = misplaced {
            return Err(OperationError::invalid(format!("`{name}` is only valid for {kind}")));
        }
        let texts =
            self.command.iter().chain(&self.url).chain(&self.cwd).chain(self.args.iter().flatten());
        let texts = texts.chain(self.confinement.texts());
        let maps =
            self.env.iter().chain(&self.headers).flatten().flat_map(|(name, value)| [name, value]);
        if texts.chain(maps).any(|text| text.contains('\0')) {
            return Err(OperationError::invalid("NUL characters are not allowed"));
        }
        Ok(())
    }

    /// Whether the command, the URL or their settings change.
    fn changes_program(&self) -> bool {
        let Self { command, args, env, cwd, url, headers, bearer, sse, .. } = self;
        command.is_some()
            || args.is_some()
            || env.is_some()
            || cwd.is_some()
            || url.is_some()
            || headers.is_some()
            || bearer.is_some()
            || sse.is_some()
    }

    pub(super) fn into_entry(self) -> ServerEntry {
        let tools = self.tools.into_iter().flatten();
        let entry = ServerEntry {
            command: self.command,
            args: self.args.unwrap_or_default(),
            env: self.env.unwrap_or_default(),
            cwd: self.cwd,
            url: self.url,
            kind: (self.sse == Some(true)).then(|| "sse".to_owned()),
            headers: self.headers.unwrap_or_default(),
            bearer: self.bearer,
            enabled: self.enabled,
            tools: tools
                .map(|(name, policy)| (name, Policy::from(policy).as_str().to_owned()))
                .collect(),
            ..ServerEntry::default()
        };
        self.confinement.add_to(entry)
    }

    /// The given fields in the format of the file, without `enabled`. `written` is the entry in
    /// the file.
    pub(super) fn into_fields(self, written: &Map<String, Value>) -> Map<String, Value> {
        let tools = self.tools.map(|tools| {
            tools
                .into_iter()
                .map(|(name, policy)| (name, json!(Policy::from(policy).as_str())))
                .collect::<Map<_, _>>()
        });
        let fields = [
            ("command", self.command.map(Value::from)),
            ("args", self.args.map(Value::from)),
            ("env", self.env.map(|env| json!(env))),
            ("cwd", self.cwd.map(Value::from)),
            ("url", self.url.map(Value::from)),
            ("headers", self.headers.map(|headers| json!(headers))),
            ("bearer", self.bearer.map(Value::from)),
            ("type", self.sse.map(|is_sse| json!(if is_sse { "sse" } else { "http" }))),
            ("tools", tools.map(Value::Object)),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let mut fields: Map<_, _> = given.collect();
        self.confinement.add_fields(written, &mut fields);
        fields
    }
}

/// The context for interpreting an entry of this file.
pub(super) fn context(workspace: &Workspace, file: &Path, scope: ConfigScope) -> EntryContext {
    let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
    let root = workspace.config().root.clone();
    let base = match scope {
        ConfigScope::User => folder,
        ConfigScope::Project => root.clone().unwrap_or(folder),
    };
    EntryContext {
        file: file.to_owned(),
        root,
        base,
        trusted: false,
        lookup: workspace.environment.lookup(),
    }
}

//! A server as a source of tools: listed from its record, started when it is called.

mod call;
mod library;

#[cfg(all(test, unix))]
mod tests;

use super::client::ToolDefinition;
use super::connections::Connections;
use super::discovery::{DiscoveryOutcome, ServerContext, ServerTestOutcome};
use super::fingerprint;
use super::record::{DiscoveryRecord, DiscoveryStatus, Staleness};
use super::running::InUse;
use super::supervisor::{Phase, Supervisor};
use super::{ClientError, NewTools, OnChange, ServerConfig, ServerTransport};
use futures_util::stream;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Diagnostic, DiagnosticKind, DiscoveryItem,
    Library, Moment, Provenance, ReviewMode, Source, SourceError, SourceId, SourceKind, Status,
    Tool, ToolCall, ToolId, ToolName, ToolOutput, escape,
};

/// A server as a source of tools.
///
/// [`Source::discover`] reads the record and starts nothing; [`McpSource::refresh`] lists the
/// server. A call starts the server if necessary, and checks that the tool is still the one that
/// the caller has seen.
pub struct McpSource {
    server: Arc<ServerConfig>,
    context: Arc<ServerContext>,
    connections: Connections,
    /// The reason why it must not be started, if there is one.
    barred: Option<String>,
    entry: Arc<str>,
    /// The server's instructions, as of the last discovery.
    about: Mutex<Option<Arc<str>>>,
    /// The tools that the configuration names; placeholders until the first discovery.
    named_tools: Mutex<Vec<ToolName>>,
}

/// Keeps a server running until it is dropped.
pub struct ServerHold {
    _in_use: InUse,
}

impl McpSource {
    /// Creates a source; starts nothing.
    pub fn new(server: ServerConfig, context: Arc<ServerContext>) -> Self {
        let server = Arc::new(server);
        let connections = Connections::new(server.clone(), context.clone());
        let entry = fingerprint::entry_fingerprint(&server).into();
        let (about, named_tools) = (Mutex::default(), Mutex::default());
        let source = Self { server, context, connections, barred: None, entry, about, named_tools };
        source.set_named_tools(source.server.policies.keys());
        source
    }

    /// Sets the names of tools that have a policy in the configuration. Names that no tool can
    /// have, such as `*`, are ignored.
    pub fn set_named_tools<'a>(&self, names: impl IntoIterator<Item = &'a String>) {
        let names = names.into_iter().filter(|name| !name.contains('*'));
        *self.named_tools.lock() = names.filter_map(|name| ToolName::new(name).ok()).collect();
    }

    /// Prevents the server from being started; its record stays readable. The reason includes the
    /// remedy.
    pub fn barred(mut self, reason: impl Into<String>) -> Self {
        self.barred = Some(reason.into());
        self
    }

    /// The configuration.
    pub fn server(&self) -> &ServerConfig {
        &self.server
    }

    /// Lists the server and stores the result; see [`ServerContext::discover`]. If the server runs
    /// in this process, that instance is listed.
    pub async fn refresh(&self, cx: &Cx) -> Result<DiscoveryOutcome, SourceError> {
        self.check_may_start()?;
        self.connections.main.refresh(cx).await
    }

    /// Starts the server, lists its tools, and stops it; stores nothing.
    pub async fn try_out(&self, cx: &Cx) -> Result<ServerTestOutcome, SourceError> {
        self.check_may_start()?;
        self.context
            .try_out(&self.server, cx)
            .await
            .map_err(|error| error.into_source_error(&self.server.id))
    }

    /// The `WWW-Authenticate` header of a request without a login. `None` if the server needs no
    /// login.
    pub async fn challenge(&self, cx: &Cx) -> Option<String> {
        match self.context.without_tokens().try_out(&self.server, cx).await {
            Err(ClientError::Login { challenge, .. }) => challenge,
            _ => None,
        }
    }

    /// Whether it may be started.
    pub fn may_start(&self) -> bool {
        self.barred.is_none()
    }

    /// Starts the server and keeps it running even if it is unused.
    pub async fn start(&self, cx: &Cx) -> Result<(), SourceError> {
        self.check_may_start()?;
        self.connections
            .main
            .keep_running(cx)
            .await
            .map_err(|error| error.into_source_error(&self.server.id))
    }

    /// Starts the server as a call does: it is stopped when it has been unused for a while.
    pub async fn warm_up(&self, cx: &Cx) -> Result<(), SourceError> {
        self.check_may_start()?;
        let acquired = self.connections.main.acquire(cx).await;
        acquired.map(drop).map_err(|error| error.into_source_error(&self.server.id))
    }

    /// Keeps the server running here for a call that another replica of the fleet has forwarded;
    /// starts it if necessary. `None` if it must not run here.
    pub async fn hold(&self, cx: &Cx) -> Result<Option<ServerHold>, SourceError> {
        self.check_may_start()?;
        match self.connections.main.acquire(cx).await {
            Ok(in_use) => Ok(Some(ServerHold { _in_use: in_use })),
            Err(ClientError::Elsewhere { .. }) => Ok(None),
            Err(error) => Err(error.into_source_error(&self.server.id)),
        }
    }

    /// Stops the server. The next call starts it again.
    pub async fn stop(&self) {
        self.connections.stop().await;
    }

    /// The end of the server's stderr; not escaped. `None` if it does not run in this process.
    pub fn tail(&self) -> Option<String> {
        match self.connections.phase() {
            Phase::Running(running) => Some(running.client.tail()),
            _ => None,
        }
    }

    /// The tools that the server has listed since it was started in this process; `None` if it does
    /// not run, or was not listed yet. Sends no request.
    pub fn listed(&self) -> Option<Vec<Tool>> {
        match self.connections.phase() {
            Phase::Running(running) => running.listed(),
            _ => None,
        }
    }

    /// The state in this process and in the record. Starts nothing.
    pub fn state(&self, cx: &Cx) -> Result<ServerState, SourceError> {
        let record = self.context.read(&self.server, cx)?;
        let (state, since, reason) = match self.connections.phase() {
            Phase::Running(running) if running.is_in_use() => {
                (ServerPhase::Running, Some(running.since), None)
            }
            Phase::Running(running) => (ServerPhase::Idle, Some(running.since), None),
            Phase::Starting { since } => (ServerPhase::Starting, Some(since), None),
            Phase::Failed { error: ClientError::Elsewhere { .. }, .. } => stopped_state(&record),
            Phase::Failed { error, at, .. } => {
                (ServerPhase::Failed, Some(at), Some(error.to_string()))
            }
            Phase::Stopped => stopped_state(&record),
        };
        let process = match self.connections.phase() {
            Phase::Running(running) => running.client.process(),
            _ => None,
        };
        let configuration = self.context.configuration(&self.server);
        let staleness = record.staleness(&configuration, Moment::now());
        Ok(ServerState { state, since, reason, process, staleness, configuration, record })
    }

    pub(super) fn context(&self) -> &ServerContext {
        &self.context
    }

    pub(super) fn supervisor(&self) -> &Arc<Supervisor> {
        &self.connections.main
    }

    /// The time limit of a call, unless its caller has a shorter one.
    pub(super) fn call_time_limit(&self) -> Duration {
        let limits = &self.context.connect.limits;
        self.server.call_timeout.unwrap_or(limits.call).min(limits.call_at_most)
    }

    pub(super) fn check_may_start(&self) -> Result<(), SourceError> {
        match &self.barred {
            Some(reason) => Err(SourceError::Refused { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// The record as discovery items.
    fn discovery_items(&self, cx: &Cx) -> Result<Vec<DiscoveryItem>, SourceError> {
        let record = self.context.read(&self.server, cx)?;
        // Private instructions are not shown to all users.
        let instructions = record
            .library
            .as_ref()
            .filter(|library| !library.private)
            .and_then(|library| library.instructions.as_deref());
        *self.about.lock() = instructions.map(Arc::from);
        let staleness = record.staleness(&self.context.configuration(&self.server), Moment::now());
        self.log_lookup(&record, staleness);
        let mut found: Vec<DiscoveryItem> = self
            .diagnostics(&record, staleness)
            .into_iter()
            .map(DiscoveryItem::Diagnostic)
            .collect();
        found.reserve(record.tools.as_ref().map_or(0, |tools| tools.definitions.len()));
        let last_listed = record.tools.as_ref().map(|tools| tools.listed);
        let provenance = Provenance {
            trusted: true,
            last_listed,
            stale: staleness.is_some(),
            ..Provenance::default()
        };
        let to_item = |tool: Tool| {
            let (visibility, provenance) = (self.server.visibility, provenance.clone());
            DiscoveryItem::Tool(Arc::new(Tool { visibility, provenance, ..tool }))
        };
        if record.tools.is_none() {
            found.extend(self.placeholders());
        }
        // Definitions with a valid mark are not checked again.
        match &record.packed {
            Some(packed) => found.extend(packed.tools(&self.server.id).map(to_item)),
            None => found.extend(
                self.definitions(&record)
                    .map(|definition| to_item(definition.tool(&self.server.id))),
            ),
        }
        Ok(found)
    }

    /// Logs whether the stored tools are valid, so that the server need not be queried.
    fn log_lookup(&self, record: &DiscoveryRecord, staleness: Option<Staleness>) {
        let (server, tools) = (&self.server.id, record.tools.as_ref());
        let count = tools.map_or(0, |tools| tools.definitions.len());
        let age = || {
            let age = tools.map(|tools| tools.listed.age(Moment::now()).as_secs());
            age.map_or(-1, |age| i64::try_from(age).unwrap_or(i64::MAX))
        };
        let reason = match staleness {
            _ if tools.is_none() => "never",
            None => {
                tracing::debug!(event = "tool_cache_hit", %server, toolCount = count, cacheAge = age());
                return;
            }
            Some(Staleness::Old) => "expired",
            Some(Staleness::Reconfigured) => "reconfigured",
            Some(Staleness::Failed) => "failed",
            Some(Staleness::Vanished) => "vanished",
        };
        tracing::debug!(event = "tool_cache_miss", %server, toolCount = count, cacheAge = age(), reason);
    }

    /// The tools that the configuration names, before the first discovery: they can be listed and
    /// have a policy, and a call discovers the server first.
    fn placeholders(&self) -> Vec<DiscoveryItem> {
        let id = &self.server.id;
        let reason =
            format!("the tools of `{id}` are not loaded yet; run `toolscout server refresh {id}`");
        let placeholder = |name: &ToolName| {
            let provenance =
                Provenance { trusted: true, placeholder: true, ..Provenance::default() };
            DiscoveryItem::Tool(Arc::new(Tool {
                visibility: self.server.visibility,
                status: Status::Unavailable(reason.clone()),
                provenance,
                ..Tool::new(ToolId::new(id.clone(), name.clone()))
            }))
        };
        self.named_tools.lock().iter().map(placeholder).collect()
    }

    /// The stored definitions. They were checked when they were stored, so an invalid one was
    /// tampered with, and is left out.
    fn definitions(&self, record: &DiscoveryRecord) -> impl Iterator<Item = ToolDefinition> {
        let limits = self.context.connect.limits.clone();
        let raw = record.tools.as_ref().map_or_else(Vec::new, |tools| tools.definitions.clone());
        raw.into_iter().filter_map(move |item| ToolDefinition::parse(item, &limits).ok())
    }

    fn diagnostics(
        &self,
        record: &DiscoveryRecord,
        staleness: Option<Staleness>,
    ) -> Vec<Diagnostic> {
        let id = &self.server.id;
        // The text is escaped to one line, because a server could imitate toolscout's output on a
        // second one.
        let warning = |kind, text: String| {
            Diagnostic::warning(kind, escape::line(&text)).with_source(id.clone())
        };
        let text = match record.status {
            DiscoveryStatus::Never => Some(format!("the tools of `{id}` are not loaded yet")),
            DiscoveryStatus::Discovering if record.tools.is_none() => {
                let install = if self.server.is_installed_first() {
                    "; the server may have to be installed first"
                } else {
                    ""
                };
                Some(format!("loading the tools of `{id}`{install}"))
            }
            DiscoveryStatus::Failed => {
                let why = record.error.as_deref().unwrap_or("unknown error");
                Some(format!("could not load the tools of `{id}`: {why}"))
            }
            _ => match staleness {
                Some(Staleness::Reconfigured) => {
                    Some(format!("the configuration of `{id}` changed since its tools were loaded"))
                }
                Some(Staleness::Vanished) => {
                    Some(format!("`{id}` now lists no tools; its previous tools are kept for now"))
                }
                _ => None,
            },
        };
        let is_running = record.status == DiscoveryStatus::Discovering && record.tools.is_none();
        let hint = if is_running {
            "toolscout server list".to_owned()
        } else {
            format!("toolscout server refresh {id}")
        };
        let status = text.map(|text| warning(DiagnosticKind::Source, text).with_hint(hint));
        let excluded = record.tools.iter().flat_map(|tools| &tools.excluded);
        let excluded =
            excluded.map(|text| warning(DiagnosticKind::Broken, format!("`{id}`: {text}")));
        status.into_iter().chain(excluded).collect()
    }

    /// The tool from the record. If there is no record of this configuration, the server is listed
    /// first.
    async fn look_up(&self, name: &ToolName, cx: &Cx) -> Result<Option<Tool>, SourceError> {
        let has_name = |tool_definition: &ToolDefinition| tool_definition.name == *name;
        let record = self.context.read(&self.server, cx)?;
        let staleness = record.staleness(&self.context.configuration(&self.server), Moment::now());
        let is_current = record.tools.is_some() && staleness != Some(Staleness::Reconfigured);
        if let Some(known) = self.definitions(&record).find(has_name).filter(|_| is_current) {
            return Ok(Some(self.tool_from_definition(&known)));
        }
        if is_current && staleness.is_none() {
            return Ok(None);
        }
        self.refresh(cx).await?;
        let record = self.context.read(&self.server, cx)?;
        Ok(self
            .definitions(&record)
            .find(has_name)
            .map(|definition| self.tool_from_definition(&definition)))
    }

    fn tool_from_definition(&self, definition: &ToolDefinition) -> Tool {
        let mut tool = definition.tool(&self.server.id);
        tool.visibility = self.server.visibility;
        tool.provenance.trusted = true;
        tool
    }

    fn not_mine(&self, name: &ToolName) -> SourceError {
        SourceError::NotMine { id: self.server.id.clone(), name: name.to_string() }
    }
}

fn stopped_state(record: &DiscoveryRecord) -> (ServerPhase, Option<Moment>, Option<String>) {
    match record.status {
        DiscoveryStatus::Failed => {
            (ServerPhase::Failed, record.last_discovery, record.error.clone())
        }
        _ if record.tools.is_some() => (ServerPhase::Ready, record.last_discovery, None),
        _ => (ServerPhase::NotLoaded, None, None),
    }
}

/// The state of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerState {
    /// The phase.
    pub state: ServerPhase,
    /// When the phase began, if known.
    pub since: Option<Moment>,
    /// The reason, if there is one; not escaped.
    pub reason: Option<String>,
    /// The process id, if there is one.
    pub process: Option<u32>,
    /// The reason why its tools may be outdated.
    pub staleness: Option<Staleness>,
    /// The fingerprint of its current configuration.
    pub configuration: String,
    pub record: DiscoveryRecord,
}

/// The phase of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerPhase {
    /// Stopped, and its tools were never loaded.
    NotLoaded,
    /// Stopped, with cached tools; a call starts it.
    Ready,
    Starting,
    /// The server is answering a call.
    Running,
    /// The server is waiting for calls.
    Idle,
    /// The server could not be started, or exited.
    Failed,
}

impl ServerPhase {
    /// The word shown: `not-loaded`, `ready`, `starting`, `running`, `idle`, `failed`.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotLoaded => "not-loaded",
            Self::Ready => "ready",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Failed => "failed",
        }
    }
}

impl Source for McpSource {
    fn id(&self) -> &SourceId {
        &self.server.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn review(&self) -> ReviewMode {
        ReviewMode::Needed {
            approves_first_sight: self.server.trusted,
            approves_new_tools: self
                .server
                .new_tools
                .map_or(self.server.trusted, |rule| rule == NewTools::Allow),
            accepts_changes: self.server.on_change == OnChange::Accept,
            entry: self.entry.clone(),
        }
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        match self.discovery_items(&cx) {
            Ok(found) => Box::pin(stream::iter(found.into_iter().map(Ok))),
            Err(error) => Box::pin(stream::iter([Err(error)])),
        }
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move { self.look_up(name, &cx).await })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let call = call.into_inner();
        Box::pin(async move { self.run(call, &cx).await })
    }

    fn about(&self) -> Option<Arc<str>> {
        self.about.lock().clone()
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(self)
    }

    /// Remote servers count as running.
    fn delegation(&self) -> Option<Delegation> {
        let is_remote = matches!(self.server.transport, ServerTransport::Http(_));
        let is_running = || is_remote || matches!(self.connections.phase(), Phase::Running(_));
        let is_enabled = self.server.delegate == Some(true);
        (self.server.delegate != Some(false)).then(|| Delegation {
            is_enabled,
            is_running: is_running(),
            is_unfiltered: true,
        })
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        let changes = self.connections.main.changes();
        Box::pin(stream::unfold(changes, |mut changes| async move {
            changes.changed().await.ok().map(|()| ((), changes))
        }))
    }
}

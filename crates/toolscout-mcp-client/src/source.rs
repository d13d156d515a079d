//! A server as a source of tools: listed from its record, started when it is called.

mod call;
mod library;

#[cfg(all(test, unix))]
mod tests;

use super::client::ToolDefinition;
use super::discovery::library::{list, news_between};
use super::discovery::{
    DiscoveryOutcome, ServerContext, ServerTestOutcome, in_full, is_installed_first, soonest,
};
use super::record::{DiscoveryRecord, DiscoveryStatus, Staleness};
use super::supervisor::{Phase, Supervisor};
use super::{ClientError, OnChange, ServerConfig, ServerTransport};
use super::{demand, fingerprint};
use futures_util::stream;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Diagnostic, DiagnosticKind, DiscoveryItem,
    Library, Moment, Provenance, ReviewMode, Source, SourceError, SourceId, SourceKind, Tool,
    ToolCall, ToolName, ToolOutput, escape,
};

/// A server as a source of tools.
///
/// [`Source::discover`] reads the record and starts nothing; [`McpSource::refresh`] lists the
/// server. A call starts the server if necessary, and checks that the tool is still the one that
/// the caller has seen.
pub struct McpSource {
    server: Arc<ServerConfig>,
    context: Arc<ServerContext>,
    supervisor: Arc<Supervisor>,
    /// The reason why it must not be started, if there is one.
    barred: Option<String>,
    entry: Arc<str>,
    /// The server's instructions, as of the last discovery.
    about: Mutex<Option<Arc<str>>>,
}

impl McpSource {
    /// Creates a source; starts nothing.
    pub fn new(server: ServerConfig, context: Arc<ServerContext>) -> Self {
        let server = Arc::new(server);
        let supervisor = Supervisor::new(server.clone(), shared.clone());
        let entry = fingerprint::of_entry(&server).into();
        Self { server, context: shared, supervisor, barred: None, entry, about: Mutex::default() }
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
        let before = self.context.read(&self.server, cx)?.library.unwrap_or_default();
        let discovered = self.refresh_tools(cx).await;
        let after = self.context.read(&self.server, cx)?.library.unwrap_or_default();
        news_between(&before, &after).into_iter().for_each(|it| self.supervisor.tell(it));
        discovered
    }

    async fn refresh_tools(&self, cx: &Cx) -> Result<DiscoveryOutcome, SourceError> {
        let Phase::Running(running) = self.supervisor.phase() else {
            return self.context.discover(&self.server, cx).await;
        };
        let begun = Instant::now();
        let changed = running.list_now(cx).await?;
        if changed {
            self.supervisor.has_changed();
        }
        let library = list(&running.client, &self.context, cx.deadline).await;
        self.context.remember_library(&self.server, cx, &running.client, library)?;
        let record = self.context.read(&self.server, cx)?;
        Ok(DiscoveryOutcome::of(record.tools.as_ref(), begun.elapsed(), changed))
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
        self.supervisor.keep(cx).await.map_err(|it| it.of(&self.server.id))
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
            Phase::Failed { error, at, .. } => {
                (ServerPhase::Failed, Some(at), Some(error.to_string()))
            }
            Phase::Stopped => stopped_state(&record),
        };
        let process = match self.connections.phase() {
            Phase::Running(running) => running.client.process(),
            _ => None,
        };
        let staleness = record.staleness(&self.context.configuration(&self.server), Moment::now());
        Ok(ServerState { state, since, reason, process, staleness, record })
    }

    pub(super) fn context(&self) -> &ServerContext {
        &self.context
    }

    pub(super) fn supervisor(&self) -> &Arc<Supervisor> {
        &self.supervisor
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
        let mut found: Vec<DiscoveryItem> =
            self.problems(&record, staleness).into_iter().map(DiscoveryItem::Diagnostic).collect();
        found.reserve(record.tools.as_ref().map_or(0, |it| it.definitions.len()));
        let seen = record.tools.as_ref().map(|it| it.listed);
        let provenance =
            Provenance { trusted: true, seen, stale: staleness.is_some(), ..Provenance::default() };
        let remembered = |tool: Tool| {
            let (visibility, provenance) = (self.server.visibility, provenance.clone());
            DiscoveryItem::Tool(Arc::new(Tool { visibility, provenance, ..tool }))
        };
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
                let install = if is_installed_first(&self.server) {
                    "; it may have to be installed first"
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
        news.into_iter().chain(excluded).collect()
    }

    async fn call_running(&self, call: ToolCall, cx: Cx) -> Result<ToolOutput, SourceError> {
        let id = &self.server.id;
        call.refuse_rest()?;
        self.check_may_start()?;
        let in_use = self.supervisor.acquire(&cx).await.map_err(|it| it.of(id))?;
        let running = &in_use.0;
        let name = &call.tool.name;
        let (definition, has_changed) = running.definition(name, &cx).await?;
        if has_changed {
            self.supervisor.has_changed();
        }
        let tool = definition.ok_or_else(|| self.not_mine(name))?;
        let (schema, digest) = tool.read(id);
        if call.expect.is_some_and(|it| it != *digest) {
            self.supervisor.has_changed();
            return Err(SourceError::Changed { id: id.clone(), name: name.to_string() });
        }
        let limit = self.time_for_a_call();
        let deadline = soonest(&cx, limit);
        let result = running.client.call_tool(name, &call, Some(schema), &cx, deadline).await;
        running.has_answered();
        let raw = result.map_err(|it| in_full(it, limit, deadline, &cx).of(id))?;
        let output = ToolOutput::from_raw(raw).map_err(|reason| SourceError::Protocol {
            id: id.clone(),
            reason: format!("`{name}` gave no result: {reason}"),
        })?;
        let is_asking = output.wants_input() && running.client.era().is_modern();
        let demand = || demand::of(output.raw());
        match (is_asking && cx.counterpart.is_none()).then(demand).flatten() {
            Some(wanted) => {
                let reason = format!("`{name}` needs input that this client cannot give: {wanted}");
                Err(SourceError::Protocol { id: id.clone(), reason })
            }
            None => Ok(output),
        }
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
        Box::pin(self.call_running(call.into_inner(), cx))
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
        let changes = self.supervisor.changes();
        Box::pin(stream::unfold(changes, |mut changes| async move {
            changes.changed().await.ok().map(|()| ((), changes))
        }))
    }
}

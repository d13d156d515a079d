//! The servers of a run: their configuration, their sources, and their shared state.

use super::added;
use super::control::ControlSocket;
use super::hosted::HostedSource;
use super::per_user::{self, is_per_user};
use super::tokens::with_tokens;
use crate::sandbox::{keep_within, sandbox_host};
use crate::{AppError, Environment, Options};
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use toolscout_config::{Config, ConfigEditor, ConfiguredServer};
use toolscout_core::{
    Diagnostic, DiagnosticKind, ErrorKind, Layer, Namespace, Source, SourceId, Store,
};
use toolscout_gateway::GatewayBuilder;
use toolscout_mcp_client::limits::Limits;
use toolscout_mcp_client::per_user::PerUserServer;
use toolscout_mcp_client::sandbox::{SandboxLevel, SandboxSettings};
use toolscout_mcp_client::{
    ConnectContext, FleetPlacement, McpSource, ServerConfig, ServerContext, ServerTransport,
    partition,
};
use toolscout_source::layer::{Filter, Retry, Timeout};

/// The hint if the state cannot be written.
const WRITABLE_STATE: &str = "set TOOLSCOUT_STATE_DIR to a writable folder";

/// The servers of a run.
pub struct ServerSet {
    /// Every configured server, enabled or not, by id.
    pub configured: Vec<ConfiguredServer>,
    /// A source for each enabled server.
    pub sources: Vec<Arc<McpSource>>,
    /// The same sources, with their layers.
    layered: Vec<Arc<dyn Source>>,
    /// The state that all sources share; `None` without servers, or without a store.
    pub shared: Option<Arc<ServerContext>>,
    /// The control socket of the project, if another process is its host.
    pub control: Option<ControlSocket>,
    /// Diagnostics about the configuration.
    pub diagnostics: Vec<Diagnostic>,
    /// The key of the project in the store.
    pub partition: String,
    /// The store of the run.
    pub store: Arc<dyn Store>,
    /// The sandbox settings, as written, of servers whose grants the operator's level withholds.
    withheld: BTreeMap<SourceId, SandboxSettings>,
}

impl ServerSet {
    /// No servers.
    pub fn empty(config: &Config, environment: &Environment) -> Self {
        Self {
            configured: Vec::new(),
            sources: Vec::new(),
            layered: Vec::new(),
            shared: None,
            control: None,
            diagnostics: Vec::new(),
            withheld: BTreeMap::new(),
            store: environment.store(),
            partition: config.partition(),
        }
    }

    /// The configured servers. A server whose entry is the same in `before` continues to run.
    pub fn new(
        before: Option<&Self>,
        config: &Config,
        options: &Options,
        environment: &Environment,
    ) -> Self {
        let project = config.project_folder();
        let mut set = Self {
            configured: config.servers.clone(),
            shared: before.and_then(|before| before.shared.clone()),
            ..Self::empty(config, environment)
        };
        if !options.command.runs_servers {
            set.control = ControlSocket::find(environment, &partition(project));
        }
        if set.configured.is_empty() {
            return set;
        }
        set.configured.sort_by(|one, other| one.server.id.cmp(&other.server.id));
        let sandbox = &config.settings.sandbox;
        for server in &mut set.configured {
            let is_decided = server.may_start && server.server.sandbox.grants_nothing();
            let recorded = (!is_decided)
                .then(|| added::recorded_trust(server, &set.partition, environment))
                .flatten();
            match recorded {
                Some(trusted) if !server.may_start => {
                    server.may_start = true;
                    server.change = None;
                    server.server.trusted = trusted;
                    if !trusted {
                        server.server.new_tools = None;
                    }
                }
                Some(_) => {}
                None => {
                    let written = server.server.sandbox.clone();
                    keep_within(server, sandbox, project);
                    if server.server.sandbox != written {
                        set.withheld.insert(server.server.id.clone(), written);
                    }
                }
            }
        }
        set.init_shared(config, options, environment);
        set.create_sources(before, environment);
        set
    }

    fn init_shared(&mut self, config: &Config, options: &Options, environment: &Environment) {
        if self.shared.is_some() {
            return;
        }
        match self.new_context(config, options, environment) {
            Ok(shared) => self.shared = Some(shared),
            Err(message) => {
                let diagnostic = Diagnostic::warning(DiagnosticKind::Unavailable, message);
                self.diagnostics.push(diagnostic.with_hint(WRITABLE_STATE));
            }
        }
    }

    fn new_context(
        &self,
        config: &Config,
        options: &Options,
        environment: &Environment,
    ) -> Result<Arc<ServerContext>, String> {
        let project = config.project_folder();
        let context = ConnectContext {
            lookup: environment.lookup(),
            has_counterparts: options.command.serves,
            sandbox: sandbox_host(config, environment),
            placement: self.placement(config, environment),
            ..ConnectContext::new(project.to_owned())
        };
        ServerContext::new(self.store.clone(), config.partition(), context)
            .map(Arc::new)
            .map_err(|error| format!("servers are unavailable: {error}"))
    }

    /// The part of the fleet in these servers, if there is a fleet.
    fn placement(&self, config: &Config, environment: &Environment) -> Option<FleetPlacement> {
        environment.fleet_settings()?;
        let labels = config.settings.fleet.labels.clone();
        let calls = environment.replica_calls().clone();
        Some(FleetPlacement::new(self.store.clone(), config.partition(), labels, calls))
    }

    /// A source for an entry that is not saved, for a test of it.
    pub(crate) fn unsaved_source(
        &self,
        configured: &ConfiguredServer,
        config: &Config,
        options: &Options,
        environment: &Environment,
    ) -> Result<McpSource, AppError> {
        let shared = match &self.shared {
            Some(shared) => shared.clone(),
            None => self
                .new_context(config, options, environment)
                .map_err(|message| AppError::invalid(message, WRITABLE_STATE))?,
        };
        Ok(source(configured, &shared, environment))
    }

    /// Creates a source for each enabled server, or reuses the one for the same entry.
    fn create_sources(&mut self, before: Option<&Self>, environment: &Environment) {
        let Some(shared) = self.shared.clone() else { return };
        for configured in self.configured.iter().filter(|configured| configured.server.enabled) {
            let (source, layered) =
                before.and_then(|before| before.reusable_source(configured)).unwrap_or_else(|| {
                    let source = Arc::new(source(configured, &shared, environment));
                    let layered = layered(&source, self.control.as_ref());
                    (source, layered)
                });
            self.sources.push(source);
            self.layered.push(layered);
        }
    }

    fn reusable_source(
        &self,
        configured: &ConfiguredServer,
    ) -> Option<(Arc<McpSource>, Arc<dyn Source>)> {
        self.configured.iter().find(|other| is_same_server(other, configured))?;
        let index =
            self.sources.iter().position(|source| source.server().id == configured.server.id)?;
        self.sources[index].set_named_tools(configured.server.policies.keys());
        Some((self.sources[index].clone(), self.layered[index].clone()))
    }

    /// The sources with their layers: tools are filtered, and calls go to the host, if there is
    /// one. Returns the same objects each time.
    pub fn layered(&self) -> Vec<Arc<dyn Source>> {
        // Servers that need a token for each user have a source for each request.
        self.layered
            .iter()
            .zip(&self.sources)
            .filter(|(_, source)| !is_per_user(source.server()))
            .map(|(layered, _)| layered.clone())
            .collect()
    }

    /// Adds the servers that need a token for each user to a gateway. They always run in this
    /// process, so that the tokens are not sent to the host.
    pub fn add_request_sources(&self, gateway: GatewayBuilder) -> Result<GatewayBuilder, AppError> {
        let Some(shared) = &self.shared else { return Ok(gateway) };
        let is_used = |configured: &&ConfiguredServer| {
            configured.server.enabled && configured.may_start && is_per_user(&configured.server)
        };
        self.configured.iter().filter(is_used).map(|configured| &configured.server).try_fold(
            gateway,
            |gateway, server| {
                let configured = server.clone();
                let with_layers = move |source| with_layers(&configured, source);
                let source = PerUserServer::new(server.clone(), shared.clone(), with_layers);
                let source =
                    source.map_err(|error| AppError::invalid(error.to_string(), "try again"))?;
                Ok(gateway.request_sources(Arc::new(source)))
            },
        )
    }

    /// Diagnostics about servers without tools in this run: they are disabled, or need a header
    /// from each request.
    pub fn absent(&self) -> Vec<Diagnostic> {
        let absent = |configured: &ConfiguredServer| {
            let id = &configured.server.id;
            let (what, hint) = if !configured.server.enabled {
                (format!("server `{id}` is disabled"), format!("toolscout server enable {id}"))
            } else if is_per_user(&configured.server) {
                per_user::missing_header_reason(&configured.server)
            } else {
                return None;
            };
            Some(
                Diagnostic::warning(DiagnosticKind::Source, what)
                    .with_source(id.clone())
                    .with_hint(hint),
            )
        };
        self.configured.iter().filter_map(absent).collect()
    }

    /// The configured server of this id.
    pub fn find(&self, id: &str) -> Result<&ConfiguredServer, AppError> {
        self.configured
            .iter()
            .find(|configured| configured.server.id.as_str() == id)
            .ok_or_else(|| self.unknown_server(id))
    }

    /// The source of this id; an error if it is not configured, or not enabled.
    pub fn source(&self, id: &str) -> Result<&Arc<McpSource>, AppError> {
        self.find(id)?;
        self.sources.iter().find(|source| source.server().id.as_str() == id).ok_or_else(|| {
            AppError::unavailable(
                format!("server `{id}` is disabled"),
                format!("toolscout server enable {id}"),
            )
        })
    }

    /// Records that an operator added this server, in its current configuration, and whether
    /// its tools are trusted.
    pub fn record_added(
        &self,
        id: &SourceId,
        trusted: bool,
        editor: &ConfigEditor,
    ) -> Result<(), AppError> {
        let mut configured = self.find(id.as_str())?.clone();
        // The record is of the entry as written; from now on its grants apply.
        if let Some(written) = self.withheld.get(id) {
            configured.server.sandbox = written.clone();
        }
        if let Some(recorder) = editor.recorder() {
            recorder.row(Namespace::Approval, &added::key(&self.partition, id))?;
        }
        added::record_added(&*self.store, &self.partition, &configured, trusted)
    }

    /// The level at which the program of this server runs.
    pub(crate) fn sandbox_level(&self, configured: &ConfiguredServer) -> SandboxLevel {
        let host = self.shared.as_ref().and_then(|shared| shared.sandbox());
        host.map_or(SandboxLevel::Off, |host| host.level(&configured.server.sandbox))
    }

    /// Stops all servers that this process has started.
    pub async fn stop_all(&self) {
        join_all(self.sources.iter().map(|source| source.stop())).await;
    }

    fn unknown_server(&self, id: &str) -> AppError {
        let known = self.configured.iter().map(|configured| configured.server.id.as_str());
        let nearest = toolscout_surface::cli::nearest(id, known).map(str::to_owned);
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "run `toolscout server list` to list the servers".to_owned(),
        };
        let message = format!("there is no server `{}`", toolscout_core::escape::line(id));
        AppError::Message { kind: ErrorKind::NotFound, message, hint: Some(hint) }
    }
}

/// Whether both entries run the same server in the same way. Policies are ignored: changing
/// them restarts no server.
fn is_same_server(one: &ConfiguredServer, other: &ConfiguredServer) -> bool {
    let without_policies = |configured: &ConfiguredServer| {
        let mut value = configured.clone();
        value.server.policies.clear();
        value
    };
    one.server.id == other.server.id
        && (one == other || without_policies(one) == without_policies(other))
}

fn layered(source: &Arc<McpSource>, control: Option<&ControlSocket>) -> Arc<dyn Source> {
    let server = source.server();
    let layered: Arc<dyn Source> = match control {
        Some(control) => Arc::new(HostedSource::new(source.clone(), control.clone())),
        None => source.clone(),
    };
    with_layers(server, layered)
}

/// Adds the layers of a server to its source: tool filter, retries and timeout.
fn with_layers(server: &ServerConfig, source: Arc<dyn Source>) -> Arc<dyn Source> {
    let source = match server.transport {
        // Calls to a busy or unreachable server are retried, if that is safe.
        ServerTransport::Http(_) => {
            Timeout(call_time_limit(server)).layer(Retry::default().layer(source))
        }
        ServerTransport::Stdio(_) => source,
    };
    Filter::patterns(server.filter.include.clone(), server.filter.exclude.clone()).layer(source)
}

/// The time limit of a call with all its retries: the sum of one discovery and one call.
fn call_time_limit(server: &ServerConfig) -> Duration {
    let defaults = Limits::default();
    server.discovery_timeout.unwrap_or(defaults.discovery)
        + server.call_timeout.unwrap_or(defaults.call)
}

fn source(
    configured: &ConfiguredServer,
    shared: &Arc<ServerContext>,
    environment: &Environment,
) -> McpSource {
    let server = configured.server.clone();
    let source = McpSource::new(server, with_tokens(configured, shared, environment));
    match configured.may_start {
        true if !is_per_user(&configured.server) => source,
        _ => {
            let (what, hint) = blocked_reason(configured);
            source.barred(format!("{what}; {hint}"))
        }
    }
}

/// Why a server is not started here, and how to change that: its project is not trusted, or it
/// needs a header from each request.
pub(crate) fn blocked_reason(configured: &ConfiguredServer) -> (String, String) {
    if configured.may_start {
        return per_user::missing_header_reason(&configured.server);
    }
    let id = &configured.server.id;
    if let Some(change) = &configured.change {
        let what = match &change.before {
            None => format!("`{id}` is new since you trusted its project: `{}`", change.now),
            Some(before) if *before == change.now => {
                format!("`{id}` has changed since you trusted its project: `{before}`")
            }
            Some(before) => format!(
                "`{id}` has changed since you trusted its project, from `{before}` to `{}`",
                change.now
            ),
        };
        let hint = format!("read {}, then run `toolscout trust`", configured.file.display());
        return (format!("{what}; it is not started"), hint);
    }
    let what =
        format!("`{}` comes from a project that is not trusted yet, so it is not started", id);
    (what, format!("review {}, then run `toolscout trust`", configured.file.display()))
}

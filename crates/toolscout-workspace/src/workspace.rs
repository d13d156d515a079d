//! The state of a running toolscout, as plain fields.

mod background_discovery;
pub(crate) mod background_index;
mod detached;
mod first_review;
mod folder_source;
mod pending_servers;

use crate::background::BackgroundTasks;
use crate::config;
use crate::error::login;
use crate::event_broadcast::{EventBroadcast, ServerChange};
use crate::fleet;
use crate::journal::JournalHandle;
use crate::policies;
use crate::projects::ServedProjects;
use crate::registrations::{self, Registrations};
use crate::servers::{ServerSet, process_cx};
use crate::sessions::Sessions;
use crate::{AppError, Environment, Options, PageLinks, Tools};
use arc_swap::ArcSwap;
use std::sync::{Arc, OnceLock};
use toolscout_config::{Config, ConfiguredServer};
use toolscout_core::{BoxFuture, Caller, Cx, Source, SourceId, redact};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::{LevelName, Policies};
use toolscout_telemetry::Metrics;

/// The state that exists before any source is created: sources, gateway rules and observers are
/// built from it.
pub struct Startup {
    /// The name of the program.
    pub program: Arc<str>,
    /// The program's own options.
    pub options: Arc<Options>,
    /// The process environment: folder, variables, streams.
    pub environment: Arc<Environment>,
    /// The configuration.
    pub config: Arc<Config>,
    /// The configured servers.
    pub servers: Arc<ServerSet>,
}

/// The state of a running toolscout, which operations work on.
pub struct Workspace {
    /// The name of the program.
    pub program: Arc<str>,
    /// The program's own options.
    pub options: Arc<Options>,
    /// The process environment: folder, variables, streams.
    pub environment: Arc<Environment>,
    /// The gateway, and the tools of all sources, discovered on first use.
    pub tools: Arc<Tools>,
    /// The contributions of plugins.
    pub parts: Parts,
    config: ArcSwap<Config>,
    /// The configuration whose servers were reported last.
    reported: ArcSwap<Config>,
    servers: ArcSwap<ServerSet>,
    reloader: OnceLock<Reloader>,
    served_gateway: OnceLock<Arc<Gateway>>,
    /// Tools that other programs have registered with this process.
    pub registrations: Arc<Registrations>,
    /// Tasks that requests have started without waiting for them.
    pub(crate) tasks: BackgroundTasks,
}

/// A configuration that was read, and is not in effect yet.
pub struct NextConfiguration {
    /// The configuration.
    pub config: Arc<Config>,
    /// Its servers. Those with an unchanged entry are the current ones.
    pub servers: Arc<ServerSet>,
}

/// Applies a changed configuration to everything that runs.
pub type Reloader = Box<dyn Fn() -> BoxFuture<'static, Result<(), AppError>> + Send + Sync>;

/// The contributions of plugins to the workspace; a part that no plugin contributes is absent.
#[derive(Default)]
pub struct Parts {
    /// Configuration files are read.
    pub configuration: bool,
    /// Configured MCP servers are used.
    pub servers: bool,
    /// Policies come from the configuration.
    pub policies: bool,
    /// The web UI is served.
    pub ui: bool,
    /// The journal.
    pub journal: Option<JournalHandle>,
    /// Metrics of this process.
    pub metrics: Option<Arc<Metrics>>,
    /// Events for clients that follow them.
    pub events: Option<EventBroadcast>,
    /// Connected clients.
    pub sessions: Sessions,
    /// Sign-in links to the UI.
    pub page_links: PageLinks,
    /// The projects that this process serves.
    pub projects: ServedProjects,
}

impl Startup {
    /// Reads the configuration and sets up the servers, as far as the composition includes
    /// them. Starts no server.
    pub fn new(
        program: Arc<str>,
        parts: &Parts,
        options: Arc<Options>,
        environment: Arc<Environment>,
    ) -> Result<Self, AppError> {
        let config = if parts.configuration {
            config::load(&options, &environment)?
        } else {
            config::without_files(&options, &environment)
        };
        if let Some(settings) = fleet::settings(&config, &environment) {
            environment.join_fleet(settings);
        }
        let servers = if parts.servers {
            ServerSet::new(None, &config, &options, &environment)
        } else {
            ServerSet::empty(&config, &environment)
        };
        Ok(Self {
            program,
            options,
            environment,
            config: Arc::new(config),
            servers: Arc::new(servers),
        })
    }

    /// The tools that other programs have registered with the host of this project.
    pub fn registered_sources(&self) -> Vec<Arc<dyn Source>> {
        registrations::sources_of_host(self)
    }
}

impl Workspace {
    /// The workspace of a run.
    pub fn new(startup: Startup, parts: Parts, tools: Arc<Tools>) -> Self {
        let Startup { program, options, environment, config, servers } = startup;
        let reported = ArcSwap::new(config.clone());
        let (config, servers) = (ArcSwap::new(config), ArcSwap::new(servers));
        Self {
            program,
            options,
            environment,
            tools,
            parts,
            config,
            reported,
            servers,
            reloader: OnceLock::new(),
            served_gateway: OnceLock::new(),
            registrations: Arc::default(),
            tasks: BackgroundTasks::default(),
        }
    }

    /// Whether this process serves clients, and applies changes while it runs.
    pub(crate) fn is_serving(&self) -> bool {
        self.reloader.get().is_some()
    }

    /// The gateway of a request, after the first discovery. A command reports the diagnostics
    /// of discovery on stderr.
    pub(crate) async fn discovered_gateway(&self, cx: &Cx) -> Result<Arc<Gateway>, AppError> {
        if cx.caller == Caller::Cli {
            self.tools.discovered_gateway().await?;
        } else {
            self.tools.discovered_gateway_quietly().await?;
        }
        Ok(self.gateway_for(cx))
    }

    /// The gateway for a request: limited to the profile of the client, or else to the one that
    /// this process serves, except for decisions of the operator at the terminal.
    pub(crate) fn gateway_for(&self, cx: &Cx) -> Arc<Gateway> {
        if let Some(profile) = &cx.profile {
            // A profile that is not served has no tools.
            return Arc::new(self.tools.shared_gateway().within(profile));
        }
        match self.served_gateway.get() {
            Some(served_gateway) if cx.caller != Caller::Cli => served_gateway.clone(),
            _ => self.tools.shared_gateway(),
        }
    }

    /// Sets the gateway for requests of clients.
    pub fn set_served_gateway(&self, served_gateway: Arc<Gateway>) {
        let _ = self.served_gateway.set(served_gateway);
    }

    /// The whole gateway, after the first discovery: for decisions, which are about all tools.
    pub(crate) async fn full_gateway(&self) -> Result<Arc<Gateway>, AppError> {
        self.tools.discovered_gateway_quietly().await?;
        Ok(self.tools.shared_gateway())
    }

    /// Reads the configuration again and applies it; a serving process applies it to everything
    /// that runs.
    pub(crate) async fn apply_configuration(&self) -> Result<(), AppError> {
        if let Some(reload) = self.reloader.get() {
            return reload().await;
        }
        self.reload()?;
        self.apply_policies();
        Ok(())
    }

    /// As [`Workspace::apply_configuration`]; tools and approvals are read again, too.
    pub(crate) async fn apply_all_changes(&self) -> Result<(), AppError> {
        let applied = self.apply_configuration().await;
        if !self.is_serving() {
            self.tools.discover_changes().await;
        }
        applied
    }

    /// The policies of a configuration; `None` if this program sets its policies itself, because
    /// it has no review plugin.
    pub fn policies_of(&self, config: &Config) -> Option<Policies> {
        self.parts.policies.then(|| policies::from_config(config))
    }

    /// Applies the policies of the last configuration to the gateway. Session policies are
    /// unchanged.
    pub fn apply_policies(&self) {
        let Some(policies) = self.policies_of(&self.config()) else { return };
        let gateway = self.tools.gateway();
        let current = gateway.policies();
        let session = current.level(LevelName::Session).clone();
        let updated = policies.with(LevelName::Session, session);
        if updated != *current {
            gateway.set_policies(updated);
        }
    }

    /// Makes a long-running process write its journal as events happen.
    pub fn start_journal_writer(&self) {
        if let Some(journal) = &self.parts.journal {
            journal.start_writer();
        }
    }

    /// Discovers the tools of a server without making the caller wait.
    pub(crate) async fn discover_in_background(&self, id: &str) -> Result<(), AppError> {
        // A serving process discovers new servers as soon as it has read the configuration.
        if self.is_serving() {
            return Ok(());
        }
        let set = self.servers();
        let configured = set.find(id)?;
        if !configured.may_start {
            return Ok(());
        }
        self.discover_in_another_process(std::slice::from_ref(&configured.server.id)).await
    }

    /// Starts another process that discovers the tools of these servers; returns when it has
    /// started discovery, or after a short wait.
    pub async fn discover_in_another_process(&self, ids: &[SourceId]) -> Result<(), AppError> {
        background_discovery::discover(self, ids).await
    }

    /// Discovers the tools of a server now; returns a description of each quarantined tool.
    pub(crate) async fn discover_now(&self, id: &str, cx: &Cx) -> Result<Vec<String>, AppError> {
        let set = self.servers();
        let source = set.source(id)?;
        source.refresh(&process_cx(source.server(), cx)).await.map_err(|error| {
            let hint = match login(&error) {
                Some(login) => {
                    format!("the entry is saved; log in with `{login}`, then run `toolscout server refresh {id}`")
                }
                None => format!("the entry is saved; fix it, then run `toolscout server refresh {id}`"),
            };
            let message = format!("Tool discovery failed: {}", redact::text(&error.to_string()));
            AppError::unavailable(message, hint)
        })?;
        first_review::review_new_tools(self, &set, cx).await
    }

    /// Reviews the tools of servers that were just discovered, which approves them at first
    /// sight.
    pub(crate) async fn review_added(&self, cx: &Cx) -> Result<(), AppError> {
        if self.is_serving() {
            self.tools.discover_quietly_again().await?;
            return Ok(());
        }
        first_review::review_new_tools(self, &self.servers(), cx).await.map(drop)
    }

    /// Makes [`Workspace::apply_configuration`] use the reload loop of this process.
    pub fn set_reloader(&self, reloader: Reloader) {
        let _ = self.reloader.set(reloader);
    }

    /// The configuration, as of the last read.
    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    /// The configured servers, as of the last read.
    pub fn servers(&self) -> Arc<ServerSet> {
        self.servers.load_full()
    }

    /// The servers that this run uses; `None` in a program without servers, or with
    /// `--tools-from`.
    pub fn configured_servers(&self) -> Option<Arc<ServerSet>> {
        self.uses_servers().then(|| self.servers())
    }

    /// Whether this run uses the configured servers.
    pub fn uses_servers(&self) -> bool {
        self.parts.servers && self.options.text("tools-from").is_none()
    }

    /// Reads the configuration again, and updates the servers. A server whose entry is
    /// unchanged continues to run. If a file cannot be read, nothing changes.
    pub fn reload(&self) -> Result<(), AppError> {
        if self.parts.configuration {
            self.set_configuration(self.read_configuration()?);
        }
        Ok(())
    }

    /// Reads the configuration again, and changes nothing.
    pub fn read_configuration(&self) -> Result<NextConfiguration, AppError> {
        let config = config::load(&self.options, &self.environment)?;
        let servers = if self.parts.servers {
            let before = self.servers();
            Arc::new(ServerSet::new(Some(&before), &config, &self.options, &self.environment))
        } else {
            self.servers()
        };
        Ok(NextConfiguration { config: Arc::new(config), servers })
    }

    /// Replaces the configuration and the servers.
    pub fn set_configuration(&self, next: NextConfiguration) {
        self.report_changed_servers(&next.config);
        self.servers.store(next.servers);
        self.config.store(next.config);
    }

    /// Reports the servers whose entries differ from the configuration that was reported last.
    pub fn report_changed_servers(&self, now: &Arc<Config>) {
        let Some(events) = &self.parts.events else { return };
        let before = self.reported.swap(now.clone());
        for ConfiguredServer { server, .. } in &now.servers {
            match before.server(server.id.as_str()) {
                None => events.emit_server(&server.id, ServerChange::Created),
                Some(earlier) if earlier.server != *server => {
                    events.emit_server(&server.id, ServerChange::Updated);
                }
                Some(_) => {}
            }
        }
        let is_gone = |server: &&ConfiguredServer| now.server(server.server.id.as_str()).is_none();
        for ConfiguredServer { server, .. } in before.servers.iter().filter(is_gone) {
            events.emit_server(&server.id, ServerChange::Deleted);
        }
    }
}

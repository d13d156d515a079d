//! The state of a running toolscout, as plain fields.

mod background_discovery;
mod first_sight;
mod folder_source;

use crate::background::BackgroundTasks;
use crate::config;
use crate::error::login;
use crate::event_broadcast::EventBroadcast;
use crate::journal::JournalHandle;
use crate::policies;
use crate::servers::ServerSet;
use crate::sessions::Sessions;
use crate::{AppError, Environment, Options, PageLinks, Tools};
use arc_swap::ArcSwap;
use std::sync::{Arc, OnceLock};
use toolscout_config::Config;
use toolscout_core::{BoxFuture, Caller, Cx, SourceId, redact};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::LevelName;
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
    servers: ArcSwap<ServerSet>,
    reloader: OnceLock<Reloader>,
    served: OnceLock<Arc<Gateway>>,
    /// Tasks that requests have started without waiting for them.
    pub(crate) tasks: BackgroundTasks,
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
}

impl Workspace {
    /// The workspace of a run.
    pub fn new(startup: Startup, parts: Parts, tools: Arc<Tools>) -> Self {
        let Startup { program, options, environment, config, servers } = startup;
        let (config, servers) = (ArcSwap::new(config), ArcSwap::new(servers));
        Self {
            program,
            options,
            environment,
            tools,
            parts,
            config,
            servers,
            reloader: OnceLock::new(),
            served: OnceLock::new(),
            tasks: BackgroundTasks::default(),
        }
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
        match self.served.get() {
            Some(served) if cx.caller != Caller::Cli => served.clone(),
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

    /// Applies the policies of the last configuration to the gateway. Session policies are
    /// unchanged.
    pub fn apply_policies(&self) {
        // A program without the review plugin sets its policies itself.
        if !self.parts.policies {
            return;
        }
        let gateway = self.tools.gateway();
        let now = gateway.policies();
        let session = now.level(LevelName::Session).clone();
        let next = policies::of_config(&self.config()).with(LevelName::Session, session);
        if next != *now {
            gateway.set_policies(next);
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
        if self.reloader.get().is_some() {
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
        set.source(id)?.refresh(cx).await.map_err(|error| {
            let hint = match login(&error) {
                Some(login) => {
                    format!("the entry is saved; log in with `{login}`, then run `toolscout server refresh {id}`")
                }
                None => format!("the entry is saved; fix it, then run `toolscout server refresh {id}`"),
            };
            let message = format!("Tool discovery failed: {}", redact::text(&error.to_string()));
            AppError::unavailable(message, hint)
        })?;
        first_sight::first_sight(self, &set, cx).await
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
        let has_servers = self.parts.servers && self.options.text("tools-from").is_none();
        has_servers.then(|| self.servers())
    }

    /// Reads the configuration again, and updates the servers. A server whose entry is
    /// unchanged continues to run. If a file cannot be read, nothing changes.
    pub fn reload(&self) -> Result<(), AppError> {
        if !self.parts.configuration {
            return Ok(());
        }
        let config = config::load(&self.options, &self.environment)?;
        if self.parts.servers {
            let servers =
                ServerSet::new(Some(&self.servers()), &config, &self.options, &self.environment);
            self.servers.store(Arc::new(servers));
        }
        self.config.store(Arc::new(config));
        Ok(())
    }
}

//! The servers of a run: as configured, as sources, and what they share.

use super::control::Control;
use super::hosted::Hosted;
use super::per_user::{self, is_per_user};
use super::person;
use super::tokens::with_tokens;
use crate::{AppError, Environment, Options};
use futures_util::future::join_all;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use toolscout_config::{Config, ConfiguredServer};
use toolscout_core::{ErrorKind, Layer, Diagnostic, DiagnosticKind, Source, SourceId, Store};
use toolscout_mcp_client::limits::Limits;
use toolscout_mcp_client::{ConnectContext, McpSource, ServerConfig, ServerContext, ServerTransport, partition};
use toolscout_source::layer::{Filter, Retry, Timeout};

/// The servers of a run.
pub struct ServerSet {
    /// Every configured server, enabled or not, by id.
    pub configured: Vec<ConfiguredServer>,
    /// A source for each enabled one.
    pub sources: Vec<Arc<McpSource>>,
    /// The same, as the gateway takes them.
    layered: Vec<Arc<dyn Source>>,
    /// What they share; none where there is no server, or nothing can be remembered.
    pub shared: Option<Arc<ServerContext>>,
    /// How to reach the process that keeps servers for this project, if there is one.
    pub control: Option<Control>,
    /// What is odd about the configuration.
    pub problems: Vec<Diagnostic>,
    /// Stands for the project in keys.
    pub partition: String,
    /// The store of the run.
    pub store: Arc<dyn Store>,
}

impl ServerSet {
    /// No servers at all.
    pub fn empty(config: &Config, environment: &Environment) -> Self {
        Self {
            configured: Vec::new(),
            sources: Vec::new(),
            layered: Vec::new(),
            shared: None,
            control: None,
            problems: Vec::new(),
            store: environment.store(),
            partition: partition(config.project_folder()),
        }
    }

    /// The configured servers. A server whose entry is as it was in `before` is the same one, and goes on running.
    pub fn new(before: Option<&Self>, config: &Config, options: &Options, environment: &Environment) -> Self {
        let project = config.project_folder();
        let mut set = Self {
            configured: config.servers.clone(),
            shared: before.and_then(|it| it.shared.clone()),
            control: before.and_then(|it| it.control.clone()),
            ..Self::empty(config, environment)
        };
        if set.configured.is_empty() {
            return set;
        }
        set.configured.sort_by(|one, other| one.server.id.cmp(&other.server.id));
        for it in set.configured.iter_mut().filter(|it| !it.may_start) {
            if let Some(trusts) = person::trusts(it, &set.partition, environment) {
                it.may_start = true;
                it.server.trusted = trusts;
            }
        }
        if set.control.is_none() {
            set.control = Control::at(environment, &set.partition);
        }
        set.share(project, options, environment);
        set.fill(before, environment);
        set
    }

    fn share(&mut self, project: &Path, options: &Options, environment: &Environment) {
        if self.shared.is_some() {
            return;
        }
        let has_counterparts = options.serves();
        let dial = ConnectContext { lookup: environment.lookup(), has_counterparts, ..ConnectContext::new(project.to_owned()) };
        match ServerContext::new(self.store.clone(), project, dial) {
            Ok(shared) => self.shared = Some(Arc::new(shared)),
            Err(error) => {
                let problem =
                    Diagnostic::warning(DiagnosticKind::Unavailable, format!("no server can be used: {error}"));
                self.problems.push(problem.hint("set TOOLSCOUT_STATE_DIR to a folder you can write"));
            }
        }
    }

    /// Makes a source for each that is enabled, or takes the one that there was for the very same entry.
    fn fill(&mut self, before: Option<&Self>, environment: &Environment) {
        let Some(shared) = self.shared.clone() else { return };
        for it in self.configured.iter().filter(|it| it.server.enabled) {
            let (source, layered) = before.and_then(|before| before.made_for(it)).unwrap_or_else(|| {
                let source = Arc::new(source(it, &shared, environment));
                let layered = layered(&source, self.control.as_ref());
                (source, layered)
            });
            self.sources.push(source);
            self.layered.push(layered);
        }
    }

    fn made_for(&self, configured: &ConfiguredServer) -> Option<(Arc<McpSource>, Arc<dyn Source>)> {
        self.configured.iter().find(|it| runs_the_same(it, configured))?;
        let at = self.sources.iter().position(|it| it.server().id == configured.server.id)?;
        Some((self.sources[at].clone(), self.layered[at].clone()))
    }

    /// The sources as the gateway takes them: without the tools that are filtered out, and answered by the process that
    /// keeps servers, where there is one. The same ones each time.
    pub fn layered(&self) -> Vec<Arc<dyn Source>> {
        // Where each request brings its own token, each has a source of its own.
        self.layered
            .iter()
            .zip(&self.sources)
            .filter(|(_, it)| !is_per_user(it.server()))
            .map(|(it, _)| it.clone())
            .collect()
    }

    /// What there is to say about servers whose tools nobody sees here: they are off, or have tools for requests only.
    pub fn absent(&self) -> Vec<Diagnostic> {
        let absent = |it: &ConfiguredServer| {
            let id = &it.server.id;
            let (what, hint) = match it.server.enabled {
                false => (format!("server `{id}` is turned off"), format!("toolscout server enable {id}")),
                true if is_per_user(&it.server) => per_user::why(&it.server),
                true => return None,
            };
            Some(Diagnostic::warning(DiagnosticKind::Source, what).of(id.clone()).hint(hint))
        };
        self.configured.iter().filter_map(absent).collect()
    }

    /// This process runs its servers itself, whoever else keeps some.
    pub fn run_here(&self) {
        self.control.iter().for_each(Control::take_over);
    }

    /// The configured server of this id.
    pub fn find(&self, id: &str) -> Result<&ConfiguredServer, AppError> {
        self.configured.iter().find(|it| it.server.id.as_str() == id).ok_or_else(|| self.unknown(id))
    }

    /// The source of this id; an error where it is not configured, or not enabled.
    pub fn source(&self, id: &str) -> Result<&Arc<McpSource>, AppError> {
        self.find(id)?;
        self.sources.iter().find(|it| it.server().id.as_str() == id).ok_or_else(|| AppError::Said {
            kind: ErrorKind::Unavailable,
            message: format!("server `{id}` is not enabled"),
            hint: Some(format!("toolscout server enable {id}")),
        })
    }

    /// Records that an operator added this server, as it is configured now, and whether its tools are trusted.
    pub fn record_added(&self, id: &SourceId, trusted: bool) -> Result<(), AppError> {
        person::record_added(&*self.store, &self.partition, self.find(id.as_str())?, trusted)
    }

    /// Ends all that were started in this process.
    pub async fn end_all(&self) {
        join_all(self.sources.iter().map(|it| it.stop())).await;
    }

    fn unknown(&self, id: &str) -> AppError {
        let known = self.configured.iter().map(|it| it.server.id.as_str());
        let nearest = toolscout_surface::cli::nearest(id, known).map(str::to_owned);
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`toolscout server list` shows those there are".to_owned(),
        };
        let message = format!("there is no server `{}`", toolscout_core::escape::line(id));
        AppError::Said { kind: ErrorKind::NotFound, message, hint: Some(hint) }
    }
}

/// Whether both entries are of the same server, run in the same way. What may be done with its tools is no matter of the server, and
/// no reason to end one that runs.
fn runs_the_same(one: &ConfiguredServer, other: &ConfiguredServer) -> bool {
    let bare = |it: &ConfiguredServer| {
        let mut it = it.clone();
        it.server.policies.clear();
        it
    };
    one.server.id == other.server.id && (one == other || bare(one) == bare(other))
}

fn layered(source: &Arc<McpSource>, control: Option<&Control>) -> Arc<dyn Source> {
    let server = source.server();
    let layered: Arc<dyn Source> = match control {
        Some(control) => Arc::new(Hosted::new(source.clone(), control.clone())),
        None => source.clone(),
    };
    around(server, layered)
}

/// What goes around a server's source, whoever it is for.
pub(super) fn around(server: &ServerConfig, source: Arc<dyn Source>) -> Arc<dyn Source> {
    let source = match server.transport {
        // One that is busy, or out of reach for a moment, is asked again where that does no harm.
        ServerTransport::Http(_) => Timeout(time_for(server)).layer(Retry::default().layer(source)),
        ServerTransport::Stdio(_) => source,
    };
    Filter::patterns(server.filter.include.clone(), server.filter.exclude.clone()).layer(source)
}

/// What a call may take, however often the server is asked: as long as if it had to be discovered first, and was asked once.
fn time_for(server: &ServerConfig) -> Duration {
    let usual = Limits::default();
    server.discovery_timeout.unwrap_or(usual.discovery) + server.call_timeout.unwrap_or(usual.call)
}

fn source(configured: &ConfiguredServer, shared: &Arc<ServerContext>, environment: &Environment) -> McpSource {
    let server = configured.server.clone();
    let source = McpSource::new(server, with_tokens(configured, shared, environment));
    match configured.may_start {
        true if !is_per_user(&configured.server) => source,
        _ => {
            let (what, hint) = why_barred(configured);
            source.barred(format!("{what}; {hint}"))
        }
    }
}

/// Why a server is not started here, and what would change that: it came with a project, or is for requests only.
pub fn why_barred(configured: &ConfiguredServer) -> (String, String) {
    if configured.may_start {
        return per_user::why(&configured.server);
    }
    let what = format!("`{}` comes from a project nobody has trusted yet, so it is not started", configured.server.id);
    (what, format!("look at {}, then: toolscout trust", configured.file.display()))
}

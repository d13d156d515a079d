//! The servers of a run: as configured, as sources, and what they share.

use super::control::Control;
use super::hosted::Hosted;
use super::person;
use crate::config::{Config, Configured};
use crate::plugins::discovery::Place;
use crate::{AppError, Options, Surroundings};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{ErrorKind, Layer, Problem, ProblemKind, Source, Store};
use toolscout_source::layer::{Filter, Retry, Timeout};
use toolscout_source::mcp::limits::Limits;
use toolscout_source::mcp::{Dial, Lookup, McpSource, Server, Shared, Transport, partition};

/// The servers of a run.
pub(crate) struct ServerSet {
    /// Every configured server, enabled or not, by id.
    pub(crate) configured: Vec<Configured>,
    /// A source for each enabled one.
    pub(crate) sources: Vec<Arc<McpSource>>,
    /// What they share; none where there is no server, or nothing can be remembered.
    pub(crate) shared: Option<Arc<Shared>>,
    /// How to reach the process that keeps servers for this project, if there is one.
    pub(crate) control: Option<Control>,
    /// What is odd about the configuration.
    pub(crate) problems: Vec<Problem>,
    /// Stands for the project in keys.
    pub(crate) partition: String,
    pub(crate) store: Arc<dyn Store>,
}

impl ServerSet {
    /// Those of this run; worked out once.
    pub(crate) fn of(options: &Options, surroundings: &Surroundings) -> Result<Arc<Self>, AppError> {
        options.once(|| Self::make(options, surroundings))
    }

    /// As [`ServerSet::of`], after the configuration was changed.
    pub(crate) fn again(options: &Options, surroundings: &Surroundings) -> Result<Arc<Self>, AppError> {
        options.forget::<Config>();
        options.forget::<Self>();
        Self::of(options, surroundings)
    }

    fn make(options: &Options, surroundings: &Surroundings) -> Result<Self, AppError> {
        let config = Config::of(options, surroundings)?;
        let place = Place::of(options, surroundings)?;
        let mut configured = config.servers.clone();
        configured.sort_by(|one, other| one.server.id.cmp(&other.server.id));
        let mut problems = Vec::new();
        let project = place.project();
        let (partition, store) = (partition(project), surroundings.store());
        if configured.is_empty() {
            let (sources, shared, control) = (Vec::new(), None, None);
            return Ok(Self { configured, sources, shared, control, problems, partition, store });
        }
        for it in configured.iter_mut().filter(|it| !it.may_start) {
            if let Some(trusts) = person::trusts(it, &partition, surroundings) {
                it.may_start = true;
                it.server.trusted = trusts;
            }
        }
        let has_counterparts = options.serves();
        let dial = Dial { lookup: lookup(surroundings), has_counterparts, ..Dial::new(project.to_owned()) };
        let shared = match Shared::new(surroundings.store(), project, dial) {
            Ok(shared) => Some(Arc::new(shared)),
            Err(error) => {
                let problem = Problem::warning(ProblemKind::Unavailable, format!("no server can be used: {error}"));
                problems.push(problem.hint("set TOOLSCOUT_STATE_DIR to a folder you can write"));
                None
            }
        };
        let enabled = configured.iter().filter(|it| it.server.enabled);
        let sources = match &shared {
            Some(shared) => enabled.map(|it| Arc::new(source(it, shared, surroundings))).collect(),
            None => Vec::new(),
        };
        let control = Control::at(surroundings, &partition);
        Ok(Self { configured, sources, shared, control, problems, partition, store })
    }

    /// The sources as the gateway takes them: without the tools that are filtered out, and answered by the process that
    /// keeps servers, where there is one.
    pub(crate) fn layered(&self) -> Vec<Arc<dyn Source>> {
        let layered = |it: &Arc<McpSource>| {
            let filter = &it.server().filter;
            let source: Arc<dyn Source> = match &self.control {
                Some(control) => Arc::new(Hosted::new(it.clone(), control.clone())),
                None => it.clone(),
            };
            let source = match it.server().transport {
                // One that is busy, or out of reach for a moment, is asked again where that does no harm.
                Transport::Http(_) => Timeout(time_for(it.server())).layer(Retry::default().layer(source)),
                Transport::Stdio(_) => source,
            };
            Filter::patterns(filter.include.clone(), filter.exclude.clone()).layer(source)
        };
        self.sources.iter().map(layered).collect()
    }

    /// The configured server of this id.
    pub(crate) fn find(&self, id: &str) -> Result<&Configured, AppError> {
        self.configured.iter().find(|it| it.server.id.as_str() == id).ok_or_else(|| self.unknown(id))
    }

    /// The source of this id; an error where it is not configured, or not enabled.
    pub(crate) fn source(&self, id: &str) -> Result<&Arc<McpSource>, AppError> {
        self.find(id)?;
        self.sources.iter().find(|it| it.server().id.as_str() == id).ok_or_else(|| AppError::Said {
            kind: ErrorKind::Unavailable,
            message: format!("server `{id}` is not enabled"),
            hint: Some(format!("toolscout server enable {id}")),
        })
    }

    /// Ends all that were started in this process.
    pub(crate) async fn end_all(&self) {
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

/// What a call may take, however often the server is asked: as long as if it had to be discovered first, and was asked once.
fn time_for(server: &Server) -> Duration {
    let usual = Limits::default();
    server.discovery_timeout.unwrap_or(usual.discovery) + server.call_timeout.unwrap_or(usual.call)
}

fn source(configured: &Configured, shared: &Arc<Shared>, surroundings: &Surroundings) -> McpSource {
    let server = configured.server.clone();
    let source = McpSource::new(server, super::login::with_tokens(configured, shared, surroundings));
    match configured.may_start {
        true => source,
        false => {
            let (what, hint) = untrusted(configured);
            source.barred(format!("{what}; {hint}"))
        }
    }
}

/// Why a server that came with a project is not started, and what would change that.
pub(super) fn untrusted(configured: &Configured) -> (String, String) {
    let what = format!("`{}` comes from a project nobody has trusted yet, so it is not started", configured.server.id);
    (what, format!("look at {}, then: toolscout trust", configured.file.display()))
}

/// References lead to the environment of the run.
pub(super) fn lookup(surroundings: &Surroundings) -> Lookup {
    surroundings.lookup()
}

//! The tools of all sources, discovered on first use.

use crate::environment::Environment;
use crate::{AppError, CommandTraits, Options};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OnceCell;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::cx::ApprovalPrompt;
use toolscout_core::event::Observers;
use toolscout_core::{
    Caller, Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, DiscoveryItem, SourceError,
    SourceKind, Status, Tool, escape,
};
use toolscout_folder::DefaultRoot;
use toolscout_gateway::{Gateway, RefreshOutcome};

/// The tools of all sources. Discovery runs once for all users.
pub struct Tools {
    gateway: Arc<Gateway>,
    environment: Arc<Environment>,
    request: Cx,
    verbosity: Verbosity,
    shows_tools: bool,
    discovered: OnceCell<Vec<Diagnostic>>,
    /// Names of built-in commands.
    reserved: OnceLock<HashSet<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

impl Tools {
    /// The number of unavailable sources that are reported one by one.
    const MAX_SOURCE_WARNINGS: usize = 3;

    /// The tools of this gateway. Does not run discovery.
    pub fn new(
        gateway: Gateway,
        environment: Arc<Environment>,
        options: &Options,
        observers: Observers,
    ) -> Self {
        let verbosity = match (options.switch("quiet"), options.switch("verbose")) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let mut request = Cx { observers, ..Cx::new(Caller::Cli) };
        let folder = options.folder(environment.cwd());
        request.asker = environment.is_interactive().then(|| asker(environment.clone()));
        request.project = Some(Arc::new(DefaultRoot::find(&folder).unwrap_or(&folder).to_owned()));
        let (discovered, reserved) = (OnceCell::new(), OnceLock::new());
        let gateway = Arc::new(gateway);
        Self {
            gateway,
            environment,
            request,
            verbosity,
            shows_tools: options.command.shows_tools,
            discovered,
            reserved,
        }
    }

    /// The gateway, after discovery; diagnostics are reported as warnings.
    pub async fn discovered_gateway(&self) -> Result<&Gateway, AppError> {
        self.discover(|_| ()).await?;
        Ok(&self.gateway)
    }

    /// As [`Tools::discovered_gateway`]; the first discovery also shows each tool as it is found.
    pub async fn discover(
        &self,
        watch: impl FnMut(&DiscoveryItem),
    ) -> Result<&[Diagnostic], AppError> {
        let run = || async {
            let refreshed =
                self.with_progress(self.gateway.refresh_watched(&self.request, watch)).await;
            self.settle(refreshed)
        };
        self.discovered.get_or_try_init(run).await.map(Vec::as_slice)
    }

    /// As [`Tools::discovered_gateway`], without warnings.
    pub async fn discovered_gateway_quietly(&self) -> Result<&Gateway, AppError> {
        self.discover_quietly().await?;
        Ok(&self.gateway)
    }

    /// Discovers all sources again, without warnings.
    pub async fn discover_quietly_again(&self) -> Result<Vec<Diagnostic>, AppError> {
        self.collect_diagnostics(self.gateway.refresh(&self.request).await)
    }

    /// Discovers all sources again at once, so that a definition is reviewed even if it soon
    /// changes back. Warns about newly quarantined tools.
    pub async fn discover_changes(&self) {
        match self.discover_quietly_again().await {
            Ok(news) => news
                .iter()
                .filter(|diagnostic| diagnostic.kind == DiagnosticKind::Quarantined)
                .for_each(|diagnostic| self.warn(diagnostic)),
            Err(error) => {
                tracing::warn!(event = "rediscovery_failed", error = %escape::line(&error.to_string()))
            }
        }
    }

    /// The diagnostics of discovery, for callers that report them themselves.
    pub async fn discover_quietly(&self) -> Result<&[Diagnostic], AppError> {
        let run = || async { self.collect_diagnostics(self.gateway.refresh(&self.request).await) };
        self.discovered.get_or_try_init(run).await.map(Vec::as_slice)
    }

    /// Discovers all sources again, after a change that they depend on.
    pub async fn discover_again(&self) -> Result<(), AppError> {
        let refreshed = self.gateway.refresh(&self.request).await;
        self.report(refreshed).map(|_| ())
    }

    /// Whether the first catalog is published.
    pub fn is_discovered(&self) -> bool {
        self.discovered.initialized()
    }

    /// The gateway, with or without discovery.
    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    pub fn shared_gateway(&self) -> Arc<Gateway> {
        self.gateway.clone()
    }

    /// The context of requests of this run.
    pub fn request(&self) -> Cx {
        self.request.clone()
    }

    fn settle(&self, refreshed: RefreshOutcome) -> Result<Vec<Diagnostic>, AppError> {
        let problems = self.sorted(refreshed)?;
        let (of_sources, others): (Vec<_>, Vec<_>) =
            problems.iter().partition(|it| it.kind == DiagnosticKind::Source);
        others.iter().for_each(|it| self.warn(it));
        of_sources.iter().take(Self::SOURCES).for_each(|it| self.warn(it));
        if of_sources.len() > Self::SOURCES {
            let message = format!(
                "{} more servers are unavailable or still loading",
                of_sources.len() - Self::SOURCES
            );
            self.warn(
                &Diagnostic::warning(DiagnosticKind::Source, message)
                    .with_hint("toolscout server list"),
            );
        }
        Ok(problems)
    }

    /// All diagnostics; the one at which strict mode stopped is an error.
    fn collect_diagnostics(&self, refreshed: RefreshOutcome) -> Result<Vec<Diagnostic>, AppError> {
        let mut diagnostics = refreshed.diagnostics;
        for (id, error) in refreshed.failed {
            match error {
                SourceError::Stopped(diagnostic) => return Err(AppError::Stopped(diagnostic)),
                error => diagnostics.push(Diagnostic::warning(
                    DiagnosticKind::Source,
                    format!("source `{id}` could not be listed: {error}"),
                )),
            }
        }
        problems.extend(self.clashes());
        Ok(problems)
    }

    /// Sets the names of built-in commands.
    pub fn reserve(&self, names: HashSet<String>) {
        let _ = self.reserved.set(names);
    }

    /// Tools that cannot be typed as commands, because a built-in command has the same name.
    fn name_clashes(&self) -> Vec<Diagnostic> {
        let snapshot = self.gateway.snapshot();
        // Iterates over the commands, because there are a few dozen of them and possibly
        // thousands of tools.
        let reserved = self.reserved.get().into_iter().flatten();
        let mut clashing: Vec<_> =
            reserved.flat_map(|reserved| snapshot.tools_named(reserved)).collect();
        clashing.sort_by_key(|named| named.at);
        let diagnostic =
            |tool: &Arc<Tool>| {
                let (name, message) =
                    (&tool.id.name, format!("`{}` is also a built-in command", tool.id.name));
                // The operator cannot rename the tool of a server.
                if self.gateway.sources().iter().any(|source| {
                    *source.id() == tool.id.source && source.kind() == SourceKind::Mcp
                }) {
                    let diagnostic = Diagnostic::debug(DiagnosticKind::Collision, message)
                        .with_source(tool.id.source.clone());
                    return diagnostic.with_hint(format!("toolscout run {}", tool.id));
                }
                let diagnostic = Diagnostic::warning(DiagnosticKind::Collision, message)
                    .with_source(tool.id.source.clone());
                let diagnostic = diagnostic.with_hint(format!("toolscout run {name}"));
                match &tool.provenance.path {
                    Some(path) => diagnostic.with_path(path),
                    None => diagnostic,
                }
            };
        clashing.into_iter().map(|clashing| diagnostic(&clashing.tool)).collect()
    }

    /// Writes a diagnostic as a warning, as far as the verbosity allows.
    pub fn warn(&self, diagnostic: &Diagnostic) {
        // A command that runs one tool does not repeat that other sources are unavailable.
        // Quarantine is reported once.
        let is_about_server = diagnostic.source.is_some()
            && diagnostic.path.is_none()
            && diagnostic.kind != DiagnosticKind::Quarantined;
        let is_irrelevant = (diagnostic.kind == DiagnosticKind::Untrusted || is_about_server)
            && !self.command.shows_tools;
        let is_quiet = diagnostic.level == DiagnosticLevel::Debug || is_irrelevant;
        let needed = if is_quiet { Verbosity::Verbose } else { Verbosity::Normal };
        if self.verbosity >= needed {
            self.environment.eprint(&render(diagnostic));
        }
    }

    /// Shows progress on a terminal, if the work takes longer than half a second.
    async fn with_progress<T>(&self, work: impl Future<Output = T>) -> T {
        if !self.environment.is_interactive() || self.verbosity == Verbosity::Quiet {
            return work.await;
        }
        tokio::pin!(work);
        let mut ticks = tokio::time::interval_at(
            tokio::time::Instant::now() + Duration::from_millis(500),
            Duration::from_millis(120),
        );
        let mut shown = 0usize;
        loop {
            tokio::select! {
                done = &mut work => {
                    if shown > 0 {
                        self.environment.say("\r\x1b[K");
                    }
                    return done;
                }
                _ = ticks.tick() => {
                    self.environment.say(&format!("\r{} looking for tools", ["|", "/", "-", "\\"][shown % 4]));
                    shown += 1;
                }
            }
        }
    }
}

/// Refuses a quarantined tool: its definition is hidden, so its parameters are hidden as well.
pub fn refuse_quarantined(tool: &Tool) -> Result<(), AppError> {
    match &tool.status {
        Status::Quarantined(reason) => {
            let error = AuthorizationError::Quarantined {
                tool: tool.id.to_string(),
                reason: reason.clone(),
            };
            Err(toolscout_gateway::Error::from(error).into())
        }
        _ => Ok(()),
    }
}

/// The maximum time in which a command encodes the discovered tools; searches and servers
/// encode the rest.
const STUDY_LIMIT: Duration = Duration::from_secs(2);

/// Encodes newly discovered tools for semantic search, for at most two seconds.
pub async fn study_briefly(gateway: &Gateway) {
    let left = gateway.study_within(STUDY_LIMIT).await;
    tracing::debug!(event = "studied", left);
}

fn render(problem: &Diagnostic) -> String {
    let path = problem
        .path
        .as_ref()
        .map(|path| format!("{}: ", escape::line(&path.display().to_string())))
        .unwrap_or_default();
    let level = if diagnostic.level == DiagnosticLevel::Debug { "note" } else { "warning" };
    let mut text = format!("{level}: {path}{}\n", escape::text(&diagnostic.message));
    if let Some(hint) = &diagnostic.hint {
        text += &format!("  hint: {}\n", escape::text(hint));
    }
    text
}

/// Prompts the operator at the terminal to approve a call, and shows all arguments.
fn approval_prompt(environment: Arc<Environment>) -> ApprovalPrompt {
    Arc::new(move |request| {
        let environment = environment.clone();
        Box::pin(async move {
            let arguments = serde_json::to_string_pretty(&request.arguments).unwrap_or_default();
            let (tool, arguments) =
                (request.tool.to_string(), escape::text(&arguments).into_owned());
            environment.confirm(&format!("Run {} with {arguments}?", escape::line(&tool))).await
        })
    })
}

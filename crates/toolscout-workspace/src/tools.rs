//! The tools of all sources, discovered on first use.

use crate::environment::Environment;
use crate::{AppError, CommandTraits, Options};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use tokio::sync::OnceCell;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::cx::{ApprovalPrompt, Role};
use toolscout_core::event::Observers;
use toolscout_core::{
    Caller, Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, DiscoveryItem, Source, SourceError,
    SourceKind, Status, Tool, escape,
};
use toolscout_folder::DefaultRoot;
use toolscout_gateway::{Gateway, RefreshOutcome};
use toolscout_surface::cli::analyze;
use toolscout_surface::operation::UnavailableServers;

/// The tools of all sources. Discovery runs once for all users.
pub struct Tools {
    gateway: Arc<Gateway>,
    environment: Arc<Environment>,
    request: Cx,
    partition: String,
    verbosity: Verbosity,
    command: CommandTraits,
    strict: bool,
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
        partition: String,
        observers: Observers,
    ) -> Self {
        let verbosity = match (options.switch("quiet"), options.switch("verbose")) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let mut request = Cx { observers, ..Cx::new(Caller::Cli) };
        let folder = options.folder(environment.cwd());
        request.account = environment.account().map(Into::into);
        if environment.tool_parent().is_some() {
            request.role = Role::Tool;
        }
        request.approval_prompt =
            environment.is_interactive().then(|| approval_prompt(environment.clone()));
        request.cwd = Some(Arc::new(folder.clone()));
        request.project = Some(Arc::new(DefaultRoot::find(&folder).unwrap_or(&folder).to_owned()));
        let (discovered, reserved) = (OnceCell::new(), OnceLock::new());
        let gateway = Arc::new(gateway);
        Self {
            gateway,
            environment,
            request,
            partition,
            verbosity,
            command: options.command,
            strict: options.switch("strict"),
            discovered,
            reserved,
        }
    }

    /// Identifies the project in keys of the store.
    pub(crate) fn partition(&self) -> &str {
        &self.partition
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
            let line = self.environment.progress().start("discovering tools");
            let refreshed = self.gateway.refresh_watched(&self.request, watch).await;
            drop(line);
            self.report(refreshed)
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
        self.report_changes(self.gateway.refresh(&self.request).await);
    }

    /// Warns about the tools that a discovery has quarantined.
    pub fn report_changes(&self, refreshed: RefreshOutcome) {
        match self.collect_diagnostics(refreshed) {
            Ok(diagnostics) => diagnostics
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

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The context of requests of this run.
    pub fn request(&self) -> Cx {
        self.request.clone()
    }

    fn report(&self, refreshed: RefreshOutcome) -> Result<Vec<Diagnostic>, AppError> {
        let diagnostics = self.collect_diagnostics(refreshed)?;
        let (of_servers, others): (Vec<_>, Vec<_>) =
            diagnostics.iter().partition(|diagnostic| is_server_state(diagnostic));
        others.iter().for_each(|diagnostic| self.warn(diagnostic));
        match (self.command.unavailable_servers, self.verbosity) {
            (UnavailableServers::Warn, _) | (_, Verbosity::Verbose) => {
                self.report_each_server(&of_servers);
            }
            (UnavailableServers::Count, Verbosity::Normal) => {
                self.note_missing_servers(of_servers.len());
            }
            _ => {}
        }
        Ok(diagnostics)
    }

    fn report_each_server(&self, diagnostics: &[&Diagnostic]) {
        diagnostics
            .iter()
            .take(Self::MAX_SOURCE_WARNINGS)
            .for_each(|diagnostic| self.warn(diagnostic));
        if diagnostics.len() > Self::MAX_SOURCE_WARNINGS {
            let message = match diagnostics.len() - Self::MAX_SOURCE_WARNINGS {
                1 => "1 more server is unavailable or still loading".to_owned(),
                more => format!("{more} more servers are unavailable or still loading"),
            };
            self.warn(
                &Diagnostic::warning(DiagnosticKind::Source, message)
                    .with_hint("toolscout server list"),
            );
        }
    }

    /// One line for a list that lacks tools. `server list` and `doctor` have the reasons.
    fn note_missing_servers(&self, count: usize) {
        let servers = match count {
            0 => return,
            1 => "1 server is".to_owned(),
            more => format!("{more} servers are"),
        };
        self.environment.eprint(&format!(
            "note: {servers} unavailable or still loading (`toolscout server list`)\n"
        ));
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
        diagnostics.extend(self.name_clashes());
        if self.command.shows_tools || self.strict {
            let clashes = self.flag_clashes();
            match clashes.first() {
                Some(first) if self.strict => return Err(AppError::Stopped(first.clone().into())),
                _ => diagnostics.extend(clashes),
            }
        }
        Ok(diagnostics)
    }

    /// Properties of tools that would have the same flag. Tools of servers are left out; their own
    /// help shows it.
    fn flag_clashes(&self) -> Vec<Diagnostic> {
        let snapshot = self.gateway.snapshot();
        let is_foreign = self.foreign_tool_check();
        snapshot
            .tools()
            .filter(|tool| !is_foreign(tool))
            .flat_map(|tool| analyze(tool).clash_diagnostics())
            .collect()
    }

    /// Tells whether a tool comes from a server: the operator can neither rename nor change it.
    fn foreign_tool_check(&self) -> impl Fn(&Tool) -> bool {
        let sources = self.gateway.sources();
        let is_server = |source: &&Arc<dyn Source>| source.kind() == SourceKind::Mcp;
        let servers: HashSet<_> =
            sources.iter().filter(is_server).map(|source| source.id().clone()).collect();
        move |tool| servers.contains(&tool.id.source)
    }

    /// Sets the names of built-in commands.
    pub fn reserve(&self, names: HashSet<String>) {
        let _ = self.reserved.set(names);
    }

    /// Whether a built-in command has this name.
    pub(crate) fn is_reserved(&self, name: &str) -> bool {
        self.reserved.get().is_some_and(|reserved| reserved.contains(name))
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
        let is_foreign = self.foreign_tool_check();
        let diagnostic = |tool: &Arc<Tool>| {
            let message = format!("`{}` is also a built-in command", tool.id.name);
            if is_foreign(tool) {
                return Diagnostic::debug(DiagnosticKind::Collision, message)
                    .with_source(tool.id.source.clone())
                    .with_hint(format!("toolscout run {}", tool.id));
            }
            let diagnostic = Diagnostic::warning(DiagnosticKind::Collision, message)
                .with_source(tool.id.source.clone())
                .with_hint(format!("toolscout run {}", tool.id.name));
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
}

/// Whether it is about the state of a server.
fn is_server_state(diagnostic: &Diagnostic) -> bool {
    diagnostic.kind == DiagnosticKind::Source && diagnostic.source.is_some()
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

fn render(diagnostic: &Diagnostic) -> String {
    let path = diagnostic
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

//! Shows what takes long: a line for the command, and one for each server whose tools are loading.

use crate::{Environment, RunCx};
use std::sync::Arc;
use toolscout_core::cx::Progress;
use toolscout_core::event::{Event, EventKind, Observer};
use toolscout_core::{Cx, LogLevel, LogMessage, LogSink, ToolId, counted, escape};
use toolscout_workspace::ProgressLine;

/// The request context for a call of this tool, with a progress line. Progress and log messages of
/// the tool are logged as well.
pub(crate) fn watched_call(cx: &RunCx, tool: &ToolId) -> (Cx, Arc<ProgressLine>) {
    let line = Arc::new(cx.environment().progress().start(&tool.to_string()));
    let servers = cx.workspace().servers();
    let configured = servers.configured.iter().find(|server| server.server.id == tool.source);
    if let Some(installer) = configured.and_then(|configured| configured.server.installer()) {
        line.may_install(installer);
    }
    let (shown, tool) = (line.clone(), tool.clone());
    let progress = move |progress: Progress| {
        let message = progress.message.as_deref().map(escape::line);
        tracing::debug!(event = "tool_progress", tool = %tool, done = progress.done, total = progress.total, message = message.as_deref());
        shown.report(progress);
    };
    let log = Some(log_sink(cx));
    (Cx { progress: Some(Arc::new(progress)), log, ..cx.request() }, line)
}

/// The request context for an operation, with a progress line.
pub(crate) fn watched_operation(cx: &RunCx, name: &str) -> (Cx, Arc<ProgressLine>) {
    let line = Arc::new(cx.environment().progress().start(name));
    let shown = line.clone();
    let progress = move |progress: Progress| shown.report(progress);
    let is_shown = cx.environment().progress().is_shown();
    let progress = is_shown.then(|| Arc::new(progress) as Arc<dyn Fn(Progress) + Send + Sync>);
    (Cx { progress, ..cx.request() }, line)
}

/// Prints log messages to stderr: all with `--verbose`, otherwise those that a user has to see.
fn log_sink(cx: &RunCx) -> LogSink {
    let environment = cx.workspace().environment.clone();
    let lowest = match (cx.options().switch("quiet"), cx.options().switch("verbose")) {
        (true, _) => LogLevel::Error,
        (_, true) => LogLevel::Trace,
        _ => LogLevel::Info,
    };
    Arc::new(move |message: LogMessage| {
        if message.level >= lowest {
            environment.eprint(&format!("{}\n", escape::text(&message.to_line())));
        }
    })
}

/// Shows a line for each server whose tools are loading.
pub(crate) struct DiscoveryProgress(pub(crate) Arc<Environment>);

impl Observer for DiscoveryProgress {
    fn observe(&self, event: &Event) {
        let display = self.0.progress();
        match &event.kind {
            EventKind::DiscoveryStarted(start) => {
                let installer = start.installer.as_deref();
                display.start_part(start.source.as_str(), "loading tools", installer);
            }
            EventKind::Discovery(ended) => {
                let outcome = match &ended.error {
                    Some(error) => format!("failed: {error}"),
                    None => counted(ended.names.len(), "tool"),
                };
                display.end_part(ended.source.as_str(), &outcome);
            }
            _ => {}
        }
    }
}

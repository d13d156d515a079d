//! Runs a module through a shim, a small program for its language runtime.
//!
//! The shim reads one request from standard input and writes one response line that starts with the
//! request's nonce. All other output on standard output comes from the module; it is appended to
//! standard error and can never be mistaken for a response.

#[cfg(all(test, unix))]
mod tests;

use super::invocation::context;
use super::recipe::{Flavour, Probed};
use super::sandbox::{RunPurpose, StartSandbox, ToolSandbox};
use super::{inspect, output, probed, runtime, static_description};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use toolscout_core::{
    Cx, LogMessage, OutputSink, OutputStream, RawJson, SourceError, SourceId, ToolCall, ToolOutput,
    escape,
};
use toolscout_process::{
    self as child, Limits, ProgramOutput, ProgramTask, StderrFilter, environment, program,
};

/// The response of a shim; exactly one field is present.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShimResponse {
    /// The response to `list`.
    tools: Option<Vec<ShimEntry>>,
    /// The response to `call`.
    result: Option<RawJson>,
    /// The module could not be loaded.
    error: Option<String>,
    /// The response to `call` for an unknown tool: the names of the existing tools.
    missing: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShimEntry {
    Tool(RawJson),
    /// A function without a schema, with a schema that allows all arguments.
    Function(RawJson),
    Problem(String),
}

/// The tools of a module, in its order.
pub(super) async fn list(
    id: &SourceId,
    file: &Path,
    flavour: Flavour,
    limits: Limits,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<Vec<Result<Probed, String>>, SourceError> {
    let start = sandbox.of(RunPurpose::Probe, cx);
    let request = json!({"op": "list", "flavour": flavour});
    let logger = file.display().to_string();
    let (response, outcome) = run_shim(&logger, id, file, flavour, request, limits, start).await?;
    match response {
        Some(ShimResponse { tools: Some(entries), .. }) => {
            Ok(entries.into_iter().map(read).collect())
        }
        Some(ShimResponse { error: Some(reason), .. }) => Err(SourceError::Protocol {
            id: id.clone(),
            reason: format!("could not be loaded: {reason}"),
        }),
        _ => Err(SourceError::Protocol {
            id: id.clone(),
            reason: format!(
                "{} before it was loaded{}",
                ending(&outcome),
                output::stderr_suffix(&outcome)
            ),
        }),
    }
}

fn read(entry: ShimEntry) -> Result<Probed, String> {
    match entry {
        ShimEntry::Tool(raw) => probed::read(raw.as_str()),
        ShimEntry::Function(raw) => {
            probed::read(raw.as_str()).map(|probed| Probed { lacks_schema: true, ..probed })
        }
        ShimEntry::Problem(reason) => Err(reason),
    }
}

/// Loads the module and calls one of its tools, in one process.
pub(super) async fn call(
    file: &Path,
    flavour: Flavour,
    call: &ToolCall,
    limits: Limits,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<ToolOutput, SourceError> {
    let start = sandbox.of(RunPurpose::Call, cx);
    let id = &call.tool.source;
    let name = call.tool.name.as_str();
    let request = json!({
        "op": "call",
        "flavour": flavour,
        "tool": name,
        "input": call.arguments,
        "context": context(call, cx),
        "meta": {"requestId": request_id(cx)},
        "extensions": &*cx.extensions,
    });
    let logger = call.tool.to_string();
    let (response, outcome) = run_shim(&logger, id, file, flavour, request, limits, start).await?;
    let shown = file.display().to_string();
    match response {
        Some(ShimResponse { result: Some(raw), .. }) => {
            ToolOutput::from_raw(raw).map_err(|reason| SourceError::Protocol {
                id: id.clone(),
                reason: format!("`{shown}`: {reason}"),
            })
        }
        Some(ShimResponse { missing: Some(names), .. }) => Err(SourceError::Unavailable {
            id: id.clone(),
            what: format!(
                "`{shown}` no longer has a tool `{name}`; it has: {}",
                or_none(&names.join(", "))
            ),
        }),
        Some(ShimResponse { error: Some(reason), .. }) => Err(spawn_error(id, file, reason)),
        _ => Ok(output::from_failure(&shown, &outcome)),
    }
}

fn or_none(names: &str) -> &str {
    if names.is_empty() { "none" } else { names }
}

/// Starts the shim with the request. The response is `None` if the process ended without one.
async fn run_shim(
    logger: &str,
    id: &SourceId,
    file: &Path,
    flavour: Flavour,
    mut request: Value,
    limits: Limits,
    start: StartSandbox<'_>,
) -> Result<(Option<ShimResponse>, ProgramOutput), SourceError> {
    let cx = start.cx;
    let fail = |reason| spawn_error(id, file, reason);
    let runtime = runtime::runtime_for(file).map_err(fail)?;
    let project = cx.project.as_ref().map(|project| project.as_path());
    let real = program::checked_file(file, project).map_err(fail)?;
    let nonce = nonce();
    request["file"] = Value::from(real.to_string_lossy());
    request["nonce"] = Value::from(nonce.as_str());
    request["described"] = described(&real).await;
    let task = ProgramTask {
        id: id.clone(),
        args: runtime.arguments(&real).await.map_err(fail)?,
        program: runtime.program,
        display_name: file.display().to_string(),
        cwd: folder(file, flavour, project),
        env: environment::environment(&[])?,
        stdin: Some(request.to_string().into_bytes()),
        limits,
        sandbox: None,
    };
    let own_args = task.args.clone();
    let task = start.confine(task, own_args).await?;
    let sink = cx.output.clone().map(|sink| own_output(&nonce, sink));
    let mut outcome = child::start_graceful(task, log_filter(&nonce, logger, cx), sink).await?;
    let response = take_response(&mut outcome, &nonce)
        .map_err(|reason| SourceError::Protocol { id: id.clone(), reason })?;
    Ok((response, outcome))
}

/// Recognizes the log messages of a shim in stderr: passes them on, and keeps them as text.
fn log_filter(nonce: &str, logger: &str, cx: &Cx) -> StderrFilter {
    let (marker, logger) = (format!("{nonce}log "), logger.to_owned());
    let (sink, output) = (cx.log.clone(), cx.output.clone());
    StderrFilter::new(move |line| {
        let parse = || {
            // The module may have left half a line before it.
            let (before, json) = std::str::from_utf8(line).ok()?.split_once(&marker)?;
            Some((before, serde_json::from_str::<LogMessage>(json).ok()?))
        };
        let Some((before, message)) = parse() else {
            if let Some(output) = &output {
                output(OutputStream::Stderr, line);
            }
            return None;
        };
        let message = LogMessage { logger: logger.clone(), ..message };
        let kept = format!("{before}{}\n", message.to_line());
        tracing::debug!(event = "tool_log", tool = %message.logger, level = message.level.as_str(), message = %escape::line(&message.message));
        if let Some(sink) = &sink {
            sink(message);
        }
        Some(kept.into_bytes())
    })
}

/// Passes on what a module itself writes to standard output, without the response of its shim. It
/// is not the result, so it counts as messages. Standard error goes through [`log_filter`].
fn own_output(nonce: &str, sink: OutputSink) -> OutputSink {
    let nonce = nonce.to_owned();
    let pending = Mutex::new(Vec::new());
    Arc::new(move |stream, bytes| {
        if stream == OutputStream::Stderr {
            return;
        }
        let mut pending = pending.lock();
        pending.extend_from_slice(bytes);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            if !line.starts_with(nonce.as_bytes()) && line != b"\n" {
                sink(OutputStream::Stderr, &line);
            }
        }
    })
}

/// The client's id of the request, or a new one.
fn request_id(cx: &Cx) -> String {
    cx.request_id.as_ref().map_or_else(unique, |id| id.to_string())
}

/// The description in the comments of a module, which its runtime does not see.
async fn described(file: &Path) -> Value {
    let file = file.to_owned();
    let read = move || {
        let text = inspect::text(&file).ok()?;
        Some(static_description::for_shim(&file, &text))
    };
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

/// The working directory: OpenCode tools run in the project, all others in their own folder.
fn folder(file: &Path, flavour: Flavour, project: Option<&Path>) -> PathBuf {
    let own = file.parent().unwrap_or(Path::new("/"));
    match flavour {
        Flavour::Opencode => project.unwrap_or(own).to_path_buf(),
        Flavour::Plain => own.to_path_buf(),
    }
}

/// Extracts the response from standard output and appends the rest, the module's own output, to
/// standard error.
fn take_response(outcome: &mut ProgramOutput, nonce: &str) -> Result<Option<ShimResponse>, String> {
    let mut response = None;
    let stdout = std::mem::take(&mut outcome.stdout);
    for line in stdout.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(nonce.as_bytes()) {
            Some(json) => {
                response = Some(
                    serde_json::from_slice(json)
                        .map_err(|err| format!("its output cannot be parsed ({err})"))?,
                );
            }
            None if line != b"\n" => outcome.stderr.extend_from_slice(line),
            None => {}
        }
    }
    Ok(response)
}

fn ending(outcome: &ProgramOutput) -> String {
    match outcome.status.code() {
        // Node's exit code for an unsettled top-level await.
        Some(13) => "exited with an unsettled top-level `await`".to_owned(),
        _ => outcome.exit_description(),
    }
}

fn spawn_error(id: &SourceId, file: &Path, reason: String) -> SourceError {
    SourceError::Spawn { id: id.clone(), program: file.display().to_string(), reason, cause: None }
}

/// A marker that no module prints by accident.
fn nonce() -> String {
    format!("toolscout-{}:", unique())
}

/// A text that no other call has.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let seed = format!("{count} {now} {} {:p}", std::process::id(), &raw const COUNT);
    blake3::hash(seed.as_bytes()).to_hex()[..32].to_owned()
}

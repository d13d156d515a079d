//! Probes a file for its tools. This starts the file, so only trusted files are probed.

#[cfg(all(test, unix))]
mod tests;

use super::invocation::executable_task;
use super::module;
use super::output::stderr_suffix;
use super::probed::read;
use super::recipe::{Probed, Recipe};
use super::sandbox::{RunPurpose, ToolSandbox};
use std::path::Path;
use std::time::Duration;
use toolscout_core::{Cx, RawJson, SourceError, SourceId};
use toolscout_process::{self as child, Limits};

/// Time and output limits of a probe.
#[derive(Debug, Clone)]
pub struct ProbeLimits {
    /// For one file.
    pub per_file: Duration,
    /// For all files of a source together; enforced by the caller that probes them all.
    pub total: Duration,
    /// Bytes of standard output.
    pub output: usize,
}

impl Default for ProbeLimits {
    fn default() -> Self {
        Self { per_file: Duration::from_secs(5), total: Duration::from_secs(20), output: 1 << 20 }
    }
}

/// Starts a file and returns the tools it describes, in the file's order. An entry that is not a
/// valid tool is returned as the reason; a file that cannot be probed, or whose output is invalid,
/// is an error. Reasons do not contain the file name, because files with the same content share
/// them.
pub(super) async fn probe(
    id: &SourceId,
    recipe: &Recipe,
    limits: &ProbeLimits,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<Vec<Result<Probed, String>>, SourceError> {
    let time = cx.remaining().map_or(limits.per_file, |remaining| remaining.min(limits.per_file));
    let limits = Limits { time, stdout: limits.output, ..Limits::default() };
    match recipe {
        Recipe::Executable { program, .. } => executable(id, program, limits, sandbox, cx).await,
        Recipe::Module { file, flavour, .. } => {
            module::list(id, file, *flavour, limits, sandbox, cx).await
        }
        Recipe::Missing { reason } => Err(protocol(id, reason.clone())),
        Recipe::Command(_) | Recipe::Http(_) => Ok(Vec::new()),
    }
}

async fn executable(
    id: &SourceId,
    file: &Path,
    limits: Limits,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<Vec<Result<Probed, String>>, SourceError> {
    let mut task = executable_task(id.clone(), file, cx)?;
    task.args = vec!["tool-schema".into()];
    task.limits = limits;
    let task = sandbox.of(RunPurpose::Probe, cx).confine(task, Vec::new()).await?;
    let outcome = child::start(&task).await?;
    if !outcome.status.success() {
        return Err(protocol(
            id,
            format!("`tool-schema` {}{}", outcome.exit_description(), stderr_suffix(&outcome)),
        ));
    }
    let text = String::from_utf8_lossy(&outcome.stdout);
    let entries = entries(&text).map_err(|reason| {
        protocol(id, format!("`tool-schema` {reason}{}", stderr_suffix(&outcome)))
    })?;
    Ok(entries.iter().map(|entry| read(entry.as_str())).collect())
}

fn protocol(id: &SourceId, reason: String) -> SourceError {
    SourceError::Protocol { id: id.clone(), reason }
}

/// Splits the output into definitions: one object, or a list of them.
fn entries(text: &str) -> Result<Vec<RawJson>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("printed nothing; it should print a JSON object with `name` and `inputSchema`"
            .to_owned());
    }
    let whole = RawJson::parse(text)
        .map_err(|err| format!("printed something that is not JSON ({err})"))?;
    match text.as_bytes()[0] {
        b'{' => Ok(vec![whole]),
        b'[' => serde_json::from_str(text)
            .map_err(|err| format!("printed something that is not JSON ({err})")),
        _ => Err("printed JSON that is neither an object nor a list".to_owned()),
    }
}

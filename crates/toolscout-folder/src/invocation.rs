//! The parts common to all calls of programs and modules: the task, its context and its time limit.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::{Cx, SourceError, SourceId, ToolCall};
use toolscout_process::{Limits, ProgramTask, environment, program};

/// The task that runs a program with our verbs; the caller adds the verb and the limits.
pub(super) fn executable_task(
    id: SourceId,
    file: &Path,
    cx: &Cx,
) -> Result<ProgramTask, SourceError> {
    let shown = file.display().to_string();
    let program = match program::checked_program(
        file,
        cx.project.as_ref().map(|project| project.as_path()),
    ) {
        Ok(program) => program,
        Err(reason) => return Err(SourceError::Spawn { id, program: shown, reason, cause: None }),
    };
    let cwd = file.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf);
    let env = environment::environment(&[])?;
    Ok(ProgramTask {
        id,
        program,
        display_name: shown,
        args: Vec::new(),
        cwd,
        env,
        stdin: None,
        limits: Limits::default(),
        sandbox: None,
    })
}

/// The context that a tool receives besides its arguments. It contains nothing that differs between
/// two equal calls.
pub fn context(call: &ToolCall, cx: &Cx) -> Value {
    let mut context = json!({
        "source": call.tool.source.as_str(),
        "tool": call.tool.name.as_str(),
        "caller": cx.caller.as_str(),
        "project": cx.project.as_ref().map(|it| it.to_string_lossy()),
    });
    if let Some(user) = &cx.user {
        context["user"] = Value::from(&**user);
    }
    context
}

/// The default limits with the given time limit, or the remaining time of the request if that is
/// shorter.
pub(super) fn limits(time: Duration, cx: &Cx) -> Limits {
    Limits::within(cx.remaining().map_or(time, |remaining| remaining.min(time)))
}

//! Executes one call: starts the program of the recipe, passes the arguments and converts the
//! output to a result.

#[cfg(all(test, unix))]
pub(super) mod fixture;
#[cfg(all(test, unix))]
mod tests;

use super::invocation::{context, executable_task, limits};
use super::recipe::{ArgumentPassing, CommandRecipe, Recipe};
use super::sandbox::{RunPurpose, ToolSandbox};
use super::{http, module, output, template};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::{Cx, SourceError, ToolCall, ToolOutput};
use toolscout_process::{self as child, Limits, ProgramTask, environment, program};

/// Executes the call. Cancel-safe: dropping the future ends the started process and all of its
/// children.
pub(super) async fn run(
    recipe: &Recipe,
    call: &ToolCall,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<ToolOutput, SourceError> {
    if !matches!(recipe, Recipe::Command(_)) {
        call.refuse_rest()?;
    }
    match recipe {
        Recipe::Command(recipe) => command(recipe, call, sandbox, cx).await,
        Recipe::Http(recipe) => http::request(recipe, call, cx).await,
        Recipe::Executable { program, .. } => {
            executable(program, call, limits(recipe.time_limit(), cx), sandbox, cx).await
        }
        Recipe::Module { file, flavour, .. } => {
            module::call(file, *flavour, call, limits(recipe.time_limit(), cx), sandbox, cx).await
        }
        Recipe::Missing { reason } => {
            Err(spawn_error(call, &call.tool.name.to_string(), reason.clone()))
        }
    }
}

async fn command(
    recipe: &CommandRecipe,
    call: &ToolCall,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<ToolOutput, SourceError> {
    let Some((first, rest)) = recipe.argv.split_first() else {
        return Err(spawn_error(
            call,
            &call.tool.name.to_string(),
            "its command is empty".to_owned(),
        ));
    };
    let program =
        locate(first, &recipe.folder, cx).map_err(|reason| spawn_error(call, first, reason))?;
    let cwd = recipe.working_folder(cx);
    if !cwd.is_dir() {
        let reason = format!("its working folder `{}` does not exist", cwd.display());
        return Err(spawn_error(call, first, reason));
    }
    let mut args: Vec<OsString> = rest.iter().map(OsString::from).collect();
    let mut own_args = args.clone();
    let mut env = environment::environment(&recipe.env)?;
    let mut stdin = None;
    match &recipe.input {
        ArgumentPassing::Stdin => {
            stdin = Some(Value::Object(call.arguments.clone()).to_string().into_bytes())
        }
        ArgumentPassing::Args(templates) => {
            own_args.extend(templates.iter().map(OsString::from));
            args.extend(
                template::argv(templates, &call.arguments)?.into_iter().map(OsString::from),
            );
        }
        ArgumentPassing::Env => {
            let variables = template::variables(&call.arguments)?;
            env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        }
    }
    args.extend(call.rest.iter().map(OsString::from));
    let id = call.tool.source.clone();
    let limits = limits(Duration::from_millis(recipe.timeout_ms), cx);
    let task = ProgramTask {
        id,
        program,
        display_name: first.clone(),
        args,
        cwd: cwd.to_owned(),
        env,
        stdin,
        limits,
        sandbox: None,
    };
    let task = sandbox.of(RunPurpose::Call, cx).confine(task, own_args).await?;
    start(&task, cx).await
}

async fn executable(
    file: &Path,
    call: &ToolCall,
    limits: Limits,
    sandbox: &ToolSandbox,
    cx: &Cx,
) -> Result<ToolOutput, SourceError> {
    let request = json!({"input": call.arguments, "context": context(call, cx)});
    let mut task = executable_task(call.tool.source.clone(), file, cx)?;
    task.limits = limits;
    task.args = vec!["tool-invoke".into(), call.tool.name.as_str().into()];
    task.stdin = Some(request.to_string().into_bytes());
    let task = sandbox.of(RunPurpose::Call, cx).confine(task, Vec::new()).await?;
    start(&task, cx).await
}

/// Runs the program. A caller that has received its output sees only the status of a failure.
async fn start(task: &ProgramTask, cx: &Cx) -> Result<ToolOutput, SourceError> {
    let sink = cx.output.as_ref();
    let mut outcome = child::start_streaming(task, sink).await?;
    if sink.is_some() && !outcome.status.success() {
        outcome.stdout.clear();
        outcome.stderr.clear();
    }
    Ok(output::from_outcome(&task.display_name, &outcome))
}

/// Resolves a program. A name with a `/` is a file, relative to the tool's folder; any other is
/// searched in PATH. Files of the folder are checked before they run; an absolute path outside of
/// the folder is used as is.
fn locate(name: &str, cwd: &Path, cx: &Cx) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if path.is_absolute() && !path.starts_with(cwd) {
        return Ok(path.to_path_buf());
    }
    if path.is_absolute() || name.contains('/') {
        // The tool's folder and project are the boundary, even if the name contains a `..`.
        let project = cx.project.as_ref().map_or(cwd, |project| project.as_path());
        return program::checked_program(&cwd.join(path), Some(project))
            .and_then(|real| inside(real, cwd, project));
    }
    program::find(name).ok_or_else(|| format!("`{name}` is not installed, or not in PATH"))
}

fn inside(real: PathBuf, cwd: &Path, project: &Path) -> Result<PathBuf, String> {
    let within = |folder: &Path| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if within(cwd) || within(project) {
        return Ok(real);
    }
    Err(format!("`{}` is outside the tool's folder and the project", real.display()))
}

fn spawn_error(call: &ToolCall, program: &str, reason: String) -> SourceError {
    SourceError::Spawn {
        id: call.tool.source.clone(),
        program: program.to_owned(),
        reason,
        cause: None,
    }
}

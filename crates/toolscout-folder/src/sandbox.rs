//! The sandbox of the tools in folders.
//!
//! Reading a tool's definition runs code that may never have run before, so it is confined most. A
//! call of a client may write to the project. A tool that a person starts on the command line runs
//! like any other command of that person.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Cx, Digest, SourceError};
use toolscout_process::sandbox::{SandboxHost, SandboxLevel, SandboxRequest, SandboxSettings};
use toolscout_process::{ProgramTask, program};

/// What a program is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunPurpose {
    /// To read its definition.
    Probe,
    /// To call it.
    Call,
}

/// Confines the programs of a source; without a host, not at all.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolSandbox(pub(super) Option<Arc<SandboxHost>>);

impl ToolSandbox {
    /// The sandbox of a start.
    pub(super) fn of<'a>(&'a self, purpose: RunPurpose, cx: &'a Cx) -> StartSandbox<'a> {
        StartSandbox { host: self.0.as_ref(), purpose, cx }
    }
}

/// The sandbox of one start of a program.
#[derive(Clone, Copy)]
pub(super) struct StartSandbox<'a> {
    host: Option<&'a Arc<SandboxHost>>,
    purpose: RunPurpose,
    pub(super) cx: &'a Cx,
}

impl StartSandbox<'_> {
    /// The task with its sandbox. `own_args` are the arguments that its author has written; the
    /// files that they name may be read. Those of a call grant nothing.
    pub(super) async fn confine(
        self,
        task: ProgramTask,
        own_args: Vec<OsString>,
    ) -> Result<ProgramTask, SourceError> {
        let Some(host) = self.host.cloned() else { return Ok(task) };
        let Self { purpose, cx, .. } = self;
        let level = match (host.level(&SandboxSettings::default()), purpose) {
            (SandboxLevel::Off, _) => SandboxLevel::Off,
            (_, RunPurpose::Probe) => SandboxLevel::Discover,
            (_, RunPurpose::Call) if cx.caller.is_user() => SandboxLevel::Off,
            (level, RunPurpose::Call) => level,
        };
        if level == SandboxLevel::Off {
            return Ok(task);
        }
        let project = cx.project.as_ref().map(|project| (**project).clone());
        let id = task.id.clone();
        let planned =
            tokio::task::spawn_blocking(move || plan(&host, level, project, task, &own_args)).await;
        let lost = || SourceError::Unavailable { id, what: "its sandbox was stopped".to_owned() };
        planned.map_err(|_| lost())?
    }
}

fn plan(
    host: &SandboxHost,
    level: SandboxLevel,
    project: Option<PathBuf>,
    mut task: ProgramTask,
    own_args: &[OsString],
) -> Result<ProgramTask, SourceError> {
    let folder = project.unwrap_or_else(|| task.cwd.clone());
    let real = folder.canonicalize().unwrap_or(folder);
    let digest = Digest::of_bytes(real.as_os_str().as_encoded_bytes()).to_string();
    let owner = format!("tools-{}", &digest[..16]);
    let write: Vec<PathBuf> =
        (level != SandboxLevel::Discover).then(|| real.clone()).into_iter().collect();
    let installs = installs(&task.program);
    // An unreviewed script chooses the installer that runs it, which may use the network.
    let sees_project = !(installs && level == SandboxLevel::Discover);
    let allow_read = sees_project.then_some(real).into_iter().collect();
    let settings = SandboxSettings { allow_read, ..SandboxSettings::default() };
    let request = SandboxRequest {
        level,
        settings: &settings,
        program: &task.program,
        args: own_args,
        cwd: &task.cwd,
        owner: Some(&owner),
        installs,
        grants_arguments: false,
        write: &write,
        own_variables: &[],
    };
    let planned = host.plan(request, &mut task.env).map_err(|reason| SourceError::Spawn {
        id: task.id.clone(),
        program: task.display_name.clone(),
        reason,
        cause: None,
    })?;
    task.sandbox = planned.map(Arc::new);
    Ok(task)
}

/// Whether this is an installer, or a script that one runs.
fn installs(program: &Path) -> bool {
    program::installer(program).is_some() || program::is_run_by_installer(program)
}

//! Starts this program again, as a process that goes on when the command has ended.

use super::Workspace;
use crate::AppError;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

/// A longer log is truncated.
const LOG_LIMIT: u64 = 1 << 20;

/// Starts a command of this program for the same project. Its output goes to a file in the state
/// folder.
pub(super) fn start(workspace: &Workspace, words: &[&str], log: &str) -> Result<(), AppError> {
    // Another process cannot see a captured environment.
    if workspace.environment.is_captured() {
        return Ok(());
    }
    let state = workspace.environment.state_dir().unwrap_or_else(std::env::temp_dir);
    let path = state.join(log);
    let log = open_log(&path).map_err(AppError::io("write", &path))?;
    let errors = log.try_clone().map_err(AppError::io("write", &path))?;
    let program = std::env::current_exe().map_err(AppError::io("find", "this program"))?;
    let mut command = Command::new(&program);
    command
        .arg("--quiet")
        .arg("--project")
        .arg(workspace.options.folder(workspace.environment.cwd()));
    if workspace.options.switch("trust") {
        command.arg("--trust");
    }
    command.args(words).stdin(Stdio::null()).stdout(log).stderr(errors);
    // In its own process group, so that an interrupt of this process does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(AppError::io("start", &program))?;
    Ok(())
}

fn open_log(path: &Path) -> std::io::Result<File> {
    let is_long = path.metadata().is_ok_and(|metadata| metadata.len() > LOG_LIMIT);
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if is_long {
        options.write(true).truncate(true).open(path)
    } else {
        options.append(true).open(path)
    }
}

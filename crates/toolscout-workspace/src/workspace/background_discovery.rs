//! Discovers the tools of servers in another process, so that the caller does not wait.

use super::Workspace;
use crate::AppError;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use toolscout_core::SourceId;
use toolscout_mcp_client::DiscoveryStatus;

/// How long to wait for the other process to start, so that the next command sees its
/// discovery.
const START_LIMIT: Duration = Duration::from_millis(120);
/// A longer log is truncated.
const LOG_LIMIT: u64 = 1 << 20;

/// Starts the process; returns when it has started discovery, or after [`START_LIMIT`].
pub(super) async fn discover(workspace: &Workspace, ids: &[SourceId]) -> Result<(), AppError> {
    let Some(first) = ids.first() else { return Ok(()) };
    // Another process cannot see a captured environment.
    if workspace.environment.is_captured() {
        return Ok(());
    }
    let state = workspace.environment.state_dir().unwrap_or_else(std::env::temp_dir);
    let path = state.join("discovery.log");
    let log = log(&path).map_err(AppError::io("write", &path))?;
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
    let ids = ids.iter().map(SourceId::as_str);
    command.args(["server", "refresh"]).args(ids).stdin(Stdio::null()).stdout(log).stderr(errors);
    // In its own process group, so that an interrupt of this process does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(AppError::io("start", &program))?;
    until_seen(workspace, first).await
}

async fn wait_until_started(workspace: &Workspace, id: &SourceId) -> Result<(), AppError> {
    let set = workspace.servers();
    let Some(shared) = &set.shared else { return Ok(()) };
    let before = shared.records().read(id, None).map(|record| record.last_discovery).ok();
    let limit = Instant::now() + START_LIMIT;
    while Instant::now() < limit {
        let now = shared.records().read(id, None).ok();
        let has_started = now.is_some_and(|record| {
            record.status == DiscoveryStatus::Discovering || Some(record.last_discovery) != before
        });
        if has_started {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

fn log(path: &Path) -> std::io::Result<File> {
    let is_long = path.metadata().is_ok_and(|it| it.len() > LOG_LIMIT);
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match is_long {
        true => options.write(true).truncate(true).open(path),
        false => options.append(true).open(path),
    }
}

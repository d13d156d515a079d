//! Has servers asked for their tools by a process of its own, so that nobody has to wait.

use super::Workspace;
use crate::AppError;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use toolscout_core::SourceId;
use toolscout_mcp_client::DiscoveryStatus;

/// How long to wait until the other process is seen at work; who looks right after should see it.
const SEEN: Duration = Duration::from_millis(120);
/// A log that has grown beyond this begins anew.
const LOG: u64 = 1 << 20;

/// Starts the process; done when it is seen at work, or soon after.
pub(super) async fn discover(workspace: &Workspace, ids: &[SourceId]) -> Result<(), AppError> {
    let Some(first) = ids.first() else { return Ok(()) };
    // Another process would not see what is only made up here.
    if workspace.environment.is_made_up() {
        return Ok(());
    }
    let state = workspace.environment.state_dir().unwrap_or_else(std::env::temp_dir);
    let path = state.join("discovery.log");
    let log = log(&path).map_err(AppError::io("write", &path))?;
    let errors = log.try_clone().map_err(AppError::io("write", &path))?;
    let program = std::env::current_exe().map_err(AppError::io("find", "this program"))?;
    let mut command = Command::new(&program);
    command.arg("--quiet").arg("--project").arg(workspace.options.folder(workspace.environment.cwd()));
    if workspace.options.switch("trust") {
        command.arg("--trust");
    }
    let ids = ids.iter().map(SourceId::as_str);
    command.args(["server", "refresh"]).args(ids).stdin(Stdio::null()).stdout(log).stderr(errors);
    // Not of our group: who interrupts us does not interrupt it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(AppError::io("start", &program))?;
    until_seen(workspace, first).await
}

async fn until_seen(workspace: &Workspace, id: &SourceId) -> Result<(), AppError> {
    let set = workspace.servers();
    let Some(shared) = &set.shared else { return Ok(()) };
    let before = shared.records().read(id, None).map(|it| it.last_discovery).ok();
    let limit = Instant::now() + SEEN;
    while Instant::now() < limit {
        let now = shared.records().read(id, None).ok();
        let is_seen =
            now.is_some_and(|it| it.status == DiscoveryStatus::Discovering || Some(it.last_discovery) != before);
        if is_seen {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

fn log(path: &Path) -> std::io::Result<File> {
    let is_long = path.metadata().is_ok_and(|it| it.len() > LOG);
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match is_long {
        true => options.write(true).truncate(true).open(path),
        false => options.append(true).open(path),
    }
}

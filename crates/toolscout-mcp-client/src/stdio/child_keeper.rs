//! Watches a child process until it has exited, and reports its exit status.

use super::super::limits::Limits;
use super::super::wire::WireObserver;
use super::super::{ClientError, DenialLog, placement};
use super::lines::TooLong;
use super::pipes;
use parking_lot::Mutex;
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, ChildStdout};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use toolscout_core::{FencedLease, SourceId};
use toolscout_process::explain;
use toolscout_process::sandbox::Denial;
use toolscout_process::server_processes::ServerProcesses;
use toolscout_process::tail::OutputTail;

/// How long pipes may stay open after the process has exited, or the process may run after its
/// output is closed.
const PIPE_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a server may take to exit once its input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a killed process may take to exit; only a process stuck in the kernel takes longer.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);
/// The longest grace that keeps closing within five seconds.
const MAX_GRACE: Duration = Duration::from_secs(2);
/// How much of stderr is shown with an exit status.
const LAST_LINES: usize = 3;
const LAST_BYTES: usize = 400;

/// Supervises a child process until it has exited.
pub(super) struct ChildKeeper {
    pub(super) child: Child,
    pub(super) processes: Arc<ServerProcesses>,
    pub(super) observer: Arc<dyn WireObserver>,
    pub(super) tail: Arc<Mutex<OutputTail>>,
    pub(super) closing: Arc<watch::Sender<bool>>,
    pub(super) closed_sender: watch::Sender<bool>,
    pub(super) limits: Arc<Limits>,
    /// The server, if it runs in a sandbox.
    pub(super) confined: Option<ConfinedServer>,
    /// The lease that it runs under; released when the process has ended.
    pub(super) lease: Option<FencedLease>,
}

/// A server that runs in a sandbox.
pub(super) struct ConfinedServer {
    pub(super) id: SourceId,
    /// Where its denials are recorded.
    pub(super) log: Option<DenialLog>,
}

impl ChildKeeper {
    /// Reads messages until the output or the connection is closed; then fails pending requests,
    /// and ends the process.
    pub(super) async fn run(mut self, output: Option<ChildStdout>, drained: oneshot::Receiver<()>) {
        let observer = self.observer.clone();
        let lease = self.lease.take();
        {
            let mut reading = pin!(pipes::read(output, &*observer, self.limits.message));
            let (error, is_drained) =
                self.wait_for_end(reading.as_mut(), drained, lease.as_ref()).await;
            observer.lost(error);
            self.closing.send_replace(true);
            // Reading continues while the process ends: a closed pipe would kill a process that
            // still has output to write.
            let reading = async {
                if !is_drained {
                    let _ = reading.await;
                }
                pending::<()>().await;
            };
            tokio::select! {
                () = self.shut_down() => {}
                () = reading => {}
                () = placement::lost(lease.as_ref()) => {}
            }
        }
        self.processes.kill_all_and_wait().await;
        drop(lease);
        self.closed_sender.send_replace(true);
    }

    /// Waits until the process exits, its output ends or the wire is closed. Returns the reason,
    /// and whether the output was read to its end.
    async fn wait_for_end(
        &mut self,
        mut reading: Pin<&mut impl Future<Output = Result<(), TooLong>>>,
        drained: oneshot::Receiver<()>,
        lease: Option<&FencedLease>,
    ) -> (ClientError, bool) {
        let mut closing = self.closing.subscribe();
        let closed = async { closing.wait_for(|closing| *closing).await.is_ok() };
        let (status, is_drained) = tokio::select! {
            biased;
            read = &mut reading => {
                if let Err(TooLong) = read {
                    return (self.too_long(), true);
                }
                match timeout(PIPE_TIMEOUT, self.child.wait()).await {
                    Ok(status) => (status, true),
                    Err(_) => return (ClientError::lost("it closed its output"), true),
                }
            }
            status = self.child.wait() => {
                self.processes.leader_reaped();
                (status, timeout(PIPE_TIMEOUT, reading).await.is_ok())
            }
            () = placement::lost(lease) => {
                self.processes.kill_all();
                let what = "this replica lost contact with the fleet, so another one may run it";
                return (ClientError::lost(what), false);
            }
            _ = closed => return (ClientError::lost("it was stopped"), false),
        };
        self.processes.leader_reaped();
        let _ = timeout(PIPE_TIMEOUT, drained).await;
        (self.exited(status).await, is_drained)
    }

    /// Ends the process, whose input is closed by now: waits for it to exit, then terminates it,
    /// then kills it.
    async fn shut_down(&mut self) {
        let grace = self.limits.grace.min(MAX_GRACE);
        if timeout(EXIT_TIMEOUT, self.child.wait()).await.is_err() {
            self.processes.terminate();
            if timeout(grace, self.child.wait()).await.is_err() {
                self.processes.kill();
                let _ = self.child.start_kill();
                let _ = timeout(KILL_TIMEOUT, self.child.wait()).await;
            }
        }
        self.processes.leader_reaped();
    }

    fn too_long(&self) -> ClientError {
        let limit = explain::byte_count(self.limits.message);
        ClientError::protocol(format!(
            "it sent a message of more than {limit}, so the connection was closed"
        ))
    }

    async fn exited(&self, status: io::Result<ExitStatus>) -> ClientError {
        let exit = match status {
            Ok(status) => explain::exit_status(status),
            Err(err) => format!("could not be waited for: {err}"),
        };
        let tail = tail_text(&self.tail);
        let mut what = match last_lines(&tail) {
            lines if lines.is_empty() => format!("it {exit}"),
            lines => format!("it {exit}: {lines}"),
        };
        if let Some(ConfinedServer { id, log }) = &self.confined {
            let denials = Denial::find(&tail);
            for denial in &denials {
                what += &format!("; {}", denial.hint(id.as_str()));
            }
            if let Some(log) = log {
                log.record(id.clone(), denials).await;
            }
        }
        ClientError::lost(what)
    }
}

/// The end of stderr, not escaped.
pub(super) fn tail_text(tail: &Mutex<OutputTail>) -> String {
    let tail = tail.lock().clone();
    String::from_utf8_lossy(&tail.into_bytes()).into_owned()
}

/// The lines that explain the end of the process: usually the last ones. If npm could not install
/// the server, it says why first, and ends with notices and the path of its log.
fn last_lines(text: &str) -> String {
    let all: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let start = all
        .iter()
        .position(|line| line.starts_with("npm error code E"))
        .unwrap_or(all.len().saturating_sub(LAST_LINES));
    let lines = all[start..].iter().take(LAST_LINES).copied().collect::<Vec<_>>().join(" | ");
    let from = lines.ceil_char_boundary(lines.len().saturating_sub(LAST_BYTES));
    lines[from..].to_owned()
}

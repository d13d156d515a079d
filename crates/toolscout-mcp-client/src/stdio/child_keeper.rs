//! Watches a child process until it has exited, and reports its exit status.

use super::super::ClientError;
use super::super::limits::Limits;
use super::super::wire::WireObserver;
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
use toolscout_process::server_processes::ServerProcesses;
use toolscout_process::tail::OutputTail;
use toolscout_process::words;

/// How long pipes may stay open after the process has exited, or the process may run after its
/// output is closed.
const LEFTOVER: Duration = Duration::from_millis(200);
/// How long a server may take to exit once its input is closed.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long a killed process may take to exit; only a process stuck in the kernel takes longer.
const REAP: Duration = Duration::from_secs(1);
/// The longest grace that keeps closing within five seconds.
const GRACE_AT_MOST: Duration = Duration::from_secs(2);
/// How much of stderr is shown with an exit status.
const LAST_LINES: usize = 3;
const LAST_BYTES: usize = 400;

/// Supervises a child process until it has exited.
pub(super) struct ChildKeeper {
    pub(super) child: Child,
    pub(super) held: Arc<ServerProcesses>,
    pub(super) observer: Arc<dyn WireObserver>,
    pub(super) tail: Arc<Mutex<OutputTail>>,
    pub(super) closing: Arc<watch::Sender<bool>>,
    pub(super) over: watch::Sender<bool>,
    pub(super) limits: Arc<Limits>,
}

impl ChildKeeper {
    /// Reads messages until the output or the connection is closed; then fails pending requests,
    /// and ends the process.
    pub(super) async fn keep(
        mut self,
        output: Option<ChildStdout>,
        drained: oneshot::Receiver<()>,
    ) {
        let observer = self.observer.clone();
        {
            let mut reading = pin!(pipes::read(output, &*observer, self.limits.message));
            let (error, is_read) = self.attend(reading.as_mut(), drained).await;
            observer.lost(error);
            self.closing.send_replace(true);
            // Reading continues while the process ends: a closed pipe would kill a process that
            // still has output to write.
            let reading = async {
                if !is_read {
                    let _ = reading.await;
                }
                pending::<()>().await;
            };
            tokio::select! {
                () = self.end() => {}
                () = reading => {}
            }
        }
        self.held.end_wholly().await;
        self.over.send_replace(true);
    }

    /// Waits until the process exits, its output ends or the wire is closed. Returns the reason,
    /// and whether the output was read to its end.
    async fn attend(
        &mut self,
        mut reading: Pin<&mut impl Future<Output = Result<(), TooLong>>>,
        drained: oneshot::Receiver<()>,
    ) -> (ClientError, bool) {
        let mut closing = self.closing.subscribe();
        let closed = async { closing.wait_for(|it| *it).await.is_ok() };
        let (status, is_read) = tokio::select! {
            biased;
            read = &mut reading => {
                if let Err(TooLong) = read {
                    return (self.too_long(), true);
                }
                match timeout(LEFTOVER, self.child.wait()).await {
                    Ok(status) => (status, true),
                    Err(_) => return (ClientError::lost("it closed its output"), true),
                }
            }
            status = self.child.wait() => {
                self.held.leader_is_gone();
                (status, timeout(LEFTOVER, reading).await.is_ok())
            }
            _ = closed => return (ClientError::lost("it was stopped"), false),
        };
        self.held.leader_is_gone();
        let _ = timeout(LEFTOVER, drained).await;
        (self.exited(status), is_read)
    }

    /// Ends the process, whose input is closed by now: waits for it to exit, then terminates it,
    /// then kills it.
    async fn end(&mut self) {
        let grace = self.limits.grace.min(GRACE_AT_MOST);
        if timeout(FAREWELL, self.child.wait()).await.is_err() {
            self.held.terminate();
            if timeout(grace, self.child.wait()).await.is_err() {
                self.held.kill();
                let _ = self.child.start_kill();
                let _ = timeout(REAP, self.child.wait()).await;
            }
        }
        self.held.leader_is_gone();
    }

    fn too_long(&self) -> ClientError {
        let limit = words::bytes(self.limits.message);
        ClientError::protocol(format!(
            "it sent a message of more than {limit}, so the connection was closed"
        ))
    }

    fn exited(&self, status: io::Result<ExitStatus>) -> ClientError {
        let ending = match status {
            Ok(status) => words::ending(status),
            Err(err) => format!("was lost sight of: {err}"),
        };
        match last_lines(&text_of(&self.tail)) {
            said if said.is_empty() => ClientError::lost(format!("it {ending}")),
            said => ClientError::lost(format!("it {ending}: {said}")),
        }
    }
}

/// The end of stderr, not escaped.
pub(super) fn text_of(tail: &Mutex<OutputTail>) -> String {
    let tail = tail.lock().clone();
    String::from_utf8_lossy(&tail.into_bytes()).into_owned()
}

fn last_lines(text: &str) -> String {
    let mut last: Vec<&str> =
        text.lines().rev().map(str::trim).filter(|it| !it.is_empty()).take(LAST_LINES).collect();
    last.reverse();
    let said = last.join(" | ");
    let from = said.ceil_char_boundary(said.len().saturating_sub(LAST_BYTES));
    said[from..].to_owned()
}

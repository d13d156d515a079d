//! A server that is a child process with messages on stdin and stdout, one per line.
//!
//! Three independent tasks serve it: one reads and supervises the process, one writes, one drains
//! stderr. A server that stops reading, floods, or hangs therefore affects only its own calls.
//! Dropping the wire ends the process, its group, and descendants that left the group; see
//! [`ServerProcesses`], [`toolscout_process::guard`] and [`toolscout_process::orphans`].

mod child_keeper;
mod launch;
mod lines;
mod pipes;
mod sandbox;

#[cfg(all(test, unix))]
pub(super) mod tests;

pub use toolscout_process::orphans::kill_orphans;

use super::wire::{Outgoing, Wire, WireObserver};
use super::{ClientError, ConnectContext, Program, ServerConfig};
use parking_lot::Mutex;
use std::sync::{Arc, Once};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant as TokioInstant, timeout, timeout_at};
use toolscout_core::{BoxFuture, FencedLease};
use toolscout_process::server_processes::ServerProcesses;
use toolscout_process::tail::OutputTail;

/// The maximum number of queued messages: as many as pending calls.
const OUTBOX_CAPACITY: usize = 64;
/// The time limit for closing; the keeper's own steps take less.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(4_800);

static FIRST_START: Once = Once::new();

/// Runs once, before the first server starts. Ends orphans of an earlier toolscout process, and
/// hides this process's environment from the servers, which run as the same user.
fn prepare_first_start() {
    let terminated = kill_orphans();
    if terminated > 0 {
        tracing::info!(event = "orphans_terminated", processes = terminated);
    }
    // Here too, for programs that embed this crate.
    toolscout_process::spawn::hide_from_children();
}

pub(super) struct StdioWire {
    outbox: mpsc::Sender<Outgoing>,
    tail: Arc<Mutex<OutputTail>>,
    processes: Arc<ServerProcesses>,
    process: Option<u32>,
    is_confined: bool,
    closing: Arc<watch::Sender<bool>>,
    closed: watch::Receiver<bool>,
    _tasks: JoinSet<()>,
}

impl StdioWire {
    /// Starts the program. Cancel-safe: dropping the future ends everything that was started.
    pub(super) async fn open(
        server: &ServerConfig,
        program: &Program,
        context: &ConnectContext,
        observer: Arc<dyn WireObserver>,
    ) -> Result<Arc<Self>, ClientError> {
        let id = server.id.clone();
        let lease = match &context.placement {
            Some(placement) => placement.lease(server).await?,
            None => None,
        };
        let (server, program, context_copy) = (server.clone(), program.clone(), context.clone());
        // Resolving references may read files and run the keyring program.
        let launch = spawn_blocking(move || {
            FIRST_START.call_once(prepare_first_start);
            launch::prepare(&server, &program, &context_copy)
        })
        .await;
        let launch =
            launch.map_err(|_| ClientError::lost("its configuration could not be read"))??;
        let log = context.denials.clone();
        let confined = launch.is_confined().then_some(child_keeper::ConfinedServer { id, log });
        let (child, processes) = launch::start(launch).await?;
        let processes = Arc::new(processes);
        Ok(Arc::new(Self::attach(child, processes, confined, lease, context, observer)))
    }

    fn attach(
        mut child: tokio::process::Child,
        processes: Arc<ServerProcesses>,
        confined: Option<child_keeper::ConfinedServer>,
        lease: Option<FencedLease>,
        context: &ConnectContext,
        observer: Arc<dyn WireObserver>,
    ) -> Self {
        let process = child.id();
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let tail = Arc::new(Mutex::new(OutputTail::new(context.limits.stderr)));
        let closing = Arc::new(watch::Sender::new(false));
        let (closed_sender, closed) = watch::channel(false);
        let (outbox, queued) = mpsc::channel(OUTBOX_CAPACITY);
        let (drained_sender, drained) = oneshot::channel();
        let is_confined = confined.is_some();
        let mut tasks = JoinSet::new();
        tasks.spawn(pipes::write(input, queued, observer.clone(), closing.subscribe()));
        tasks.spawn(pipes::drain(errors, tail.clone(), drained_sender));
        let keeper = child_keeper::ChildKeeper {
            child,
            processes: processes.clone(),
            observer,
            tail: tail.clone(),
            closing: closing.clone(),
            closed_sender,
            limits: context.limits.clone(),
            confined,
            lease,
        };
        tasks.spawn(keeper.run(output, drained));
        Self { outbox, tail, processes, process, is_confined, closing, closed, _tasks: tasks }
    }
}

impl Wire for StdioWire {
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(async move {
            let deadline = TokioInstant::from_std(message.deadline);
            let limit = deadline.saturating_duration_since(TokioInstant::now());
            match timeout_at(deadline, self.outbox.reserve()).await {
                Ok(Ok(permit)) => {
                    permit.send(message);
                    Ok(())
                }
                Ok(Err(_)) => Err(ClientError::lost("it was stopped")),
                Err(_) => {
                    Err(ClientError::TimedOut { what: "sending a request to it".to_owned(), limit })
                }
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closing.send_replace(true);
            let mut closed = self.closed.clone();
            let _ = timeout(CLOSE_TIMEOUT, closed.wait_for(|closed| *closed)).await;
            self.processes.kill_all();
        })
    }

    fn tail(&self) -> String {
        child_keeper::tail_text(&self.tail)
    }

    fn process(&self) -> Option<u32> {
        self.process
    }

    fn is_confined(&self) -> bool {
        self.is_confined
    }
}

impl Drop for StdioWire {
    fn drop(&mut self) {
        self.processes.kill_all();
    }
}

//! Starts a program, writes its input, reads its output, and leaves no process behind.
//!
//! [`start`] starts every program that a folder's tool needs: with a list of arguments and never a
//! shell, with a minimal [`environment`], and in its own process group, which ends with the call.

pub mod ancestry;
pub mod environment;
pub mod explain;
mod graceful;
pub mod guard;
pub mod orphans;
pub mod program;
pub mod sandbox;
pub mod server_processes;
pub mod spawn;
pub mod starter;
pub mod tail;

#[cfg(all(test, unix))]
mod tests;

pub use graceful::{StderrFilter, drain, start_graceful};

use futures_util::FutureExt;
use sandbox::SandboxPlan;
use spawn::{ProcessGroup, SpawnRequest};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tail::OutputTail;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::{sleep, timeout};
use toolscout_core::{OutputSink, OutputStream, SourceError, SourceId};

/// The time between SIGTERM and SIGKILL to a group: long enough to clean up on a busy machine.
const GRACE: Duration = Duration::from_secs(2);
/// How long pipes may stay open after the program has exited: a process it left behind may hold
/// them open for ever.
const PIPE_GRACE: Duration = Duration::from_millis(200);
/// How long a killed program may take to exit; only one stuck in the kernel takes longer.
const REAP_LIMIT: Duration = Duration::from_secs(1);
/// The longest line of stderr that a filter sees as one.
const MAX_FILTERED_LINE: usize = 256 << 10;
/// The delays before retrying a program whose file is open for writing.
pub const BUSY_RETRY_DELAYS: [Duration; 4] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
];

/// One run of a program.
#[derive(Debug, Clone)]
pub struct ProgramTask {
    /// The source of the tool.
    pub id: SourceId,
    /// The absolute path of the program; see [`program`] for how to find one.
    pub program: PathBuf,
    /// The text to show instead of the program's path: the author's file, if a runtime runs it.
    pub display_name: String,
    /// The arguments, without the program's name.
    pub args: Vec<OsString>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The standard input; `None` is the same as an empty file.
    pub stdin: Option<Vec<u8>>,
    /// The limits of time and output.
    pub limits: Limits,
    /// The sandbox to run it in; see [`ProgramTask::confine`].
    pub sandbox: Option<Arc<SandboxPlan>>,
}

impl ProgramTask {
    fn spawn_request(&self) -> SpawnRequest<'_> {
        let Self { program, args, cwd, env, stdin, sandbox, .. } = self;
        let confinement = sandbox.as_ref().map(|sandbox| &sandbox.confinement);
        SpawnRequest { program, args, cwd, env, has_stdin: stdin.is_some(), confinement }
    }
}

/// The limits of time and output of a program.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The time from start to exit.
    pub time: Duration,
    /// Bytes of stdout; more is an error.
    pub stdout: usize,
    /// Bytes of stderr; only the last ones are kept.
    pub stderr: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), stdout: 8 << 20, stderr: 64 << 10 }
    }
}

impl Limits {
    /// The default limits with another time limit.
    pub fn within(time: Duration) -> Self {
        Self { time, ..Self::default() }
    }
}

/// The outcome of a program.
#[derive(Debug, Clone)]
pub struct ProgramOutput {
    /// The exit status.
    pub status: ExitStatus,
    /// The complete stdout.
    pub stdout: Vec<u8>,
    /// The end of stderr.
    pub stderr: Vec<u8>,
}

impl ProgramOutput {
    /// The exit status in words: `exited with code 3`.
    pub fn exit_description(&self) -> String {
        explain::exit_status(self.status)
    }

    /// The end of stderr, as trimmed text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }
}

/// Starts the program, writes its input, and waits until it has exited.
///
/// Cancel-safe: dropping the future kills the program and all its descendants. Await it on a thread
/// that lives as long as the program may: on Linux the program dies with the thread that started
/// it.
pub async fn start(task: &ProgramTask) -> Result<ProgramOutput, SourceError> {
    run(task, Taps::default(), std::future::pending()).await
}

/// As [`start`], and passes the output to `sink` as it is written.
pub async fn start_streaming(
    task: &ProgramTask,
    sink: Option<&OutputSink>,
) -> Result<ProgramOutput, SourceError> {
    run(task, Taps { sink, ..Taps::default() }, std::future::pending()).await
}

/// The receivers of output while the program runs.
#[derive(Clone, Copy, Default)]
struct Taps<'a> {
    filter: Option<&'a StderrFilter>,
    sink: Option<&'a OutputSink>,
}

impl Taps<'_> {
    fn receive(self, stream: OutputStream, bytes: &[u8]) {
        if let Some(sink) = self.sink {
            sink(stream, bytes);
        }
    }
}

/// Runs the program until it exits, its time is up, or `cancelled` resolves.
async fn run(
    task: &ProgramTask,
    taps: Taps<'_>,
    cancelled: impl Future<Output = ()>,
) -> Result<ProgramOutput, SourceError> {
    if task.limits.time.is_zero() {
        return Err(timed_out(task));
    }
    let mut child = spawn_with_retry(task).await?;
    let group = ProcessGroup::new(&child);
    let outcome = {
        let mut communication = pin!(communicate(&mut child, &group, task, taps));
        let outcome = tokio::select! {
            biased;
            outcome = &mut communication => Some(outcome),
            () = sleep(task.limits.time) => None,
            () = cancelled => None,
        };
        match outcome {
            Some(outcome) => outcome,
            None => {
                group.terminate();
                // Reading continues during the grace period: a closed pipe would kill a process
                // that still has output to write.
                let _ = timeout(GRACE, communication).await;
                Err(timed_out(task))
            }
        }
    };
    if outcome.is_err() {
        kill_and_reap(&mut child, &group).await;
    }
    outcome
}

/// Starts the program. Retries while the file is open for writing, because its author may be saving
/// it.
async fn spawn_with_retry(task: &ProgramTask) -> Result<Child, SourceError> {
    let mut delays = BUSY_RETRY_DELAYS.into_iter();
    loop {
        match spawn::spawn(task.spawn_request()) {
            Ok(child) => return Ok(child),
            Err(err) if err.kind() == io::ErrorKind::ExecutableFileBusy => match delays.next() {
                Some(wait) => sleep(wait).await,
                None => return Err(explain::spawn_error(task, err)),
            },
            Err(err) => return Err(explain::spawn_error(task, err)),
        }
    }
}

/// Serves the pipes of the child until it has exited and they are closed or abandoned.
async fn communicate(
    child: &mut Child,
    group: &ProcessGroup,
    task: &ProgramTask,
    taps: Taps<'_>,
) -> Result<ProgramOutput, SourceError> {
    let mut stdout = Vec::new();
    let mut stderr = OutputTail::new(task.limits.stderr);
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let status = {
        let mut pipes = pin!(async {
            tokio::try_join!(
                write_stdin(input, task.stdin.as_deref()).map(Ok),
                read_all(output, &mut stdout, task, taps),
                read_tail(errors, &mut stderr, taps).map(Ok),
            )
        });
        let mut pipes_closed = false;
        let status = tokio::select! {
            biased;
            result = &mut pipes => {
                result?;
                pipes_closed = true;
                child.wait().await
            }
            status = child.wait() => status,
        };
        group.leader_reaped();
        if !pipes_closed && let Ok(result) = timeout(PIPE_GRACE, pipes).await {
            result?;
        }
        status
    };
    group.kill();
    let status = status.map_err(|err| SourceError::Unavailable {
        id: task.id.clone(),
        what: format!("could not wait for `{}` to exit: {err}", task.display_name),
    })?;
    Ok(ProgramOutput { status, stdout, stderr: stderr.into_bytes() })
}

/// Writes the input and closes the pipe. It is not an error if the program does not read it.
async fn write_stdin(pipe: Option<impl tokio::io::AsyncWrite + Unpin>, bytes: Option<&[u8]>) {
    if let (Some(mut pipe), Some(bytes)) = (pipe, bytes) {
        let _ = pipe.write_all(bytes).await;
        let _ = pipe.shutdown().await;
    }
}

async fn read_all(
    pipe: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
    task: &ProgramTask,
    taps: Taps<'_>,
) -> Result<(), SourceError> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut chunk = vec![0; 16 << 10];
    loop {
        match pipe.read(&mut chunk).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(count) if bytes.len() + count > task.limits.stdout => {
                return Err(output_too_long(task));
            }
            Ok(count) => {
                taps.receive(OutputStream::Stdout, &chunk[..count]);
                bytes.extend_from_slice(&chunk[..count]);
            }
        }
    }
}

async fn read_tail(pipe: Option<impl AsyncRead + Unpin>, tail: &mut OutputTail, taps: Taps<'_>) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; 16 << 10];
    let mut pending = Vec::new();
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        taps.receive(OutputStream::Stderr, &chunk[..count]);
        let Some(filter) = taps.filter else {
            tail.push(&chunk[..count]);
            continue;
        };
        pending.extend_from_slice(&chunk[..count]);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            tail.push(filter.apply(&line).as_deref().unwrap_or(&line));
        }
        if pending.len() > MAX_FILTERED_LINE {
            tail.push(&std::mem::take(&mut pending));
        }
    }
    tail.push(&pending);
}

/// Kills the whole group and waits, for at most [`REAP_LIMIT`], until its leader has exited.
async fn kill_and_reap(child: &mut Child, group: &ProcessGroup) {
    group.kill();
    let _ = child.start_kill();
    let _ = timeout(REAP_LIMIT, child.wait()).await;
}

fn timed_out(task: &ProgramTask) -> SourceError {
    SourceError::TimedOut {
        id: task.id.clone(),
        what: format!("`{}`", task.display_name),
        limit: task.limits.time,
    }
}

fn output_too_long(task: &ProgramTask) -> SourceError {
    SourceError::Protocol {
        id: task.id.clone(),
        reason: format!(
            "`{}` was stopped: it printed more than {}",
            task.display_name,
            explain::byte_count(task.limits.stdout)
        ),
    }
}

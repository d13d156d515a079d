//! Starts a program, feeds it, reads it, and leaves nothing of it behind.
//!
//! Every program that a folder's tool needs is started by [`start`]: with a list of arguments and never a shell, with
//! an [`environment`] of few words, in a process group of its own that is gone when the call is.

pub mod environment;
pub mod guard;
pub mod orphans;
pub mod program;
pub mod server_processes;
pub mod spawn;
pub mod starter;
pub mod tail;
pub mod words;

#[cfg(all(test, unix))]
mod tests;

use futures_util::FutureExt;
use spawn::{ProcessGroup, SpawnRequest};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;
use tail::OutputTail;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::{sleep, timeout};
use toolscout_core::{SourceError, SourceId};

/// Between asking a group to end and ending it.
const GRACE: Duration = Duration::from_millis(500);
/// How long pipes may stay open after the program itself is done: somebody it left behind may hold them for ever.
const LEFTOVER: Duration = Duration::from_millis(200);
/// How long a killed program may take to be gone; only one stuck in the kernel takes longer.
const REAP: Duration = Duration::from_secs(1);
/// Waits before a program whose file is just being written is tried again.
pub const BUSY: [Duration; 4] =
    [Duration::from_millis(5), Duration::from_millis(20), Duration::from_millis(50), Duration::from_millis(100)];

/// A program to start once.
#[derive(Debug, Clone)]
pub struct ProgramTask {
    /// Whose tool it is for.
    pub id: SourceId,
    /// The program, absolute; see [`program`] for how to come by one.
    pub program: PathBuf,
    /// Shown instead of the program's path: the author's file, if a runtime runs it.
    pub shown: String,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// All variables it sees.
    pub env: Vec<(OsString, OsString)>,
    /// Its standard input; `None` is the same as an empty file.
    pub stdin: Option<Vec<u8>>,
    /// How long and how much.
    pub limits: Limits,
}

impl ProgramTask {
    fn as_start(&self) -> SpawnRequest<'_> {
        let Self { program, args, cwd, env, stdin, .. } = self;
        SpawnRequest { program, args, cwd, env, is_fed: stdin.is_some() }
    }
}

/// How long a program may take and how much it may say.
#[derive(Debug, Clone)]
pub struct Limits {
    /// From start to end.
    pub time: Duration,
    /// Bytes of standard output; more is an error.
    pub stdout: usize,
    /// Bytes of standard error; of more, the last ones are kept.
    pub stderr: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), stdout: 8 << 20, stderr: 64 << 10 }
    }
}

impl Limits {
    /// The usual limits, but for the time.
    pub fn within(time: Duration) -> Self {
        Self { time, ..Self::default() }
    }
}

/// The outcome of a program.
#[derive(Debug, Clone)]
pub struct ProgramOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its whole standard output.
    pub stdout: Vec<u8>,
    /// The end of its stderr.
    pub stderr: Vec<u8>,
}

impl ProgramOutput {
    /// How it ended, in words: `exited with code 3`.
    pub fn ending(&self) -> String {
        words::ending(self.status)
    }

    /// The end of its stderr, as trimmed text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }
}

/// Starts the program, feeds it, and waits until it is done.
///
/// Cancel-safe: dropping the future kills the program and all it started. Await it on a thread that lives as long as
/// the program may: on Linux the program dies with the thread it was started from.
pub async fn start(task: &ProgramTask) -> Result<ProgramOutput, SourceError> {
    if task.limits.time.is_zero() {
        return Err(timed_out(task));
    }
    let mut child = spawn_patiently(task).await?;
    let group = ProcessGroup::of(&child);
    let done = {
        let mut attending = pin!(attend(&mut child, &group, task));
        match timeout(task.limits.time, &mut attending).await {
            Ok(done) => done,
            Err(_) => {
                group.terminate();
                // Read on meanwhile: a closed pipe would end those who have something left to say.
                let _ = timeout(GRACE, attending).await;
                Err(timed_out(task))
            }
        }
    };
    if done.is_err() {
        end(&mut child, &group).await;
    }
    done
}

/// Tries again while the file is open for writing: an author may be saving it this very moment.
async fn spawn_patiently(task: &ProgramTask) -> Result<Child, SourceError> {
    let mut waits = BUSY.into_iter();
    loop {
        match spawn::spawn(task.as_start()) {
            Ok(child) => return Ok(child),
            Err(err) if err.kind() == io::ErrorKind::ExecutableFileBusy => match waits.next() {
                Some(wait) => sleep(wait).await,
                None => return Err(words::spawn_error(task, err)),
            },
            Err(err) => return Err(words::spawn_error(task, err)),
        }
    }
}

/// Talks with the child until it is done and its pipes are closed, or have been given up.
async fn attend(child: &mut Child, group: &ProcessGroup, task: &ProgramTask) -> Result<ProgramOutput, SourceError> {
    let mut stdout = Vec::new();
    let mut stderr = OutputTail::new(task.limits.stderr);
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let status = {
        let mut talk = pin!(async {
            tokio::try_join!(
                feed(input, task.stdin.as_deref()).map(Ok),
                read_all(output, &mut stdout, task),
                read_tail(errors, &mut stderr).map(Ok),
            )
        });
        let mut said_all = false;
        let status = tokio::select! {
            biased;
            said = &mut talk => {
                said?;
                said_all = true;
                child.wait().await
            }
            status = child.wait() => status,
        };
        group.leader_is_gone();
        if !said_all && let Ok(said) = timeout(LEFTOVER, talk).await {
            said?;
        }
        status
    };
    group.kill();
    let status = status.map_err(|err| SourceError::Unavailable {
        id: task.id.clone(),
        what: format!("lost sight of `{}`: {err}", task.shown),
    })?;
    Ok(ProgramOutput { status, stdout, stderr: stderr.into_bytes() })
}

/// Writes the input and closes the pipe. A program that does not read it is no error.
async fn feed(pipe: Option<impl tokio::io::AsyncWrite + Unpin>, bytes: Option<&[u8]>) {
    if let (Some(mut pipe), Some(bytes)) = (pipe, bytes) {
        let _ = pipe.write_all(bytes).await;
        let _ = pipe.shutdown().await;
    }
}

async fn read_all(
    pipe: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
    task: &ProgramTask,
) -> Result<(), SourceError> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut chunk = vec![0; 16 << 10];
    loop {
        match pipe.read(&mut chunk).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(count) if bytes.len() + count > task.limits.stdout => return Err(too_much(task)),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
        }
    }
}

async fn read_tail(pipe: Option<impl AsyncRead + Unpin>, tail: &mut OutputTail) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; 16 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        tail.push(&chunk[..count]);
    }
}

/// Kills the whole group and waits, within reason, until its leader is gone.
async fn end(child: &mut Child, group: &ProcessGroup) {
    group.kill();
    let _ = child.start_kill();
    let _ = timeout(REAP, child.wait()).await;
}

fn timed_out(task: &ProgramTask) -> SourceError {
    SourceError::TimedOut { id: task.id.clone(), what: format!("`{}`", task.shown), limit: task.limits.time }
}

fn too_much(task: &ProgramTask) -> SourceError {
    SourceError::Protocol {
        id: task.id.clone(),
        reason: format!("`{}` was stopped: it printed more than {}", task.shown, words::bytes(task.limits.stdout)),
    }
}

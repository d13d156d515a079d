//! The server's own process: waiting, ending after a time, signals, and sleeping children.

use crate::options::Options;
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

/// Part of the command line of every child process, so that tests can find survivors.
pub(crate) const CHILD_MARK: &str = "hostile-grandchild";

#[expect(clippy::disallowed_methods, reason = "a test server blocks one thread per task")]
pub(crate) fn pause(time: Duration) {
    thread::sleep(time);
}

/// Sleeps until a signal or `--ttl` ends the process.
pub(crate) fn pause_for_ever() {
    loop {
        pause(Duration::from_secs(3600));
    }
}

/// Runs the closure on a detached thread.
pub(crate) fn background(work: impl FnOnce() + Send + 'static) {
    thread::spawn(work);
}

#[expect(clippy::disallowed_methods, reason = "a hostile server exits without cleanup")]
pub(crate) fn exit(code: i32) -> ! {
    std::process::exit(code)
}

/// Kills this process immediately.
pub(crate) fn kill_ourselves() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// Ends this process after `ttl`, so that no process outlives its test for long, even if the mode
/// ignores signals.
pub(crate) fn end_after(ttl: Duration) {
    background(move || {
        pause(ttl);
        kill_ourselves();
    });
}

/// A child in our process group that inherits our pipes and sleeps until `--ttl`.
pub(crate) fn sleeping_child(options: &Options) -> io::Result<Child> {
    let ttl = options.ttl.as_secs_f64().to_string();
    let words = ["--idle", CHILD_MARK, "--ttl", &ttl, "--name", &options.name];
    Command::new(std::env::current_exe()?).args(words).spawn()
}

/// Installs handlers that call `handle` with the signal number. If `obeys`, SIGTERM then ends the
/// process with 143; otherwise it and the related signals are ignored.
pub(crate) fn on_signals(
    obeys: bool,
    handle: impl Fn(i32) + Clone + Send + 'static,
) -> io::Result<()> {
    let all = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
        SignalKind::pipe(),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut waiting = JoinSet::new();
    for kind in &all[..if obeys { 1 } else { all.len() }] {
        // Here and not in the task, so that the handler is installed when this function returns.
        let mut heard = {
            let _inside = runtime.enter();
            signal(*kind)?
        };
        let (handle, number) = (handle.clone(), kind.as_raw_value());
        let wait = async move {
            while heard.recv().await.is_some() {
                handle(number);
                if obeys {
                    exit(128 + number);
                }
            }
        };
        waiting.spawn_on(wait, runtime.handle());
    }
    background(move || runtime.block_on(async { while waiting.join_next().await.is_some() {} }));
    Ok(())
}

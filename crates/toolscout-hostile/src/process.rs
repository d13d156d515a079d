//! Our own life and death: waiting, ending on time, signals, children that only sleep.

use crate::options::Options;
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

/// In the command line of every child of ours, so that tests can look for survivors.
pub(crate) const CHILD_MARK: &str = "hostile-grandchild";

#[expect(clippy::disallowed_methods, reason = "a test's server has a thread for each thing that waits")]
pub(crate) fn pause(time: Duration) {
    thread::sleep(time);
}

/// Stays, and does nothing, until somebody or `--ttl` ends the process.
pub(crate) fn pause_for_ever() {
    loop {
        pause(Duration::from_secs(3600));
    }
}

/// Runs it beside us; nobody waits for it.
pub(crate) fn background(work: impl FnOnce() + Send + 'static) {
    thread::spawn(work);
}

#[expect(clippy::disallowed_methods, reason = "to end without tidying up is what a hostile server does")]
pub(crate) fn exit(code: i32) -> ! {
    std::process::exit(code)
}

/// Dies at once, without a last word.
pub(crate) fn kill_ourselves() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// Nothing started by a test outlives it for long, whatever the mode ignores.
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

/// Has these signals handled from here on, with their numbers. SIGTERM then ends us with 143, unless it is to be ignored with
/// all its kin.
pub(crate) fn on_signals(obeys: bool, handle: impl Fn(i32) + Clone + Send + 'static) -> io::Result<()> {
    let all = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::pipe()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut waiting = JoinSet::new();
    for kind in &all[..if obeys { 1 } else { all.len() }] {
        // Here and not in the task: once we return, the handler stands.
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

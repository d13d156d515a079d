//! Runs a program as a process: its arguments, its exit code, and its handling of interrupts.

use crate::{App, AppError, Environment};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use toolscout_surface::codes::Exit;

/// The time that an interrupted run has to stop its child processes. This takes milliseconds,
/// unless one hangs.
const GRACE: Duration = Duration::from_secs(2);
/// The time that a run has to drain after an interrupt, if it drains by itself.
const DRAIN: Duration = Duration::from_secs(20);

/// Runs the program with the arguments of this process. On an interrupt it stops everything that it
/// has started, and returns 130.
///
/// ```no_run
/// use toolscout::{App, plugins};
///
/// fn main() -> std::process::ExitCode {
///     toolscout::main(App::builder("my-app").plugin(plugins::Cli).build())
/// }
/// ```
pub fn main(app: Result<App, AppError>) -> ExitCode {
    // Before anything is started: children run as the same user, and could read this memory.
    toolscout_process::spawn::hide_from_children();
    let exit = match (app, Builder::new_current_thread().enable_all().build()) {
        (Ok(app), Ok(runtime)) => {
            let exit = runtime.block_on(until_interrupted(app));
            if exit == Exit::Interrupted {
                // A thread that waits for terminal input would block the shutdown.
                runtime.shutdown_background();
            }
            exit
        }
        (Err(error), _) => print_error(&error.to_string(), error.exit()),
        (_, Err(error)) => print_error(&format!("could not start: {error}"), Exit::Unavailable),
    };
    ExitCode::from(exit.code())
}

/// Prints why the program could not run, and returns the exit code.
fn print_error(reason: &str, exit: Exit) -> Exit {
    Environment::from_process().eprint(&format!("error: {reason}\n"));
    exit
}

/// The run has its own task, so that it cannot delay the handling of an interrupt.
async fn until_interrupted(app: App) -> Exit {
    let mut work = JoinSet::new();
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let environment = app.environment().clone();
    let exit = tokio::select! {
        // First, so that the signal handler is installed before the run starts.
        biased;
        Ok(()) = tokio::signal::ctrl_c() => {
            if environment.drains_when_interrupted() {
                drain(&mut work).await;
            }
            let _ = tokio::time::timeout(GRACE, work.shutdown()).await;
            Exit::Interrupted
        }
        ended = async {
            work.spawn(async move { app.run(args).await });
            work.join_next().await
        } => {
            // A panic has already printed its message.
            ended.and_then(Result::ok).unwrap_or(Exit::Bug)
        }
    };
    toolscout_process::drain().await;
    // An interrupted run has not erased its progress.
    environment.progress().close();
    exit
}

/// Waits until the run is done, a second interrupt arrives, or the time is up.
async fn drain(work: &mut JoinSet<Exit>) {
    tokio::select! {
        _ = work.join_next() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = tokio::time::sleep(DRAIN) => {}
    }
}

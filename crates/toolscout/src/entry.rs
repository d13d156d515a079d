//! A program as a process: its arguments, its exit code, and an interruption that always gets through.

use crate::{App, AppError, Environment};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use toolscout_surface::codes::Exit;

/// What an interrupted run may take to end what it has started; that is a matter of milliseconds, unless it is stuck.
const GRACE: Duration = Duration::from_secs(2);
/// What a run that ends in its own way may take for it.
const DRAIN: Duration = Duration::from_secs(20);

/// Runs the program with the arguments of this process. Interrupted, it ends all that it has started, and gives 130.
///
/// ```no_run
/// use toolscout::{App, plugins};
///
/// fn main() -> std::process::ExitCode {
///     toolscout::main(App::builder("my-app").plugin(plugins::Cli).build())
/// }
/// ```
pub fn main(app: Result<App, AppError>) -> ExitCode {
    let exit = match (app, Builder::new_current_thread().enable_all().build()) {
        (Ok(app), Ok(runtime)) => run(app, runtime),
        (Err(error), _) => said(&error.to_string(), error.exit()),
        (_, Err(error)) => said(&format!("could not start: {error}"), Exit::Unavailable),
    };
    ExitCode::from(exit.code())
}

fn said(reason: &str, exit: Exit) -> Exit {
    Environment::of_process().say(&format!("error: {reason}\n"));
    exit
}

fn run(app: App, runtime: Runtime) -> Exit {
    let exit = runtime.block_on(until_interrupted(app));
    if exit == Exit::Interrupted {
        // A thread that waits for a person to type would keep us.
        runtime.shutdown_background();
    }
    exit
}

/// The work has a task of its own, so that whatever it does it cannot keep an interruption from being noticed.
async fn until_interrupted(app: App) -> Exit {
    let mut work = JoinSet::new();
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let environment = app.environment().clone();
    tokio::select! {
        // First, so that it is listened for before the work begins.
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
            // A panic has said for itself what happened.
            ended.and_then(Result::ok).unwrap_or(Exit::Bug)
        }
    }
}

/// Waits until the work is done, unless somebody is in a hurry.
async fn drain(work: &mut JoinSet<Exit>) {
    tokio::select! {
        _ = work.join_next() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = tokio::time::sleep(DRAIN) => {}
    }
}

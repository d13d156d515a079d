//! `server host`: keeps a project's servers running for other commands, until it is interrupted.

use super::control::Control;
use super::socket;
use crate::plugins::journal;
use crate::plugins::review;
use crate::{AppError, Command, Environment, RunCx};
use futures_util::StreamExt;
use futures_util::stream::{FuturesUnordered, select_all};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use toolscout_core::event::Observers;
use toolscout_core::{BoxFuture, BoxStream, Cx, ErrorKind, Lease, ProblemKind, Source, escape};
use toolscout_mcp_client::partition;
use toolscout_surface::api::{OperationRouter, SocketRouter};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::http::{Limits, socket as http_socket};

pub(super) struct HostCommand;

/// Who keeps no servers, because another process does, looks this often whether that one is still there.
const TURN: Duration = Duration::from_secs(1);

impl Command for HostCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server host", "Keep this project's servers running for other commands, until interrupted")
            .option(OptionSpec::help("Show this help"))
            .note("A server starts when it is first called, and stays for the next call. `toolscout run` uses what is kept here.")
            .example("toolscout server host &")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let place = cx.workspace().config();
            if cx.only_would(&format!("keep the servers of {}", place.project_folder().display())) {
                return Ok(Exit::Done);
            }
            let listener = listen(cx.environment(), place.project_folder())?;
            journal::keep_writing(cx);
            // A host that was killed has left its socket, which made us think that somebody else is there.
            let set = cx.workspace().servers();
            set.run_here();
            cx.tools().known().await?;
            cx.say("Keeping servers for this project. Interrupt to end.\n");
            let changes = select_all(set.sources.iter().map(|it| it.changes()));
            tokio::select! {
                ended = serve(cx, &listener, Box::pin(changes)) => ended,
                never = cx.tools().gateway().study() => match never {},
            }
        })
    }
}

/// The socket, and the right to it: a second process for the same project is told that there is one.
fn listen(environment: &Environment, project: &Path) -> Result<Listening, AppError> {
    let control = Control::location(environment, &partition(project)).ok_or_else(|| {
        AppError::invalid(
            "nothing says where the socket should be",
            "set TOOLSCOUT_STATE_DIR to a folder you can write",
        )
    })?;
    let name = format!("host/{}", partition(project));
    let leased = environment.store().lease(&name).map_err(|error| AppError::Said {
        kind: ErrorKind::Unavailable,
        message: error.to_string(),
        hint: Some("set TOOLSCOUT_STATE_DIR to a folder you can write".to_owned()),
    })?;
    let lease = leased.ok_or_else(|| AppError::Said {
        kind: ErrorKind::Unavailable,
        message: "another process keeps the servers of this project already".to_owned(),
        hint: Some("toolscout server list".to_owned()),
    })?;
    let socket = control.socket().to_owned();
    let bound = bind(&socket).map_err(AppError::io("listen on", &socket))?;
    Ok(Listening { listener: bound, socket, _lease: lease })
}

fn bind(socket: &Path) -> io::Result<UnixListener> {
    socket::make_folder(socket)?;
    // We have the right to it, so whoever left it is gone.
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Takes its socket along when it goes.
struct Listening {
    listener: UnixListener,
    socket: std::path::PathBuf,
    /// Given back after the socket is gone, so that it is never the next one's that goes.
    _lease: Lease,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Keeps the servers of this process reachable for other commands, as soon as no other process does; never ends.
pub(crate) async fn keep(cx: &RunCx) {
    let place = cx.workspace().config();
    loop {
        if let Ok(listener) = listen(cx.environment(), place.project_folder()) {
            let never = Box::pin(futures_util::stream::pending());
            if let Err(error) = serve(cx, &listener, never).await {
                tracing::warn!(event = "unreachable", error = %escape::line(&error.to_string()));
            }
        }
        tokio::time::sleep(TURN).await;
    }
}

/// What is known of `changes` is looked at; the rest is answered.
async fn serve(cx: &RunCx, listening: &Listening, mut changes: BoxStream<'_, ()>) -> Result<Exit, AppError> {
    // The process that forwarded a request reports what it did; reported here as well, it would count twice.
    let request = Cx { observers: Observers::default(), ..cx.request() };
    let router = OperationRouter::new(cx.operations(), request, Limits::default()).for_owner();
    let mut asked: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
    loop {
        tokio::select! {
            taken = listening.listener.accept() => {
                let (stream, _) = taken.map_err(AppError::io("listen on", &listening.socket))?;
                if is_ours(&stream) {
                    asked.push(Box::pin(attend(cx, stream, router.clone())));
                }
            }
            Some(()) = changes.next() => asked.push(Box::pin(look_again(cx))),
            Some(()) = asked.next(), if !asked.is_empty() => {}
        }
    }
}

/// A list that differs is looked at now: a change that is taken back before the next call would be none to who comes then.
async fn look_again(cx: &RunCx) {
    match cx.tools().discover_quietly_again().await {
        Ok(news) => news.iter().filter(|it| it.kind == ProblemKind::Held).for_each(|it| cx.tools().warn(it)),
        Err(error) => tracing::warn!(event = "changes_not_seen", error = %escape::line(&error.to_string())),
    }
}

/// The socket's mode keeps others out; this does so where modes mean nothing.
fn is_ours(stream: &UnixStream) -> bool {
    let own = std::fs::metadata("/proc/self").map(|it| std::os::unix::fs::MetadataExt::uid(&it)).ok();
    stream.peer_cred().is_ok_and(|it| own.is_none_or(|own| own == it.uid()))
}

/// Serves one connection. What was configured and decided since this process started counts.
async fn attend(cx: &RunCx, stream: UnixStream, router: SocketRouter) {
    match cx.workspace().reload() {
        Ok(()) => review::apply_policies(cx.workspace(), &cx.workspace().config()),
        Err(error) => tracing::warn!(event = "configuration_not_read", error = %escape::line(&error.to_string())),
    }
    look_again(cx).await;
    http_socket::serve(stream, router).await;
}

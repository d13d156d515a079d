//! `server host`: keeps a project's servers running for other commands, until it is interrupted.

use super::ServerSet;
use super::control::{Answer, Ask, Control, LINE};
use super::socket;
use crate::plugins::discovery::Place;
use crate::plugins::journal;
use crate::plugins::review;
use crate::plugins::ui::PageLinks;
use crate::{AppError, Command, RunCx, Surroundings};
use futures_util::StreamExt;
use futures_util::stream::{FuturesUnordered, select_all};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use toolscout_core::cx::{Asker, Progress};
use toolscout_core::event::Observers;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Digest, ErrorKind, Lease, ProblemKind, Source, SourceError, ToolCall, escape,
};
use toolscout_gateway::Error as GatewayError;
use toolscout_mcp_client::{McpSource, partition};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;

pub(super) struct HostCommand;

/// So many reports of progress may wait for who asked.
const UNTOLD: usize = 32;
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
            let place = Place::of(cx.options(), cx.surroundings())?;
            if cx.only_would(&format!("keep the servers of {}", place.project().display())) {
                return Ok(Exit::Done);
            }
            let listener = listen(cx.surroundings(), place.project())?;
            journal::keep_writing(cx);
            // A host that was killed has left its socket, which made us think that somebody else is there.
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
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
fn listen(surroundings: &Surroundings, project: &Path) -> Result<Listening, AppError> {
    let control = Control::place(surroundings, &partition(project)).ok_or_else(|| {
        AppError::invalid(
            "nothing says where the socket should be",
            "set TOOLSCOUT_STATE_DIR to a folder you can write",
        )
    })?;
    let name = format!("host/{}", partition(project));
    let leased = surroundings.store().lease(&name).map_err(|error| AppError::Said {
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
    let Ok(place) = Place::of(cx.options(), cx.surroundings()) else { return };
    loop {
        if let Ok(listener) = listen(cx.surroundings(), place.project()) {
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
    let mut asked: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
    loop {
        tokio::select! {
            taken = listening.listener.accept() => {
                let (stream, _) = taken.map_err(AppError::io("listen on", &listening.socket))?;
                if is_ours(&stream) {
                    asked.push(Box::pin(attend(cx, stream)));
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

/// One question, one answer, and before it how far it is. Who asked and went away is not waited for.
async fn attend(cx: &RunCx, stream: UnixStream) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    let read =
        tokio::time::timeout(Duration::from_secs(10), (&mut stream).take(LINE).read_until(b'\n', &mut line)).await;
    if !matches!(read, Ok(Ok(1..))) {
        return;
    }
    let (progress, mut far) = mpsc::channel(UNTOLD);
    let answering = answer(cx, &line, progress);
    tokio::pin!(answering);
    let answer = loop {
        tokio::select! {
            answer = &mut answering => break answer,
            Some(it) = far.recv() => write(&mut stream, &it).await,
            // Dropping the call tells the server so.
            _ = stream.fill_buf() => return,
        }
    };
    while let Ok(it) = far.try_recv() {
        write(&mut stream, &it).await;
    }
    write(&mut stream, &answer).await;
}

async fn write(stream: &mut BufReader<UnixStream>, answer: &Answer) {
    if let Ok(mut line) = serde_json::to_vec(answer) {
        line.push(b'\n');
        let _ = stream.get_mut().write_all(&line).await;
    }
}

async fn answer(cx: &RunCx, line: &[u8], progress: mpsc::Sender<Answer>) -> Answer {
    let ask = match serde_json::from_slice(line) {
        Ok(ask) => ask,
        Err(error) => {
            return failed(&AppError::invalid(format!("the question cannot be read: {error}"), "use toolscout itself"));
        }
    };
    answered(cx, ask, progress).await.unwrap_or_else(|error| failed(&error))
}

/// Of the servers there are now: others may have been configured since this process began.
async fn answered(cx: &RunCx, ask: Ask, progress: mpsc::Sender<Answer>) -> Result<Answer, AppError> {
    let set = ServerSet::of(cx.options(), cx.surroundings())?;
    match ask {
        Ask::States => states(&set, &cx.request()),
        Ask::Start { server } => start(&set, &server, &cx.request()).await,
        Ask::Stop { server } => stop(&set, &server).await,
        Ask::Logs { server } => set.source(&server).map(|it| Answer::Logs { tail: it.tail().unwrap_or_default() }),
        Ask::Page => PageLinks::of(cx.options()).map(|it| Answer::Page { link: it.link() }),
        Ask::Call { .. } => call(cx, ask, progress).await,
    }
}

fn states(set: &ServerSet, cx: &Cx) -> Result<Answer, AppError> {
    let state = |it: &Arc<McpSource>| Some((it.server().id.to_string(), it.state(cx).ok()?.state.word().to_owned()));
    Ok(Answer::States { states: set.sources.iter().filter_map(state).collect() })
}

async fn start(set: &ServerSet, server: &str, cx: &Cx) -> Result<Answer, AppError> {
    set.source(server)?.start(cx).await?;
    Ok(Answer::Done)
}

async fn stop(set: &ServerSet, server: &str) -> Result<Answer, AppError> {
    set.source(server)?.stop().await;
    Ok(Answer::Done)
}

/// Through the gateway and its door, like every other call. What a person has decided since this process began counts.
async fn call(cx: &RunCx, ask: Ask, progress: mpsc::Sender<Answer>) -> Result<Answer, AppError> {
    let Ask::Call { tool, arguments, expect, meta, deadline_ms, watched } = ask else { return Ok(Answer::Done) };
    review::renew_policies(cx)?;
    cx.tools().discover_quietly_again().await?;
    let gateway = cx.tools().gateway();
    let tool = gateway.resolve(&tool)?;
    let mut call = ToolCall::new(tool.id.clone(), arguments);
    call.expect = expect.as_deref().and_then(Digest::from_hex);
    call.meta = meta;
    // Where a person had to be asked, they were at the door this call has come through; their yes was used up there.
    let asker: Asker = Arc::new(|_| Box::pin(async { true }));
    // Who made the call tells of it; told here as well, it would be two.
    let (progress, observers) = (watched.then(|| passing(progress)), Observers::default());
    let mut request = Cx { asker: Some(asker), progress, observers, ..cx.request() };
    if let Some(limit) = deadline_ms {
        request = request.within(Duration::from_millis(limit));
    }
    let output = gateway.call_tool(&tool, call, request).await?;
    Ok(Answer::Result { result: output.raw().clone() })
}

/// Passes on how far a call is; what nobody takes in time is not missed.
fn passing(to: mpsc::Sender<Answer>) -> Arc<dyn Fn(Progress) + Send + Sync> {
    Arc::new(move |Progress { done, total, message }| {
        let _ = to.try_send(Answer::Progress { done, total, message });
    })
}

fn failed(error: &AppError) -> Answer {
    let kind = match error.exit() {
        _ if matches!(error, AppError::Gateway(GatewayError::Source(SourceError::Login { .. }))) => "login",
        _ if matches!(error, AppError::Gateway(GatewayError::Source(SourceError::Changed { .. }))) => "changed",
        Exit::Refused => "refused",
        Exit::Usage => "invalid",
        Exit::NotFound => "unknown",
        _ => "unavailable",
    };
    Answer::Failed { kind: kind.to_owned(), message: error.to_string(), hint: error.hint() }
}

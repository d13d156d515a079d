//! The host of a project: the process whose servers other commands use, over the control socket.

use crate::servers::{ControlSocket, make_folder};
use crate::{AppError, Environment, Workspace};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::convert::Infallible;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use toolscout_core::change::ChangeKind;
use toolscout_core::event::{Event, EventKind, Observer, Observers};
use toolscout_core::{BoxFuture, BoxStream, Cx, Lease, escape};
use toolscout_mcp_client::partition;
use toolscout_process::ancestry;
use toolscout_surface::api::OperationRouter;
use toolscout_surface::http::{Limits, socket as http_socket};
use toolscout_surface::operation::Operations;

/// How often a process that is not the host tries to become it.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The control socket of a project, and the lease that makes this process its host.
pub struct HostListener {
    listener: UnixListener,
    socket: std::path::PathBuf,
    /// Released after the socket is removed, so that this process does not remove the socket of
    /// the next host.
    _lease: Lease,
}

impl HostListener {
    /// Binds the socket; fails if another process is the host of this project.
    pub fn bind(environment: &Environment, project: &Path) -> Result<Self, AppError> {
        let control =
            ControlSocket::for_project(environment, &partition(project)).ok_or_else(|| {
                AppError::invalid(
                    "no state directory for the socket",
                    "set TOOLSCOUT_STATE_DIR to a writable folder",
                )
            })?;
        let name = format!("host/{}", partition(project));
        let leased = environment.store().lease(&name).map_err(AppError::not_stored)?;
        let message = "another process already hosts the servers of this project";
        let lease =
            leased.ok_or_else(|| AppError::unavailable(message, "toolscout server list"))?;
        let socket = control.socket().to_owned();
        let bound = bind(&socket).map_err(AppError::io("listen on", &socket))?;
        Ok(Self { listener: bound, socket, _lease: lease })
    }

    /// Serves commands, and repeats discovery after each of `changes`.
    pub async fn serve(
        &self,
        workspace: &Workspace,
        operations: &Operations,
        mut changes: BoxStream<'_, ()>,
    ) -> Result<Infallible, AppError> {
        let request = workspace.tools.request();
        let observers =
            Observers::new(vec![Arc::new(ForwardedRequests(request.observers.clone()))]);
        let request = Cx { observers, ..request };
        let router = OperationRouter::new(operations.clone(), request, Limits::default(), None);
        let mut connections: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    let (stream, _) = accepted.map_err(AppError::io("listen on", &self.socket))?;
                    if is_same_user(&stream) {
                        connections.push(Box::pin(serve_connection(workspace, router_for(&router, &stream), stream)));
                    }
                }
                Some(()) = changes.next() => connections.push(Box::pin(workspace.tools.discover_changes())),
                Some(()) = connections.next(), if !connections.is_empty() => {}
            }
        }
    }
}

/// Reports the changes and operations that commands forward. The process that forwards a call
/// reports the call, its discoveries and its approval; if they were reported here as well, they
/// would count twice.
struct ForwardedRequests(Observers);

impl Observer for ForwardedRequests {
    fn observe(&self, event: &Event) {
        let is_reported_here = match &event.kind {
            EventKind::Decision(decision) => decision.kind != ChangeKind::Call.as_str(),
            kind => matches!(kind, EventKind::Operation(_)),
        };
        if is_reported_here {
            self.0.observe(event);
        }
    }
}

impl Drop for HostListener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Makes this process the host of its project as soon as no other process is; never ends.
pub async fn become_host(workspace: &Workspace, operations: &Operations) {
    let config = workspace.config();
    loop {
        if let Ok(listener) = HostListener::bind(&workspace.environment, config.project_folder()) {
            let never = Box::pin(futures_util::stream::pending());
            let Err(error) = listener.serve(workspace, operations, never).await;
            tracing::warn!(event = "control_socket_failed", error = %escape::line(&error.to_string()));
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

fn bind(socket: &Path) -> io::Result<UnixListener> {
    make_folder(socket)?;
    // This process holds the lease, so the process that left the socket has ended.
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Whether the peer belongs to the same user. The socket's mode ensures it, except on file
/// systems without modes.
fn is_same_user(stream: &UnixStream) -> bool {
    let own_uid = std::fs::metadata("/proc/self")
        .map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata))
        .ok();
    stream
        .peer_cred()
        .is_ok_and(|credentials| own_uid.is_none_or(|own_uid| own_uid == credentials.uid()))
}

/// The routes for the process at the other end: a tool or a server may connect as well as a
/// command that a person types.
fn router_for(router: &Arc<OperationRouter>, stream: &UnixStream) -> http_socket::SocketRouter {
    let pid = stream.peer_cred().ok().and_then(|credentials| credentials.pid());
    match pid.and_then(|pid| u32::try_from(pid).ok()) {
        Some(pid) if ancestry::tool_parent_of(pid).is_some() => {
            router.for_tool(ancestry::runs_this_program(pid))
        }
        _ => router.for_owner(),
    }
}

/// Serves one connection, with the current configuration and approvals.
async fn serve_connection(
    workspace: &Workspace,
    router: http_socket::SocketRouter,
    stream: UnixStream,
) {
    if let Err(error) = workspace.apply_all_changes().await {
        tracing::warn!(event = "configuration_reload_failed", error = %escape::line(&error.to_string()));
    }
    http_socket::serve(stream, router).await;
}

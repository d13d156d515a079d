//! The host of a project: the process whose servers other commands use, over the control socket.

use crate::servers::{Control, make_folder};
use crate::{AppError, Environment, Workspace};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::convert::Infallible;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use toolscout_core::event::Observers;
use toolscout_core::{BoxFuture, BoxStream, Cx, ErrorKind, Lease, DiagnosticKind, escape};
use toolscout_mcp_client::partition;
use toolscout_surface::api::{OperationRouter, SocketRouter};
use toolscout_surface::http::{Limits, socket as http_socket};
use toolscout_surface::operation::Operations;

/// Who keeps no servers, because another process does, looks this often whether that one is still there.
const TURN: Duration = Duration::from_secs(1);

/// The control socket of a project, and the lease that makes this process its host.
pub struct HostListener {
    listener: UnixListener,
    socket: std::path::PathBuf,
    /// Released after the socket is removed, so that the socket of the next host stays.
    _lease: Lease,
}

impl HostListener {
    /// Binds the socket; fails if another process is the host of this project.
    pub fn bind(environment: &Environment, project: &Path) -> Result<Self, AppError> {
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
        Ok(Self { listener: bound, socket, _lease: lease })
    }

    /// Serves commands, and discovers again after each of `changes`.
    pub async fn serve(
        &self,
        workspace: &Workspace,
        operations: &Operations,
        mut changes: BoxStream<'_, ()>,
    ) -> Result<Infallible, AppError> {
        // The process that forwarded a request reports what it did; reported here as well, it would count twice.
        let request = Cx { observers: Observers::default(), ..workspace.tools.request() };
        let router = OperationRouter::new(operations.clone(), request, Limits::default()).for_owner();
        let mut asked: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                taken = self.listener.accept() => {
                    let (stream, _) = taken.map_err(AppError::io("listen on", &self.socket))?;
                    if is_ours(&stream) {
                        asked.push(Box::pin(attend(workspace, stream, router.clone())));
                    }
                }
                Some(()) = changes.next() => asked.push(Box::pin(look_again(workspace))),
                Some(()) = asked.next(), if !asked.is_empty() => {}
            }
        }
    }
}

impl Drop for HostListener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Keeps the servers of this process reachable for other commands, as soon as no other process does; never ends.
pub async fn keep(workspace: &Workspace, operations: &Operations) {
    let config = workspace.config();
    loop {
        if let Ok(listener) = HostListener::bind(&workspace.environment, config.project_folder()) {
            let never = Box::pin(futures_util::stream::pending());
            let Err(error) = listener.serve(workspace, operations, never).await;
            tracing::warn!(event = "unreachable", error = %escape::line(&error.to_string()));
        }
        tokio::time::sleep(TURN).await;
    }
}

fn bind(socket: &Path) -> io::Result<UnixListener> {
    make_folder(socket)?;
    // We have the right to it, so whoever left it is gone.
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A list that differs is looked at now: a change that is taken back before the next call would be none to who comes then.
async fn look_again(workspace: &Workspace) {
    match workspace.tools.discover_quietly_again().await {
        Ok(news) => news.iter().filter(|it| it.kind == DiagnosticKind::Quarantined).for_each(|it| workspace.tools.warn(it)),
        Err(error) => tracing::warn!(event = "changes_not_seen", error = %escape::line(&error.to_string())),
    }
}

/// The socket's mode keeps others out; this does so where modes mean nothing.
fn is_ours(stream: &UnixStream) -> bool {
    let own = std::fs::metadata("/proc/self").map(|it| std::os::unix::fs::MetadataExt::uid(&it)).ok();
    stream.peer_cred().is_ok_and(|it| own.is_none_or(|own| own == it.uid()))
}

/// Serves one connection. What was configured and decided since this process started counts.
async fn attend(workspace: &Workspace, stream: UnixStream, router: SocketRouter) {
    match workspace.reload() {
        Ok(()) => workspace.apply_policies(),
        Err(error) => tracing::warn!(event = "configuration_not_read", error = %escape::line(&error.to_string())),
    }
    look_again(workspace).await;
    http_socket::serve(stream, router).await;
}

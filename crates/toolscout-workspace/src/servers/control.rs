//! The control socket: connects a command to the host of its project, the process that runs its
//! servers.

use super::socket as location;
use crate::Environment;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_surface::http::socket::{self, SocketRequest, SocketResponse};
use toolscout_surface::operation::{HttpRoute, request_target};

/// The timeout for requests that the host can answer at once.
pub const PROMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// The HTTP route that calls a tool, also over the control socket.
pub(crate) const CALL_ROUTE: HttpRoute =
    HttpRoute { method: "POST", path: "/api/call", status: 200 };

/// The control socket of a project.
#[derive(Debug, Clone)]
pub struct ControlSocket {
    socket: PathBuf,
}

impl ControlSocket {
    /// The socket of this project; `None` if it does not exist. A missing listener is detected
    /// on use.
    pub(crate) fn find(environment: &Environment, partition: &str) -> Option<Self> {
        Self::for_project(environment, partition)
            .filter(|control| location::is_usable(&control.socket))
    }

    /// The location of the socket; `None` if there is no state folder.
    pub(crate) fn for_project(environment: &Environment, partition: &str) -> Option<Self> {
        location::socket_path(environment, partition).map(|socket| Self { socket })
    }

    /// The path of the socket.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Runs an operation in the host.
    pub async fn run(
        &self,
        route: &HttpRoute,
        input: Map<String, Value>,
        accept: &str,
        report: impl FnMut(&str) + Send,
    ) -> io::Result<SocketResponse> {
        let (path, json) = request_target(route, input);
        socket::send(
            &self.socket,
            SocketRequest { method: route.method, path: &path, accept, json },
            report,
        )
        .await
    }

    /// As [`ControlSocket::run`], for an operation that takes no time; `None` if the host does
    /// not respond.
    pub(crate) async fn run_promptly(
        &self,
        route: &HttpRoute,
        input: Map<String, Value>,
    ) -> Option<Value> {
        let run = self.run(route, input, "application/json", |_| ());
        let response = tokio::time::timeout(PROMPT_TIMEOUT, run).await.ok()?.ok()?;
        serde_json::from_slice(&response.body).ok()
    }
}

//! The control socket: how a command reaches the process that keeps the servers of its project.

use super::socket as location;
use crate::Environment;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toolscout_surface::http::socket::{self, SocketRequest, SocketResponse};
use toolscout_surface::operation::{HttpRoute, request_target};

/// How long a host may take to answer what it knows at once.
pub const PROMPT: Duration = Duration::from_secs(2);

/// The HTTP route that calls a tool, also over the control socket.
pub const CALL_ROUTE: HttpRoute = HttpRoute { method: "POST", path: "/api/call", status: 200 };

/// The way to the process that keeps the servers of a project.
#[derive(Debug, Clone)]
pub struct Control {
    socket: PathBuf,
    /// Whether this process is the one that keeps them.
    is_ours: Arc<AtomicBool>,
}

impl Control {
    /// The host of this project; none if its socket does not exist. Whether something listens there shows when it is used.
    pub fn at(environment: &Environment, partition: &str) -> Option<Self> {
        Self::location(environment, partition).filter(|control| location::is_there(&control.socket))
    }

    /// Where the socket would be; none if there is no state folder.
    pub fn location(environment: &Environment, partition: &str) -> Option<Self> {
        let socket = location::place(environment, partition)?;
        Some(Self { socket, is_ours: Arc::default() })
    }

    /// This process keeps the servers from now on.
    pub fn take_over(&self) {
        self.is_ours.store(true, Ordering::Relaxed);
    }

    /// Whether this process keeps the servers.
    pub fn is_ours(&self) -> bool {
        self.is_ours.load(Ordering::Relaxed)
    }

    /// The path of the socket.
    pub fn socket(&self) -> &Path {
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
        socket::send(&self.socket, SocketRequest { method: route.method, path: &path, accept, json }, report).await
    }

    /// As [`Control::run`], for an operation that takes no time; `None` if the host does not answer.
    pub async fn run_promptly(&self, route: &HttpRoute, input: Map<String, Value>) -> Option<Value> {
        let run = self.run(route, input, "application/json", |_| ());
        let response = tokio::time::timeout(PROMPT, run).await.ok()?.ok()?;
        serde_json::from_slice(&response.body).ok()
    }
}

//! The connections to one server: the main one, and a legacy one for the clients that need it.
//!
//! A server of both eras is reached over a modern connection. There it cannot send requests to its
//! client during a call, and the official SDKs fail a tool that tries. Over a legacy connection the
//! same tool works. So a client of the legacy era that supports such requests is served over a
//! legacy connection, if the server accepts one. The main connection serves all other callers,
//! and it alone keeps the record.

mod queue;

use super::discovery::ServerContext;
use super::running::InUse;
use super::supervisor::{Phase, Supervisor};
use super::{ClientError, Placement, ProtocolChoice, ServerConfig};
use queue::{CallPlace, CallQueue};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use toolscout_core::Cx;

/// How long a caller waits for the legacy connection. A server without the legacy era may ignore
/// the handshake.
const LEGACY_START: Duration = Duration::from_secs(10);

pub(super) struct Connections {
    server: Arc<ServerConfig>,
    context: Arc<ServerContext>,
    pub(super) main: Arc<Supervisor>,
    /// The legacy connection, created for the first client that needs it. It has its own process
    /// or session, which only clients of the legacy era share.
    legacy: OnceLock<Arc<Supervisor>>,
    /// Whether the server has refused a legacy connection.
    is_modern_only: AtomicBool,
    /// The places for calls, on both connections together.
    queue: CallQueue,
}

impl Connections {
    /// Opens nothing.
    pub(super) fn new(server: Arc<ServerConfig>, context: Arc<ServerContext>) -> Self {
        let main = Supervisor::new(server.clone(), context.clone());
        let (legacy, is_modern_only) = (OnceLock::new(), AtomicBool::new(false));
        let queue = CallQueue::new(&context.connect.limits);
        Self { server, context, main, legacy, is_modern_only, queue }
    }

    /// A place for a call of this caller, which may wait for it. Cancel-safe.
    pub(super) async fn take_place(
        &self,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<CallPlace, ClientError> {
        self.queue.take_place(cx, deadline).await
    }

    /// A running connection for this caller, started if necessary. Cancel-safe.
    pub(super) async fn acquire(&self, cx: &Cx) -> Result<InUse, ClientError> {
        match self.acquire_legacy(cx).await {
            Some(in_use) => Ok(in_use),
            None => self.main.acquire(cx).await,
        }
    }

    /// The legacy connection, if this caller is better served over it. Cancel-safe.
    pub(super) async fn acquire_legacy(&self, cx: &Cx) -> Option<InUse> {
        if !self.is_legacy_preferred(cx).await {
            return None;
        }
        let legacy = self.legacy.get_or_init(|| {
            Supervisor::beside(&self.main, self.server.clone(), Arc::new(self.context.legacy()))
        });
        match timeout(LEGACY_START, legacy.acquire(cx)).await {
            Ok(Ok(in_use)) => return Some(in_use),
            Ok(Err(error)) if !is_refusal(&error) => {}
            _ => self.is_modern_only.store(true, Ordering::Relaxed),
        }
        None
    }

    /// The phase of the main connection; that of the legacy one if only that runs.
    pub(super) fn phase(&self) -> Phase {
        match (self.main.phase(), self.running_legacy()) {
            (main @ Phase::Running(_), _) | (main, None) => main,
            (_, Some(legacy)) => legacy,
        }
    }

    /// Stops both, and prevents automatic restarts.
    pub(super) async fn stop(&self) {
        if let Some(legacy) = self.legacy.get() {
            legacy.stop().await;
        }
        self.main.stop().await;
    }

    fn running_legacy(&self) -> Option<Phase> {
        let phase = self.legacy.get()?.phase();
        matches!(phase, Phase::Running(_)).then_some(phase)
    }

    async fn is_legacy_preferred(&self, cx: &Cx) -> bool {
        let is_possible = self.server.protocol == ProtocolChoice::Auto
            && self.server.placement == Placement::Each
            && self.context.connect.has_counterparts
            && !self.is_modern_only.load(Ordering::Relaxed);
        if !is_possible {
            return false;
        }
        match &cx.reverse_channel {
            Some(channel) if !channel.expects_requests_during_call() => false,
            Some(_) => self.running_legacy().is_some() || self.is_main_modern(cx).await,
            // Such a caller can use either connection. It uses the one that runs, so that a
            // program does not run twice.
            None => {
                !matches!(self.main.phase(), Phase::Running(_)) && self.running_legacy().is_some()
            }
        }
    }

    /// Whether the main connection is modern: the running one, the last one, or a new one.
    async fn is_main_modern(&self, cx: &Cx) -> bool {
        if let Phase::Running(running) = self.main.phase() {
            return running.client.era().is_modern();
        }
        let record = self.context.read(&self.server, cx).unwrap_or_default();
        match self.context.connect_context(&self.server, &record).era {
            Some(era) => era.is_modern(),
            None => {
                let acquired = self.main.acquire(cx).await;
                acquired.is_ok_and(|in_use| in_use.0.client.era().is_modern())
            }
        }
    }
}

/// Whether the server has answered that it does not know the legacy handshake. Any other error may
/// pass.
fn is_refusal(error: &ClientError) -> bool {
    matches!(
        error,
        ClientError::Answered { .. } | ClientError::Protocol { .. } | ClientError::Status { .. }
    )
}

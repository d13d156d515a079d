//! Streamable HTTP: each message is one HTTP request, and its response contains one message or a
//! stream of messages.

mod credentials;
mod event_stream;
pub(super) mod events;
mod exchange;
pub(super) mod headers;
pub(super) mod refusal;
pub(super) mod remote;
pub(super) mod response;
pub(super) mod retry_after;
pub(super) mod session;
pub(super) mod tasks;

#[cfg(test)]
pub(super) mod fixture;
#[cfg(test)]
mod tests;

use super::era::ProtocolEra;
use super::wire::{Outgoing, Wire, WireObserver};
use super::{ClientError, ConnectContext, HttpEndpoint};
use remote::HttpRemote;
use session::HttpSession;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tasks::RequestTasks;
use tokio::time::timeout;
use toolscout_core::BoxFuture;

/// The time limit for ending a session on close.
const END_SESSION_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection over streamable HTTP.
pub(crate) struct HttpWire {
    connection: Arc<HttpConnection>,
    tasks: RequestTasks,
}

/// The state that the tasks of a wire share.
struct HttpConnection {
    remote: HttpRemote,
    session: HttpSession,
    observer: Arc<dyn WireObserver>,
}

impl HttpWire {
    /// Prepares the connection. Nothing is sent before the first message. Cancel-safe.
    pub(crate) async fn open(
        endpoint: &HttpEndpoint,
        context: &ConnectContext,
        observer: Arc<dyn WireObserver>,
        deadline: Instant,
    ) -> Result<Self, ClientError> {
        let remote = HttpRemote::from_endpoint(endpoint, context, deadline).await?;
        let connection =
            Arc::new(HttpConnection { remote, session: HttpSession::default(), observer });
        Ok(Self { connection, tasks: RequestTasks::new(&context.limits) })
    }

    async fn post(&self, message: Outgoing) -> Result<(), ClientError> {
        if self.connection.session.is_obsolete(&message) {
            return Ok(());
        }
        let headers = self.connection.session.headers(&message)?;
        let permit = self.tasks.acquire(message.id.is_some(), message.deadline).await?;
        let connection = self.connection.clone();
        if let Some(id) = message.id {
            return self.tasks.spawn(Some(id), async move {
                connection.request(id, message, headers, permit).await
            });
        }
        let is_ready = message.method.as_deref() == Some("notifications/initialized");
        // Waits for the response, so that messages arrive in order.
        connection.post_without_response(message, headers).await?;
        if is_ready {
            self.tasks.spawn(None, async move { connection.listen().await })?;
        }
        Ok(())
    }
}

impl Wire for HttpWire {
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(self.post(message))
    }

    fn forget(&self, id: u64) {
        self.tasks.abort(id);
    }

    fn set_era(&self, era: &ProtocolEra) {
        self.connection.session.set_era(era);
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let is_first = self.tasks.shutdown().await;
            if is_first && self.connection.session.has_session() {
                // A failure is ignored: the server does not depend on this request.
                let _ = timeout(END_SESSION_TIMEOUT, self.connection.end_session()).await;
            }
        })
    }
}

//! The transport of 2024-11-05, HTTP with SSE: one event stream for all incoming messages, and a
//! second address to post to.

#[cfg(test)]
mod tests;

use super::era::ProtocolEra;
use super::http::answer::{ResponseKind, kind, use_up};
use super::http::events::{SseEvent, SseParser, read};
use super::http::refusal::{HttpRefusal, refusal};
use super::http::remote::HttpRemote;
use super::http::session::HttpSession;
use super::http::tasks::RequestTasks;
use super::wire::{Outgoing, Wire, WireObserver};
use super::{ClientError, ConnectContext, HttpEndpoint};
use reqwest::header::HeaderMap;
use reqwest::{Response, Url};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use tokio::time::timeout_at;
use toolscout_core::BoxFuture;

/// The longest address to post to, in bytes.
const ADDRESS: usize = 8 << 10;

/// Opens the event stream and waits for the address to post to. Cancel-safe.
pub(crate) async fn open(
    endpoint: &HttpEndpoint,
    dial: &ConnectContext,
    observer: Arc<dyn WireObserver>,
    deadline: Instant,
) -> Result<Arc<dyn Wire>, ClientError> {
    let limit = deadline.saturating_duration_since(Instant::now());
    let remote = Arc::new(HttpRemote::of(endpoint, dial, deadline).await?);
    let what = format!("opening the event stream of `{}`", remote.name());
    let opened = timeout_at(deadline.into(), SseWire::open(remote, dial, observer)).await;
    Ok(Arc::new(opened.map_err(|_| ClientError::TimedOut { what, limit })??))
}

struct SseWire {
    remote: Arc<HttpRemote>,
    /// The address to post to.
    target: Url,
    session: HttpSession,
    observer: Arc<dyn WireObserver>,
    tasks: RequestTasks,
}

impl SseWire {
    async fn open(
        remote: Arc<HttpRemote>,
        dial: &ConnectContext,
        observer: Arc<dyn WireObserver>,
    ) -> Result<Self, ClientError> {
        let response = remote.ask(remote.listen(HeaderMap::new())).await?;
        let response = accepted(response, remote.name()).await?;
        if kind(&response, remote.name())? != ResponseKind::Events {
            let reason =
                format!("`{}` answered with JSON instead of an event stream", remote.name());
            return Err(ClientError::protocol(reason));
        }
        let (found, target) = oneshot::channel();
        let tasks = RequestTasks::new(&dial.limits);
        tasks.spawn(None, hear(remote.clone(), response, observer.clone(), found))?;
        let target = target.await.unwrap_or_else(|_| Err(ended(remote.name())))?;
        Ok(Self { remote, target, session: HttpSession::default(), observer, tasks })
    }

    async fn post(&self, message: Outgoing) -> Result<(), ClientError> {
        let headers = self.session.legacy_headers()?;
        let place = self.tasks.place(message.id.is_some(), message.deadline).await?;
        let (id, observer) = (message.id, self.observer.clone());
        let posted = deliver(self.remote.clone(), self.target.clone(), headers, message);
        let Some(id) = id else { return posted.await };
        self.tasks.spawn(Some(id), async move {
            let outcome = posted.await;
            drop(place);
            if let Err(err) = outcome {
                observer.failed(id, err);
            }
        })
    }
}

impl Wire for SseWire {
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(self.post(message))
    }

    fn forget(&self, id: u64) {
        self.tasks.end(id);
    }

    fn agreed(&self, era: &ProtocolEra) {
        self.session.agree(era);
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.tasks.end_all().await;
        })
    }
}

/// Passes all messages of the stream to the observer, once the address to post to is known.
async fn hear(
    remote: Arc<HttpRemote>,
    mut response: Response,
    observer: Arc<dyn WireObserver>,
    found: oneshot::Sender<Result<Url, ClientError>>,
) {
    let name = remote.name();
    let mut events = SseParser::new(remote.limits().message);
    let mut found = Some(found);
    let over = read(&mut response, &mut events, name, |event| match (event.name, found.take()) {
        ("endpoint", Some(found)) => tell_target(found, target(remote.url(), &event, name)),
        ("message", None) if !event.data.is_empty() => {
            observer.message(event.data);
            ControlFlow::Continue(())
        }
        (_, waiting) => {
            found = waiting;
            ControlFlow::Continue(())
        }
    });
    let error = match over.await {
        // The opener receives the error.
        Ok(ControlFlow::Break(())) => return,
        Ok(ControlFlow::Continue(())) => ended(name),
        Err(err) => err,
    };
    match found {
        Some(found) => drop(found.send(Err(error))),
        None => observer.lost(error),
    }
}

fn tell_target(
    found: oneshot::Sender<Result<Url, ClientError>>,
    target: Result<Url, ClientError>,
) -> ControlFlow<()> {
    let goes_on = if target.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    // The opener may have been dropped, which ends this task.
    let _ = found.send(target);
    goes_on
}

/// The address to post to. It must have the origin of the stream, because secrets are sent to it.
fn target(base: &Url, event: &SseEvent<'_>, name: &str) -> Result<Url, ClientError> {
    let protocol = |reason| ClientError::protocol(reason);
    let text = std::str::from_utf8(event.data).ok().filter(|it| it.len() <= ADDRESS);
    let url = text.and_then(|it| base.join(it.trim()).ok());
    let mut url =
        url.ok_or_else(|| protocol(format!("`{name}` wants messages sent to what is no address")))?;
    if url.origin() != base.origin() {
        let origin = url.origin().ascii_serialization();
        return Err(protocol(format!(
            "`{name}` wants messages sent to another place, `{origin}`, which is not allowed"
        )));
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user {
        return Err(protocol(format!(
            "`{name}` wants messages sent under a name of its own, which is not allowed"
        )));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Posts one message; the response comes on the stream.
async fn deliver(
    remote: Arc<HttpRemote>,
    target: Url,
    headers: HeaderMap,
    message: Outgoing,
) -> Result<(), ClientError> {
    let limit = message.deadline.saturating_duration_since(Instant::now());
    let deadline = message.deadline;
    let what =
        format!("`{}` at `{}`", message.method.as_deref().unwrap_or("an answer"), remote.name());
    let posted = async {
        let response = remote.ask(remote.post(&target, headers, message)).await?;
        use_up(accepted(response, remote.name()).await?).await;
        Ok(())
    };
    timeout_at(deadline.into(), posted).await.unwrap_or(Err(ClientError::TimedOut { what, limit }))
}

async fn accepted(response: Response, name: &str) -> Result<Response, ClientError> {
    if response.status().is_success() {
        return Ok(response);
    }
    match refusal(response, name, None).await {
        HttpRefusal::Error(err) => Err(err),
        // A reply needs a request id, and none was given to `refusal`.
        HttpRefusal::Reply(_) => Err(ended(name)),
    }
}

fn ended(name: &str) -> ClientError {
    ClientError::lost(format!("`{name}` ended its event stream"))
}

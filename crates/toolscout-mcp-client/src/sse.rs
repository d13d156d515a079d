//! The transport of 2024-11-05, HTTP with SSE: one event stream for all incoming messages, and a
//! second address to post to.

#[cfg(test)]
mod tests;

use super::era::ProtocolEra;
use super::http::events::{SseEvent, SseParser, read};
use super::http::refusal::{HttpRefusal, classify_refusal};
use super::http::remote::HttpRemote;
use super::http::response::{ResponseKind, drain, kind};
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
const MAX_ENDPOINT: usize = 8 << 10;

/// Opens the event stream and waits for the address to post to. Cancel-safe.
pub(crate) async fn open(
    endpoint: &HttpEndpoint,
    context: &ConnectContext,
    observer: Arc<dyn WireObserver>,
    deadline: Instant,
) -> Result<Arc<dyn Wire>, ClientError> {
    let limit = deadline.saturating_duration_since(Instant::now());
    let remote = Arc::new(HttpRemote::from_endpoint(endpoint, context, deadline).await?);
    let what = format!("opening the event stream of `{}`", remote.name());
    let opened = timeout_at(deadline.into(), SseWire::open(remote, context, observer)).await;
    Ok(Arc::new(opened.map_err(|_| ClientError::TimedOut { what, limit })??))
}

struct SseWire {
    remote: Arc<HttpRemote>,
    /// The address to post to.
    post_url: Url,
    session: HttpSession,
    observer: Arc<dyn WireObserver>,
    tasks: RequestTasks,
}

impl SseWire {
    async fn open(
        remote: Arc<HttpRemote>,
        context: &ConnectContext,
        observer: Arc<dyn WireObserver>,
    ) -> Result<Self, ClientError> {
        let response = remote.send(remote.listen(HeaderMap::new())).await?;
        let response = accepted(response, remote.name()).await?;
        if kind(&response, remote.name())? != ResponseKind::Events {
            let reason =
                format!("`{}` answered with JSON instead of an event stream", remote.name());
            return Err(ClientError::protocol(reason));
        }
        let (url_sender, post_url) = oneshot::channel();
        let tasks = RequestTasks::new(&context.limits);
        tasks.spawn(None, read_events(remote.clone(), response, observer.clone(), url_sender))?;
        let post_url = post_url.await.unwrap_or_else(|_| Err(stream_ended(remote.name())))?;
        Ok(Self { remote, post_url, session: HttpSession::default(), observer, tasks })
    }

    async fn post(&self, message: Outgoing) -> Result<(), ClientError> {
        let headers = self.session.legacy_headers()?;
        let permit = self.tasks.acquire(message.id.is_some(), message.deadline).await?;
        let (id, observer) = (message.id, self.observer.clone());
        let delivery = deliver(self.remote.clone(), self.post_url.clone(), headers, message);
        let Some(id) = id else { return delivery.await };
        self.tasks.spawn(Some(id), async move {
            let outcome = delivery.await;
            drop(permit);
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
        self.tasks.abort(id);
    }

    fn set_era(&self, era: &ProtocolEra) {
        self.session.set_era(era);
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.tasks.shutdown().await;
        })
    }
}

/// Passes all messages of the stream to the observer, once the address to post to is known.
async fn read_events(
    remote: Arc<HttpRemote>,
    mut response: Response,
    observer: Arc<dyn WireObserver>,
    url_sender: oneshot::Sender<Result<Url, ClientError>>,
) {
    let name = remote.name();
    let mut events = SseParser::new(remote.limits().message);
    let mut url_sender = Some(url_sender);
    let reading =
        read(&mut response, &mut events, name, |event| match (event.name, url_sender.take()) {
            ("endpoint", Some(url_sender)) => {
                send_post_url(url_sender, post_url(remote.url(), &event, name))
            }
            ("message", None) if !event.data.is_empty() => {
                observer.message(event.data);
                ControlFlow::Continue(())
            }
            (_, unused_sender) => {
                url_sender = unused_sender;
                ControlFlow::Continue(())
            }
        });
    let error = match reading.await {
        // The opener receives the error.
        Ok(ControlFlow::Break(())) => return,
        Ok(ControlFlow::Continue(())) => stream_ended(name),
        Err(err) => err,
    };
    match url_sender {
        Some(url_sender) => drop(url_sender.send(Err(error))),
        None => observer.lost(error),
    }
}

fn send_post_url(
    url_sender: oneshot::Sender<Result<Url, ClientError>>,
    post_url: Result<Url, ClientError>,
) -> ControlFlow<()> {
    let flow = if post_url.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    // The opener may have been dropped, which ends this task.
    let _ = url_sender.send(post_url);
    flow
}

/// The address to post to. It must have the origin of the stream, because secrets are sent to it.
fn post_url(base: &Url, event: &SseEvent<'_>, name: &str) -> Result<Url, ClientError> {
    let protocol = |reason| ClientError::protocol(reason);
    let text = std::str::from_utf8(event.data).ok().filter(|text| text.len() <= MAX_ENDPOINT);
    let url = text.and_then(|value| base.join(value.trim()).ok());
    let mut url = url.ok_or_else(|| {
        protocol(format!("`{name}` sent a message endpoint that is not a valid URL"))
    })?;
    if url.origin() != base.origin() {
        let origin = url.origin().ascii_serialization();
        return Err(protocol(format!(
            "`{name}` sent a message endpoint on another origin, `{origin}`, which is not allowed"
        )));
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user {
        return Err(protocol(format!(
            "`{name}` sent a message endpoint with a user name or password, which is not allowed"
        )));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Posts one message; the response comes on the stream.
async fn deliver(
    remote: Arc<HttpRemote>,
    post_url: Url,
    headers: HeaderMap,
    message: Outgoing,
) -> Result<(), ClientError> {
    let limit = message.deadline.saturating_duration_since(Instant::now());
    let deadline = message.deadline;
    let what =
        format!("`{}` at `{}`", message.method.as_deref().unwrap_or("a response"), remote.name());
    let delivery = async {
        let response = remote.send(remote.post(&post_url, headers, message)).await?;
        drain(accepted(response, remote.name()).await?).await;
        Ok(())
    };
    timeout_at(deadline.into(), delivery)
        .await
        .unwrap_or(Err(ClientError::TimedOut { what, limit }))
}

async fn accepted(response: Response, name: &str) -> Result<Response, ClientError> {
    if response.status().is_success() {
        return Ok(response);
    }
    match classify_refusal(response, name, None).await {
        HttpRefusal::Error(err) => Err(err),
        // A reply needs a request id, and none was given to `classify_refusal`.
        HttpRefusal::Reply(_) => Err(stream_ended(name)),
    }
}

fn stream_ended(name: &str) -> ClientError {
    ClientError::lost(format!("`{name}` ended its event stream"))
}

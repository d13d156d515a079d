//! Sends one message to the server and reads the response.

use super::super::ClientError;
use super::super::wire::Outgoing;
use super::HttpConnection;
use super::events::{SseEvent, SseParser, read};
use super::headers::{LAST_EVENT, SESSION, plain};
use super::refusal::{HttpRefusal, classify_refusal};
use super::response::{ResponseKind, body, drain, is_reply_to, kind};
use super::tasks::TaskPermit;
use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout_at};

/// The delay before resuming a stream if the server names none.
const DEFAULT_RETRY: Duration = Duration::from_secs(1);
/// The shortest delay, even if the server names a shorter one.
const SHORTEST_RETRY: Duration = Duration::from_millis(100);

impl HttpConnection {
    /// Posts a request; the observer receives the outcome.
    pub(super) async fn request(
        &self,
        id: u64,
        message: Outgoing,
        headers: HeaderMap,
        permit: TaskPermit,
    ) {
        let timed_out = self.timed_out(&message);
        let outcome = timeout_at(
            (message.deadline + message.extra_time).into(),
            self.exchange(id, message, headers),
        )
        .await;
        drop(permit);
        match outcome {
            Ok(Ok(Some(unread))) => drain(unread).await,
            Ok(Ok(None)) => {}
            Ok(Err(err)) => self.observer.failed(id, err),
            Err(_) => self.observer.failed(id, timed_out),
        }
    }

    /// Posts a message that has no response: a notification or a reply.
    pub(super) async fn post_without_response(
        &self,
        message: Outgoing,
        headers: HeaderMap,
    ) -> Result<(), ClientError> {
        let timed_out = self.timed_out(&message);
        let deadline = message.deadline;
        let exchange = async {
            let in_session = headers.contains_key(SESSION);
            let request = self.remote.post(self.remote.url(), headers, message);
            let response = self.remote.send(request).await?;
            if !response.status().is_success() {
                return self.refused(response, None, in_session).await;
            }
            drain(response).await;
            Ok(())
        };
        timeout_at(deadline.into(), exchange).await.unwrap_or(Err(timed_out))
    }

    /// Requests the end of the session; the server may refuse.
    pub(super) async fn end_session(&self) -> Result<(), ClientError> {
        let headers = self.session.legacy_headers()?;
        self.remote.send(self.remote.delete(headers)).await.map(drop)
    }

    /// Reports to the observer that the server ended the session, which fails all pending requests.
    pub(super) fn session_lost(&self) -> ClientError {
        let what = format!("`{}` has ended the session", self.remote.name());
        let error = ClientError::lost(what);
        self.observer.lost(error.clone());
        error
    }

    /// Passes all messages of the response to the observer, the reply last; returns the unread
    /// rest.
    async fn exchange(
        &self,
        id: u64,
        message: Outgoing,
        headers: HeaderMap,
    ) -> Result<Option<Response>, ClientError> {
        let name = self.remote.name();
        let is_initialize = message.method.as_deref() == Some("initialize");
        let in_session = headers.contains_key(SESSION);
        let request = self.remote.post(self.remote.url(), headers, message);
        let response = self.remote.send(request).await?;
        if !response.status().is_success() {
            return self.refused(response, Some(id), in_session).await.map(|()| None);
        }
        if is_initialize {
            self.session.start_session(response.headers())?;
        }
        match kind(&response, name)? {
            ResponseKind::Json => {
                let bytes = body(response, name, self.remote.limits().message).await?;
                self.observer.message_for(id, &bytes);
                let reason = format!("`{name}` answered with something other than the response");
                if is_reply_to(&bytes, id) { Ok(None) } else { Err(ClientError::protocol(reason)) }
            }
            ResponseKind::Events => self.read_until_reply(id, response).await.map(Some),
        }
    }

    async fn refused(
        &self,
        response: Response,
        id: Option<u64>,
        in_session: bool,
    ) -> Result<(), ClientError> {
        if response.status() == StatusCode::NOT_FOUND && in_session {
            return Err(self.session_lost());
        }
        match classify_refusal(response, self.remote.name(), id).await {
            HttpRefusal::Reply(bytes) => {
                self.observer.message(&bytes);
                Ok(())
            }
            HttpRefusal::Error(err) => Err(err),
        }
    }

    /// Reads the events of a response up to the reply.
    async fn read_until_reply(
        &self,
        id: u64,
        mut response: Response,
    ) -> Result<Response, ClientError> {
        let mut events = SseParser::new(self.remote.limits().message);
        loop {
            let outcome = read(&mut response, &mut events, self.remote.name(), |value| {
                self.receive_event(&value, id)
            })
            .await;
            let error = match outcome {
                Ok(ControlFlow::Break(())) => return Ok(response),
                Ok(ControlFlow::Continue(())) => {
                    let what =
                        format!("`{}` ended its stream before the response", self.remote.name());
                    ClientError::lost(what)
                }
                Err(err) => err,
            };
            response = self.resume_stream(id, &events, error).await?;
            events = events.resumed();
        }
    }

    fn receive_event(&self, event: &SseEvent<'_>, id: u64) -> ControlFlow<()> {
        if event.name != "message" || event.data.is_empty() {
            return ControlFlow::Continue(());
        }
        self.observer.message_for(id, event.data);
        if is_reply_to(event.data, id) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Resumes a stream that ended before the reply. A legacy server may close the stream during
    /// long work; an event id means that the rest can be requested.
    async fn resume_stream(
        &self,
        id: u64,
        events: &SseParser,
        error: ClientError,
    ) -> Result<Response, ClientError> {
        let Some(last) = events.last_id().filter(|_| self.session.is_legacy()) else {
            return Err(error);
        };
        if !matches!(error, ClientError::Lost { .. }) {
            return Err(error);
        }
        let retry = events.retry().unwrap_or(DEFAULT_RETRY).max(SHORTEST_RETRY);
        self.observer.stream_closed(id, retry);
        sleep(retry).await;
        let mut headers = self.session.legacy_headers()?;
        headers.insert(LAST_EVENT, plain(last)?);
        let response = self.remote.send(self.remote.listen(headers)).await?;
        let is_stream = response.status().is_success()
            && kind(&response, self.remote.name())? == ResponseKind::Events;
        if is_stream { Ok(response) } else { Err(error) }
    }

    fn timed_out(&self, message: &Outgoing) -> ClientError {
        let method = message.method.as_deref().unwrap_or("a response");
        let limit = message.deadline.saturating_duration_since(Instant::now());
        ClientError::TimedOut { what: format!("`{method}` at `{}`", self.remote.name()), limit }
    }
}

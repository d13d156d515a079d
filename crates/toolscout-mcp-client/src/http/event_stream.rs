//! The event stream of a legacy server for unsolicited messages.

use super::super::ClientError;
use super::HttpConnection;
use super::answer::{ResponseKind, kind};
use super::events::{SseParser, read};
use super::headers::{LAST_EVENT, plain};
use reqwest::{Response, StatusCode};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// After this many consecutive short streams, the server is assumed to have no messages.
const SHORT_STREAMS: u32 = 5;
/// A stream that lasted this long does not count as short.
const LASTING: Duration = Duration::from_secs(10);
/// The shortest and the longest delay before the stream is requested again.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// The reason why a stream ended.
enum StreamEnd {
    /// The stream broke or was closed, which is normal.
    Stream,
    /// The server offers no stream, which the protocol permits, or broke a limit.
    ForGood,
}

impl HttpConnection {
    /// Reads unsolicited messages, for as long as the server has a stream for them.
    pub(super) async fn listen(&self) {
        let mut events = SseParser::new(self.remote.limits().message);
        let mut short_streams = 0;
        while short_streams < SHORT_STREAMS {
            let began = Instant::now();
            match self.hear_stream(&mut events).await {
                StreamEnd::ForGood => break,
                StreamEnd::Stream if began.elapsed() >= LASTING => short_streams = 0,
                StreamEnd::Stream => short_streams += 1,
            }
            let growing = PAUSE.0 * 2_u32.saturating_pow(short_streams.saturating_sub(1));
            sleep(events.retry().unwrap_or(growing).clamp(PAUSE.0, PAUSE.1)).await;
            events = events.taken_up();
        }
        tracing::debug!(server = self.remote.name(), "no stream of its own to listen to");
    }

    async fn hear_stream(&self, events: &mut SseParser) -> StreamEnd {
        let mut response = match self.begin_stream(events).await {
            Ok(Some(response)) => response,
            Ok(None) => return StreamEnd::ForGood,
            Err(_) => return StreamEnd::Stream,
        };
        let name = self.remote.name();
        let over = read(&mut response, events, name, |event| {
            if event.name == "message" && !event.data.is_empty() {
                self.observer.message(event.data);
            }
            ControlFlow::Continue(())
        });
        match over.await {
            // A server that breaks a limit is not used further.
            Err(err @ ClientError::Protocol { .. }) => {
                self.observer.lost(err);
                StreamEnd::ForGood
            }
            _ => StreamEnd::Stream,
        }
    }

    async fn begin_stream(&self, events: &SseParser) -> Result<Option<Response>, ClientError> {
        let mut headers = self.session.legacy_headers()?;
        if let Some(last) = events.last_id() {
            headers.insert(LAST_EVENT, plain(last)?);
        }
        let response = self.remote.ask(self.remote.listen(headers)).await?;
        if response.status() == StatusCode::NOT_FOUND && self.session.has_session() {
            self.session_is_gone();
            return Ok(None);
        }
        let is_stream = response.status().is_success()
            && matches!(kind(&response, self.remote.name()), Ok(ResponseKind::Events));
        Ok(is_stream.then_some(response))
    }
}

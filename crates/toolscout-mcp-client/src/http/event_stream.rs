//! The event stream of a legacy server for unsolicited messages.

use super::super::ClientError;
use super::HttpConnection;
use super::events::{SseParser, read};
use super::headers::{LAST_EVENT, plain};
use super::response::{ResponseKind, kind};
use reqwest::{Response, StatusCode};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// After this many consecutive short streams, the server is assumed to have no messages.
const MAX_SHORT_STREAMS: u32 = 5;
/// A stream that lasted this long does not count as short.
const LONG_STREAM: Duration = Duration::from_secs(10);
/// The shortest and the longest delay before the stream is requested again.
const DELAY_RANGE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

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
        while short_streams < MAX_SHORT_STREAMS {
            let started = Instant::now();
            match self.read_stream(&mut events).await {
                StreamEnd::ForGood => break,
                StreamEnd::Stream if started.elapsed() >= LONG_STREAM => short_streams = 0,
                StreamEnd::Stream => short_streams += 1,
            }
            let backoff = DELAY_RANGE.0 * 2_u32.saturating_pow(short_streams.saturating_sub(1));
            sleep(events.retry().unwrap_or(backoff).clamp(DELAY_RANGE.0, DELAY_RANGE.1)).await;
            events = events.resumed();
        }
        tracing::debug!(server = self.remote.name(), "the server offers no event stream");
    }

    async fn read_stream(&self, events: &mut SseParser) -> StreamEnd {
        let mut response = match self.open_stream(events).await {
            Ok(Some(response)) => response,
            Ok(None) => return StreamEnd::ForGood,
            Err(_) => return StreamEnd::Stream,
        };
        let name = self.remote.name();
        let reading = read(&mut response, events, name, |event| {
            if event.name == "message" && !event.data.is_empty() {
                self.observer.message(event.data);
            }
            ControlFlow::Continue(())
        });
        match reading.await {
            // A server that breaks a limit is not used further.
            Err(err @ ClientError::Protocol { .. }) => {
                self.observer.lost(err);
                StreamEnd::ForGood
            }
            _ => StreamEnd::Stream,
        }
    }

    async fn open_stream(&self, events: &SseParser) -> Result<Option<Response>, ClientError> {
        let mut headers = self.session.legacy_headers()?;
        if let Some(last) = events.last_id() {
            headers.insert(LAST_EVENT, plain(last)?);
        }
        let response = self.remote.send(self.remote.listen(headers)).await?;
        if response.status() == StatusCode::NOT_FOUND && self.session.has_session() {
            self.session_lost();
            return Ok(None);
        }
        let is_stream = response.status().is_success()
            && matches!(kind(&response, self.remote.name()), Ok(ResponseKind::Events));
        Ok(is_stream.then_some(response))
    }
}

//! Unsolicited messages of a server: reverse requests and notifications.

use super::super::super::message;
use super::super::origin::{RequestOrigin, addressee};
use super::super::reverse_requests::{self, ReverseRequestSender};
use super::ResponseRouter;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Instant;
use toolscout_core::cx::Progress;
use toolscout_core::{LibraryEvent, RawJson, RpcError};

/// The number of bytes of a progress message that are relayed.
const PROGRESS_TEXT: usize = 4 << 10;
/// The key that marks the notifications of a standing request.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl ResponseRouter {
    /// Handles a reverse request: a ping, or a request to the caller of a pending call, within the
    /// rate limit. Everything else is refused.
    pub(super) fn handle_request(
        &self,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        within: Option<u64>,
    ) {
        self.counts.lock().requests += 1;
        if self.is_modern.load(Ordering::Relaxed)
            || !self.state.lock().requests.take(Instant::now())
        {
            self.counts.lock().unanswered += 1;
            return;
        }
        let Some(id) = message::reverse_request_id(id) else { return };
        let outcome = match method {
            "ping" => Ok(RawJson::from_value(&json!({}))),
            _ if !self.relays() => Err(reverse_requests::unsupported_method()),
            _ => match self.relay_request(id, method, params, within) {
                // The caller responds later.
                Ok(()) => return,
                Err(refusal) => Err(refusal),
            },
        };
        self.post(reverse_requests::response(id, &outcome));
    }

    fn relay_request(
        &self,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        within: Option<u64>,
    ) -> Result<(), RpcError> {
        let sender = self.addressee(within)?;
        sender.send(id, method, self.redact_params(params))
    }

    /// The parameters of a message to a caller, with secrets removed.
    fn redact_params(&self, params: Option<&RawValue>) -> RawJson {
        let text = params.map_or("{}", RawValue::get);
        let empty = || RawJson::from_value(&json!({}));
        RawJson::parse(&self.redact(text.to_owned())).unwrap_or_else(|_| empty())
    }

    pub(super) fn handle_notification(
        &self,
        method: &str,
        params: Option<&RawValue>,
        within: Option<u64>,
    ) {
        // These are exempt from the rate limit, because the important one may be the last of a
        // flood.
        match method {
            "notifications/tools/list_changed" => return self.changed(),
            "notifications/resources/list_changed" => {
                return self.library.send_modify(|library| library.resources += 1);
            }
            "notifications/prompts/list_changed" => {
                return self.library.send_modify(|library| library.prompts += 1);
            }
            _ => {}
        }
        if !self.state.lock().notifications.take(Instant::now()) {
            self.counts.lock().dropped += 1;
            return;
        }
        match (method, params) {
            ("notifications/progress", Some(params)) => self.handle_progress(params),
            ("notifications/subscriptions/acknowledged", Some(params)) => {
                self.handle_acknowledgement(params)
            }
            ("notifications/cancelled", Some(params)) => self.handle_cancellation(params),
            ("notifications/message", Some(params)) => self.handle_log_message(params, within),
            ("notifications/elicitation/complete", Some(params)) => {
                if let Ok(sender) = self.addressee(within) {
                    sender.counterpart.notify(method, self.redact_params(Some(params)));
                }
            }
            ("notifications/resources/updated", Some(params)) => {
                self.emit(LibraryEvent::ResourceUpdated(self.redact_params(Some(params))));
            }
            _ => {}
        }
    }

    /// Log messages of a call go to its caller only; all others go to every subscriber.
    fn handle_log_message(&self, params: &RawValue, within: Option<u64>) {
        match self.addressee(within) {
            Ok(sender) => {
                sender.counterpart.notify("notifications/message", self.redact_params(Some(params)))
            }
            // The message belongs to a caller that cannot receive it.
            Err(_) if within.is_some() => {}
            Err(_) => self.emit(LibraryEvent::Logged(self.redact_params(Some(params)))),
        }
    }

    fn emit(&self, event: LibraryEvent) {
        if let Some(subscribers) = self.library_events.get() {
            // Fails if there are no subscribers.
            let _ = subscribers.send(event);
        }
    }

    fn handle_progress(&self, params: &RawValue) {
        let Ok(update) = serde_json::from_str::<Progressed>(params.get()) else { return };
        let callback = {
            let mut state = self.state.lock();
            let Some(waiting) = state.waiting.get_mut(&update.token) else { return };
            if update.progress <= waiting.done {
                return;
            }
            waiting.done = update.progress;
            waiting.progress.clone()
        };
        if let Some(callback) = callback {
            let message = update.message.map(|message| message::clip(message, PROGRESS_TEXT));
            callback(Progress { done: update.progress, total: update.total, message });
        }
    }

    fn handle_acknowledgement(&self, params: &RawValue) {
        let id = serde_json::from_str::<Value>(params.get())
            .ok()
            .and_then(|value| value["_meta"][SUBSCRIPTION].as_u64());
        let mut state = self.state.lock();
        let waiting = id.and_then(|id| state.waiting.get_mut(&id));
        if let Some(acknowledged) = waiting.and_then(|waiting| waiting.acknowledged.take()) {
            let _ = acknowledged.send(());
        }
    }

    /// Handles a cancellation by the server, of a standing request or of a reverse request. The
    /// server cannot cancel an ordinary request: it must answer it.
    fn handle_cancellation(&self, params: &RawValue) {
        let Ok(Cancelled { id }) = serde_json::from_str::<Cancelled<'_>>(params.get()) else {
            return;
        };
        let mut state = self.state.lock();
        let standing = id
            .get()
            .parse()
            .ok()
            .filter(|id| state.waiting.get(id).is_some_and(|waiting| waiting.is_standing));
        if let Some(id) = standing {
            state.waiting.remove(&id);
        }
        // Each sender ignores ids that are not its own.
        let senders = state.waiting.values().filter_map(|value| {
            if let RequestOrigin::Caller(sender) = &value.origin { Some(sender) } else { None }
        });
        senders.for_each(|sender| sender.cancel(id));
    }

    fn addressee(&self, within: Option<u64>) -> Result<ReverseRequestSender, RpcError> {
        let state = &mut *self.state.lock();
        let within = within.map(|id| state.waiting.get(&id).map(|waiting| &waiting.origin));
        addressee(within, state.waiting.values().map(|value| &value.origin), &mut state.abandoned)
    }
}

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(rename = "requestId", borrow)]
    id: &'a RawValue,
}

#[derive(Deserialize)]
struct Progressed {
    #[serde(rename = "progressToken")]
    token: u64,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

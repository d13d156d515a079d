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
    pub(super) fn requested(
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
        let Some(id) = message::foreign_id(id) else { return };
        let outcome = match method {
            "ping" => Ok(RawJson::from_value(&json!({}))),
            _ if !self.relays() => Err(reverse_requests::unknown()),
            _ => match self.put(id, method, params, within) {
                // The caller responds later.
                Ok(()) => return,
                Err(declined) => Err(declined),
            },
        };
        self.post(reverse_requests::answer(id, &outcome));
    }

    fn put(
        &self,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        within: Option<u64>,
    ) -> Result<(), RpcError> {
        let sender = self.addressee(within)?;
        sender.put(id, method, self.fit_to_pass_on(params))
    }

    /// The parameters of a message to a caller, with secrets removed.
    fn fit_to_pass_on(&self, params: Option<&RawValue>) -> RawJson {
        let text = params.map_or("{}", RawValue::get);
        let empty = || RawJson::from_value(&json!({}));
        RawJson::parse(&self.without_secrets(text.to_owned())).unwrap_or_else(|_| empty())
    }

    pub(super) fn notified(&self, method: &str, params: Option<&RawValue>, within: Option<u64>) {
        // These are exempt from the rate limit, because the important one may be the last of a
        // flood.
        match method {
            "notifications/tools/list_changed" => return self.changed(),
            "notifications/resources/list_changed" => {
                return self.library.send_modify(|it| it.resources += 1);
            }
            "notifications/prompts/list_changed" => {
                return self.library.send_modify(|it| it.prompts += 1);
            }
            _ => {}
        }
        if !self.state.lock().notifications.take(Instant::now()) {
            self.counts.lock().dropped += 1;
            return;
        }
        match (method, params) {
            ("notifications/progress", Some(params)) => self.progressed(params),
            ("notifications/subscriptions/acknowledged", Some(params)) => self.acknowledged(params),
            ("notifications/cancelled", Some(params)) => self.cancelled(params),
            ("notifications/message", Some(params)) => self.logged(params, within),
            ("notifications/elicitation/complete", Some(params)) => {
                if let Ok(sender) = self.addressee(within) {
                    sender.counterpart.tell(method, self.fit_to_pass_on(Some(params)));
                }
            }
            ("notifications/resources/updated", Some(params)) => {
                self.tell(LibraryEvent::ResourceUpdated(self.fit_to_pass_on(Some(params))));
            }
            _ => {}
        }
    }

    /// Log messages of a call go to its caller only; all others go to every subscriber.
    fn logged(&self, params: &RawValue, within: Option<u64>) {
        match self.addressee(within) {
            Ok(sender) => {
                sender.counterpart.tell("notifications/message", self.fit_to_pass_on(Some(params)))
            }
            // The message belongs to a caller that cannot receive it.
            Err(_) if within.is_some() => {}
            Err(_) => self.tell(LibraryEvent::Logged(self.fit_to_pass_on(Some(params)))),
        }
    }

    fn tell(&self, news: LibraryEvent) {
        if let Some(listeners) = self.news.get() {
            // Fails if there are no subscribers.
            let _ = listeners.send(news);
        }
    }

    fn progressed(&self, params: &RawValue) {
        let Ok(said) = serde_json::from_str::<Progressed>(params.get()) else { return };
        let to = {
            let mut state = self.state.lock();
            let Some(waiting) = state.waiting.get_mut(&said.token) else { return };
            if said.progress <= waiting.done {
                return;
            }
            waiting.done = said.progress;
            waiting.progress.clone()
        };
        if let Some(to) = to {
            let message = said.message.map(|it| message::clip(it, PROGRESS_TEXT));
            to(Progress { done: said.progress, total: said.total, message });
        }
    }

    fn acknowledged(&self, params: &RawValue) {
        let id = serde_json::from_str::<Value>(params.get())
            .ok()
            .and_then(|it| it["_meta"][SUBSCRIPTION].as_u64());
        let mut state = self.state.lock();
        let waiting = id.and_then(|it| state.waiting.get_mut(&it));
        if let Some(agreed) = waiting.and_then(|it| it.acknowledged.take()) {
            let _ = agreed.send(());
        }
    }

    /// Handles a cancellation by the server, of a standing request or of a reverse request. The
    /// server cannot cancel an ordinary request: it must answer it.
    fn cancelled(&self, params: &RawValue) {
        let Ok(Cancelled { id }) = serde_json::from_str::<Cancelled<'_>>(params.get()) else {
            return;
        };
        let mut state = self.state.lock();
        let standing =
            id.get().parse().ok().filter(|it| state.waiting.get(it).is_some_and(|it| it.stands));
        if let Some(id) = standing {
            state.waiting.remove(&id);
        }
        // Each sender ignores ids that are not its own.
        let senders = state.waiting.values().filter_map(|it| {
            if let RequestOrigin::Caller(sender) = &it.origin { Some(sender) } else { None }
        });
        senders.for_each(|it| it.withdraw(id));
    }

    fn addressee(&self, within: Option<u64>) -> Result<ReverseRequestSender, RpcError> {
        let state = &mut *self.state.lock();
        let within = within.map(|id| state.waiting.get(&id).map(|it| &it.origin));
        addressee(within, state.waiting.values().map(|it| &it.origin), &mut state.abandoned)
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

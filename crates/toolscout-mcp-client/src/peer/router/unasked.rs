//! What a server says without being asked: what it wants to know, and news.

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

/// Bytes of a progress message that are passed on.
const PROGRESS_TEXT: usize = 4 << 10;
/// What marks the notifications of a standing request.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl ResponseRouter {
    /// A server may ask for life signs, and ask something of the caller for whom it works, as often as the limits say. All
    /// else is refused.
    pub(super) fn requested(&self, id: &RawValue, method: &str, params: Option<&RawValue>, within: Option<u64>) {
        self.counts.lock().requests += 1;
        if self.is_modern.load(Ordering::Relaxed) || !self.state.lock().requests.take(Instant::now()) {
            self.counts.lock().unanswered += 1;
            return;
        }
        let Some(id) = message::foreign_id(id) else { return };
        let outcome = match method {
            "ping" => Ok(RawJson::from_value(&json!({}))),
            _ if !self.relays() => Err(reverse_requests::unknown()),
            _ => match self.put(id, method, params, within) {
                // The caller answers, in their own time.
                Ok(()) => return,
                Err(declined) => Err(declined),
            },
        };
        self.post(reverse_requests::answer(id, &outcome));
    }

    fn put(&self, id: &RawValue, method: &str, params: Option<&RawValue>, within: Option<u64>) -> Result<(), RpcError> {
        let sender = self.addressee(within)?;
        sender.put(id, method, self.fit_to_pass_on(params))
    }

    /// What the server says to somebody, without its secrets.
    fn fit_to_pass_on(&self, params: Option<&RawValue>) -> RawJson {
        let text = params.map_or("{}", RawValue::get);
        let empty = || RawJson::from_value(&json!({}));
        RawJson::parse(&self.without_secrets(text.to_owned())).unwrap_or_else(|_| empty())
    }

    pub(super) fn notified(&self, method: &str, params: Option<&RawValue>, within: Option<u64>) {
        // Counted whatever else comes: the one that matters may be the last of a flood.
        match method {
            "notifications/tools/list_changed" => return self.changed(),
            "notifications/resources/list_changed" => return self.library.send_modify(|it| it.resources += 1),
            "notifications/prompts/list_changed" => return self.library.send_modify(|it| it.prompts += 1),
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

    /// What belongs to a call is for its caller and nobody else; the rest is for whoever listens.
    fn logged(&self, params: &RawValue, within: Option<u64>) {
        match self.addressee(within) {
            Ok(sender) => sender.counterpart.tell("notifications/message", self.fit_to_pass_on(Some(params))),
            // It came for the sake of one who cannot hear it.
            Err(_) if within.is_some() => {}
            Err(_) => self.tell(LibraryEvent::Logged(self.fit_to_pass_on(Some(params)))),
        }
    }

    fn tell(&self, news: LibraryEvent) {
        if let Some(listeners) = self.news.get() {
            // Nobody may be listening.
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
        let id = serde_json::from_str::<Value>(params.get()).ok().and_then(|it| it["_meta"][SUBSCRIPTION].as_u64());
        let mut state = self.state.lock();
        let waiting = id.and_then(|it| state.waiting.get_mut(&it));
        if let Some(agreed) = waiting.and_then(|it| it.acknowledged.take()) {
            let _ = agreed.send(());
        }
    }

    /// The server ends something that stands, or no longer wants to know what it asked. It may not end what somebody waits
    /// for: that has an answer.
    fn cancelled(&self, params: &RawValue) {
        let Ok(Cancelled { id }) = serde_json::from_str::<Cancelled<'_>>(params.get()) else { return };
        let mut state = self.state.lock();
        let standing = id.get().parse().ok().filter(|it| state.waiting.get(it).is_some_and(|it| it.stands));
        if let Some(id) = standing {
            state.waiting.remove(&id);
        }
        // Whose question it was, they know themselves.
        let senders = state
            .waiting
            .values()
            .filter_map(|it| if let RequestOrigin::Caller(sender) = &it.origin { Some(sender) } else { None });
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

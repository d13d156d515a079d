//! The state of a server between messages.

use super::request::ResponseSink;
use crate::counter::Counter;
use parking_lot::{Condvar, Mutex};
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The state of a mode between acts; each mode uses the fields it needs.
#[derive(Default)]
pub(crate) struct ModeState {
    pub(crate) turn: Counter,
    pub(crate) flag: AtomicBool,
    pub(crate) note: Mutex<Option<String>>,
    pub(crate) ballast: Mutex<Vec<u8>>,
}

/// The state of a reference server: how often each of its lists was changed.
#[derive(Default)]
pub(crate) struct Reference {
    pub(crate) tools: Counter,
    pub(crate) prompts: Counter,
}

/// A client that subscribed to changes, in the modern era.
pub(crate) struct ChangeListener {
    pub(crate) id: Value,
    pub(crate) wanted: Value,
    pub(crate) out: ResponseSink,
}

/// The state of a rich server.
#[derive(Default)]
pub(crate) struct Rich {
    pub(crate) questions: Counter,
    /// How often it has grown.
    pub(crate) sizes: Counter,
    pub(crate) answers: Mutex<Vec<Value>>,
    pub(crate) arrival: Condvar,
    pub(crate) listeners: Mutex<Vec<ChangeListener>>,
    /// The capabilities that a client of the legacy era declared.
    pub(crate) capabilities: Mutex<Value>,
}

impl Rich {
    /// Stores a response to one of our requests.
    pub(crate) fn take_answer(&self, message: &Value) {
        self.answers.lock().push(message.clone());
        self.arrival.notify_all();
    }

    /// Waits for the response to this request.
    pub(crate) fn answer(&self, id: &Value, time: Duration) -> Option<Value> {
        let is_it = |value: &Value| value["id"] == *id;
        let mut answers = self.answers.lock();
        self.arrival.wait_while_for(&mut answers, |all| !all.iter().any(is_it), time);
        answers.iter().find(|answer| is_it(answer)).cloned()
    }
}

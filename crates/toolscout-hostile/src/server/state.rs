//! What a server remembers from one message to the next.

use super::request::ResponseSink;
use crate::counter::Counter;
use parking_lot::{Condvar, Mutex};
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a mode keeps from one act to the next; each uses what it needs.
#[derive(Default)]
pub(crate) struct ModeState {
    pub(crate) turn: Counter,
    pub(crate) flag: AtomicBool,
    pub(crate) note: Mutex<Option<String>>,
    pub(crate) ballast: Mutex<Vec<u8>>,
}

/// What a reference server remembers: how often its lists were made to change.
#[derive(Default)]
pub(crate) struct Reference {
    pub(crate) tools: Counter,
    pub(crate) prompts: Counter,
}

/// A client that wants to hear of changes, in the modern era.
pub(crate) struct ChangeListener {
    pub(crate) id: Value,
    pub(crate) wanted: Value,
    pub(crate) out: ResponseSink,
}

/// What a rich server remembers.
#[derive(Default)]
pub(crate) struct Rich {
    pub(crate) questions: Counter,
    /// How often it has grown.
    pub(crate) sizes: Counter,
    pub(crate) answers: Mutex<Vec<Value>>,
    pub(crate) arrival: Condvar,
    pub(crate) listeners: Mutex<Vec<ChangeListener>>,
    /// What a client of the legacy era said it can do.
    pub(crate) capabilities: Mutex<Value>,
}

impl Rich {
    /// An answer to something that we asked.
    pub(crate) fn take_answer(&self, message: &Value) {
        self.answers.lock().push(message.clone());
        self.arrival.notify_all();
    }

    /// Waits for the answer to this question.
    pub(crate) fn answer(&self, id: &Value, time: Duration) -> Option<Value> {
        let is_it = |it: &Value| it["id"] == *id;
        let mut answers = self.answers.lock();
        self.arrival.wait_while_for(&mut answers, |all| !all.iter().any(is_it), time);
        answers.iter().find(|it| is_it(it)).cloned()
    }
}

//! Calls that wait for a program which holds a stream of calls open.

use crate::random;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use toolscout_core::ToolOutput;

/// The number of messages that may wait for a program that reads slowly.
const MAX_QUEUED: usize = 256;

/// A message to a program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ProgramMessage {
    /// The stream is open, and the tools are in the catalog.
    Ready {
        /// The id of the source.
        id: String,
    },
    /// A call: run the tool, and post the result.
    Call(ProgramCall),
    /// The caller no longer wants the result of a call.
    Cancel {
        /// The id of the call.
        id: String,
    },
}

/// A call for a program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProgramCall {
    /// The id of the call, for the result.
    pub(crate) id: String,
    /// The name of the tool.
    pub(crate) tool: String,
    /// The arguments.
    pub(crate) arguments: Map<String, Value>,
    /// The source, the tool, the kind of caller, the project and, if known, the user.
    pub(crate) context: Value,
    /// The time in milliseconds after which the result is no longer wanted.
    pub(crate) timeout_ms: u64,
}

/// The calls of one connection.
#[derive(Clone)]
pub(crate) struct CallQueue {
    messages: mpsc::Sender<ProgramMessage>,
    waiting: Arc<Mutex<HashMap<String, oneshot::Sender<ToolOutput>>>>,
}

impl CallQueue {
    /// A queue, and the messages for the program.
    pub(crate) fn new() -> (Self, mpsc::Receiver<ProgramMessage>) {
        let (messages, receiver) = mpsc::channel(MAX_QUEUED);
        (Self { messages, waiting: Arc::default() }, receiver)
    }

    /// Sends a call, and waits for its result. Dropping the future cancels the call. The error is
    /// a message for the user.
    pub(super) async fn call(&self, mut call: ProgramCall) -> Result<ToolOutput, String> {
        call.id = random::hex::<16>().map_err(|error| error.to_string())?;
        let (sender, result) = oneshot::channel();
        self.waiting.lock().insert(call.id.clone(), sender);
        let _guard = WaitingCall { queue: self, id: call.id.clone() };
        self.messages.try_send(ProgramMessage::Call(call)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => "the program has too many calls to read",
            mpsc::error::TrySendError::Closed(_) => "the program is no longer connected",
        })?;
        let ended = self.messages.closed();
        tokio::select! {
            biased;
            result = result => result.map_err(|_| "the call was dropped".to_owned()),
            () = ended => Err("the program disconnected before it sent a result".to_owned()),
        }
    }

    /// Passes the result of a call on; false if no caller waits for it.
    pub(super) fn answer(&self, call: &str, output: ToolOutput) -> bool {
        let waiting = self.waiting.lock().remove(call);
        waiting.is_some_and(|sender| sender.send(output).is_ok())
    }
}

/// Cancels a call that is dropped before its result arrives.
struct WaitingCall<'a> {
    queue: &'a CallQueue,
    id: String,
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        if self.queue.waiting.lock().remove(&self.id).is_some() {
            // If the queue is full or closed, the program does not learn it.
            let _ = self.queue.messages.try_send(ProgramMessage::Cancel { id: self.id.clone() });
        }
    }
}

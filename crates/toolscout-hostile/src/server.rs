//! One server: its options, its counters, and the dispatch of a message from a line to an act.

pub(crate) mod acts;
pub(crate) mod request;
pub(crate) mod state;

use crate::counter::Counter;
use crate::log::Log;
use crate::options::Options;
use crate::process::background;
use acts::{Act, Acts};
use parking_lot::{Condvar, Mutex};
use request::{ClientRequest, Gone, ResponseSink, Sent};
use serde_json::{Value, json};
use state::{ModeState, Reference, Rich};
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) struct HostileServer {
    pub(crate) options: Options,
    pub(crate) log: Log,
    /// The name of its mode.
    pub(crate) mode: &'static str,
    acts: &'static Acts,
    /// The number of `tools/list` requests, including the current one.
    pub(crate) lists: Counter,
    /// The number of `tools/call` requests, including the current one.
    pub(crate) calls: Counter,
    pub(crate) memory: ModeState,
    /// Whether stdin is no longer read.
    pub(crate) is_deaf: AtomicBool,
    pub(crate) rich: Rich,
    pub(crate) reference: Reference,
    cancelled: Mutex<HashSet<String>>,
    cancellation: Condvar,
    /// Output that waits for the next flush, in quick mode.
    unsent: Mutex<Vec<u8>>,
}

impl HostileServer {
    pub(crate) fn new(
        mode: &'static str,
        acts: &'static Acts,
        options: Options,
    ) -> io::Result<Arc<Self>> {
        let log = Log::open(options.log.as_deref(), &options.name, mode)?;
        Ok(Arc::new(Self {
            options,
            log,
            mode,
            acts,
            lists: Counter::default(),
            calls: Counter::default(),
            memory: ModeState::default(),
            is_deaf: AtomicBool::new(false),
            rich: Rich::default(),
            reference: Reference::default(),
            cancelled: Mutex::default(),
            cancellation: Condvar::new(),
            unsent: Mutex::default(),
        }))
    }

    pub(crate) fn acts(&self) -> &'static Acts {
        self.acts
    }

    pub(crate) fn tools(&self) -> Vec<Value> {
        (self.acts().tools)(self)
    }

    pub(crate) fn is_http(&self) -> bool {
        self.options.http.is_some()
    }

    /// Handles one line of input: a message, or a batch of them.
    pub(crate) fn take(self: &Arc<Self>, line: &[u8], out: &ResponseSink) -> Sent {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(batch)) => {
                batch.into_iter().try_for_each(|message| self.take_message(message, out))
            }
            Ok(message) => self.take_message(message, out),
            Err(err) => {
                let head = String::from_utf8_lossy(&line[..line.len().min(200)]);
                self.log.event("recv_bad", json!({ "error": err.to_string(), "head": head }));
                Ok(())
            }
        }
    }

    fn take_message(self: &Arc<Self>, message: Value, out: &ResponseSink) -> Sent {
        let request = ClientRequest::new(self, message, out.clone());
        if self.log.is_open() {
            self.log.event("recv", request.as_event());
        }
        match (request.method(), request.message.get("id")) {
            (None, _) => {
                self.rich.take_answer(&request.message);
                Ok(())
            }
            (Some(method), None) => {
                if method == "notifications/cancelled" {
                    self.cancel(&request.params()["requestId"]);
                }
                Ok(())
            }
            (Some("tools/call"), Some(_)) => self.take_call(request),
            (Some(method), Some(_)) => match self.act(method) {
                Some(act) => act(&request),
                None => request.error(-32601, &format!("no such method: {method}")),
            },
        }
    }

    fn act(&self, method: &str) -> Option<Act> {
        let acts = self.acts();
        match method {
            "server/discover" => Some(acts.discover),
            "initialize" => Some(acts.initialize),
            "subscriptions/listen" => Some(acts.listen),
            "ping" => Some(|request| request.reply(json!({}))),
            "tools/list" => {
                self.lists.up();
                Some(acts.list)
            }
            _ => (acts.other)(self, method),
        }
    }

    /// On stdio each call has its own thread, unless in quick mode; over HTTP its connection
    /// already has one.
    fn take_call(self: &Arc<Self>, request: ClientRequest) -> Sent {
        self.calls.up();
        let acts = self.acts();
        if self.is_http() || self.options.quick {
            return (acts.call)(&request);
        }
        background(move || {
            if (acts.call)(&request).is_err() {
                (acts.broken_pipe)();
            }
        });
        Ok(())
    }

    /// Writes to stdout immediately; in quick mode, with the next flush.
    pub(crate) fn write(&self, bytes: &[u8]) -> Sent {
        if self.options.quick {
            self.unsent.lock().extend_from_slice(bytes);
            return Ok(());
        }
        self.write_now(bytes)
    }

    /// Writes the buffered output.
    pub(crate) fn flush(&self) -> Sent {
        let mut unsent = self.unsent.lock();
        self.write_now(&unsent)?;
        unsent.clear();
        Ok(())
    }

    fn write_now(&self, bytes: &[u8]) -> Sent {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|_| Gone)
    }

    /// Announces on stdout that the tools have changed, independent of the current request.
    pub(crate) fn announce_change(&self) -> Sent {
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        self.log.event(
            "sent",
            json!({ "id": null, "method": message["method"], "bytes": message.to_string().len() }),
        );
        self.write(&(self.acts().frame)(self, message.to_string().as_bytes()))
    }

    /// Waits; returns false if the call was cancelled before the time was up.
    pub(crate) fn wait_unless_cancelled(&self, id: &Value, time: Duration) -> bool {
        let mut cancelled = self.cancelled.lock();
        let id = id.to_string();
        self.cancellation.wait_while_for(&mut cancelled, |ids| !ids.contains(&id), time).timed_out()
    }

    fn cancel(&self, id: &Value) {
        self.cancelled.lock().insert(id.to_string());
        self.cancellation.notify_all();
    }

    pub(crate) fn exit(&self, code: i32) -> ! {
        self.log.event("exit", json!({ "code": code }));
        crate::process::exit(code)
    }

    pub(crate) fn die(&self) {
        self.log.event("exit", json!({ "code": -9 }));
        crate::process::kill_ourselves();
    }
}

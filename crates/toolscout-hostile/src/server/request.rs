//! A request and the ways to answer it, proper and improper.

use super::HostileServer;
use crate::protocol::{LEGACY, MODERN};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Nobody reads what we write any more.
#[derive(Debug)]
pub(crate) struct Gone;

/// What became of something we wrote; the error says that nobody reads any more.
pub(crate) type Sent = Result<(), Gone>;

/// Where answers go: to stdout, or into the body of an HTTP response.
#[derive(Clone)]
pub(crate) enum ResponseSink {
    Stdout,
    Body(Arc<Mutex<Vec<u8>>>),
    /// At once, each line an event.
    Events(Arc<Mutex<TcpStream>>),
}

pub(crate) struct ClientRequest {
    pub(crate) server: Arc<HostileServer>,
    pub(crate) message: Value,
    out: ResponseSink,
}

impl ClientRequest {
    pub(crate) fn new(server: &Arc<HostileServer>, message: Value, out: ResponseSink) -> Self {
        Self { server: Arc::clone(server), message, out }
    }

    pub(crate) fn out(&self) -> ResponseSink {
        self.out.clone()
    }

    pub(crate) fn id(&self) -> &Value {
        &self.message["id"]
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.message["method"].as_str()
    }

    pub(crate) fn params(&self) -> &Value {
        &self.message["params"]
    }

    pub(crate) fn cursor(&self) -> Option<&str> {
        self.params()["cursor"].as_str()
    }

    /// The protocol version it names, as requests of the stateless era do.
    pub(crate) fn version(&self) -> &Value {
        &self.params()["_meta"][VERSION]
    }

    pub(crate) fn is_modern(&self) -> bool {
        !self.version().is_null()
    }

    pub(crate) fn reply(&self, result: Value) -> Sent {
        self.send(self.answer(result))
    }

    pub(crate) fn error(&self, code: i32, message: &str) -> Sent {
        self.send(self.failure(json!({ "code": code, "message": message })))
    }

    pub(crate) fn notify(&self, method: &str, params: Value) -> Sent {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// The message that answers with this result.
    pub(crate) fn answer(&self, result: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id(), "result": result })
    }

    /// The message that answers with this error.
    pub(crate) fn failure(&self, error: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id(), "error": error })
    }

    /// Sends a message and logs that we did.
    pub(crate) fn send(&self, message: Value) -> Sent {
        let text = message.to_string();
        if self.server.log.is_open() {
            let event = json!({ "bytes": text.len(), "id": message["id"], "method": message["method"] });
            self.server.log.event("sent", event);
        }
        self.line(text)
    }

    /// Sends this as a line, message or not; the log does not hear of it.
    pub(crate) fn line(&self, text: impl AsRef<[u8]>) -> Sent {
        self.raw((self.server.acts().frame)(&self.server, text.as_ref()))
    }

    /// Sends these bytes as they are.
    pub(crate) fn raw(&self, bytes: impl AsRef<[u8]>) -> Sent {
        match &self.out {
            ResponseSink::Stdout => self.server.write(bytes.as_ref()),
            ResponseSink::Body(body) => {
                body.lock().extend_from_slice(bytes.as_ref());
                Ok(())
            }
            ResponseSink::Events(stream) => {
                let event = [b"data: ", bytes.as_ref(), b"\n"].concat();
                stream.lock().write_all(&event).map_err(|_| Gone)
            }
        }
    }

    /// Sends the chunk again and again, until `total` bytes are out.
    pub(crate) fn flood(&self, chunk: &[u8], total: usize) -> Sent {
        (0..total.div_ceil(chunk.len().max(1))).try_for_each(|_| self.raw(chunk))
    }

    /// A list's result, with what the era of the request wants beside the tools.
    pub(crate) fn tool_list(&self, tools: impl Into<Value>) -> Value {
        let mut result = json!({ "tools": tools.into() });
        if self.is_modern() {
            result["resultType"] = "complete".into();
            result["ttlMs"] = self.server.options.ttl_ms.into();
            result["cacheScope"] = "public".into();
        }
        result
    }

    pub(crate) fn page(&self, tools: impl Into<Value>, next: impl Into<Value>) -> Value {
        let mut result = self.tool_list(tools);
        result["nextCursor"] = next.into();
        result
    }

    /// The same as [`Self::tool_list`] as a whole message in text, for tools that no `Value` can hold.
    pub(crate) fn tool_list_text(&self, tools: &str) -> String {
        let empty = self.answer(self.tool_list(json!([]))).to_string();
        empty.replacen("\"tools\":[]", &format!("\"tools\":{tools}"), 1)
    }

    /// A call's result of one text.
    pub(crate) fn text(&self, text: impl Into<Value>) -> Value {
        let mut result = json!({ "content": [{ "type": "text", "text": text.into() }], "isError": false });
        if self.is_modern() {
            result["resultType"] = "complete".into();
        }
        result
    }

    /// What the log says about it.
    pub(crate) fn as_event(&self) -> Value {
        let Some(method) = self.method() else {
            return json!({ "method": null, "id": self.id(), "error": self.message["error"], "response": true });
        };
        let params: String = self.params().to_string().chars().take(400).collect();
        json!({ "method": method, "id": self.id(), "modern": self.is_modern(), "params": params, "response": false })
    }

    /// The version an old handshake agrees on: the one asked for, if it is an old one.
    pub(crate) fn legacy_version(&self) -> &str {
        let wanted = self.params()["protocolVersion"].as_str();
        wanted.filter(|it| *it != MODERN).unwrap_or(LEGACY)
    }
}

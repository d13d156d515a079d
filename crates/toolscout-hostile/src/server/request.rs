//! A request and the ways to respond to it, proper and improper.

use super::HostileServer;
use crate::protocol::{LEGACY, MODERN};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The reader of our output is gone.
#[derive(Debug)]
pub(crate) struct Gone;

/// The result of a write; the error means that the reader is gone.
pub(crate) type Sent = Result<(), Gone>;

/// The target of responses: stdout, or the body of an HTTP response.
#[derive(Clone)]
pub(crate) enum ResponseSink {
    Stdout,
    Body(Arc<Mutex<Vec<u8>>>),
    /// Each line is sent immediately, as an SSE event.
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

    /// The protocol version in the request, as in the stateless era.
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

    /// A response with this result.
    pub(crate) fn answer(&self, result: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id(), "result": result })
    }

    /// A response with this error.
    pub(crate) fn failure(&self, error: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id(), "error": error })
    }

    /// Sends a message and logs it.
    pub(crate) fn send(&self, message: Value) -> Sent {
        let text = message.to_string();
        if self.server.log.is_open() {
            let event =
                json!({ "bytes": text.len(), "id": message["id"], "method": message["method"] });
            self.server.log.event("sent", event);
        }
        self.line(text)
    }

    /// Sends this text as a line, valid message or not; it is not logged.
    pub(crate) fn line(&self, text: impl AsRef<[u8]>) -> Sent {
        self.raw((self.server.acts().frame)(&self.server, text.as_ref()))
    }

    /// Sends these bytes unchanged.
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

    /// Sends the chunk repeatedly, until `total` bytes are sent.
    pub(crate) fn flood(&self, chunk: &[u8], total: usize) -> Sent {
        (0..total.div_ceil(chunk.len().max(1))).try_for_each(|_| self.raw(chunk))
    }

    /// The result of a list, with the additional fields of the request's era.
    pub(crate) fn tool_list(&self, tools: impl Into<Value>) -> Value {
        let mut result = json!({ "tools": tools.into() });
        if self.is_modern() {
            result["resultType"] = "complete".into();
            result["ttlMs"] = self.server.options.ttl_ms.into();
            result["cacheScope"] = self.server.options.cache_scope.as_str().into();
        }
        result
    }

    pub(crate) fn page(&self, tools: impl Into<Value>, next: impl Into<Value>) -> Value {
        let mut result = self.tool_list(tools);
        result["nextCursor"] = next.into();
        result
    }

    /// Like [`Self::tool_list`], as the text of a whole message, for tools that no `Value` can
    /// represent.
    pub(crate) fn tool_list_text(&self, tools: &str) -> String {
        let empty = self.answer(self.tool_list(json!([]))).to_string();
        empty.replacen("\"tools\":[]", &format!("\"tools\":{tools}"), 1)
    }

    /// The result of a call with a single text.
    pub(crate) fn text(&self, text: impl Into<Value>) -> Value {
        let mut result =
            json!({ "content": [{ "type": "text", "text": text.into() }], "isError": false });
        if self.is_modern() {
            result["resultType"] = "complete".into();
        }
        result
    }

    /// The request as a log event.
    pub(crate) fn as_event(&self) -> Value {
        let Some(method) = self.method() else {
            return json!({ "method": null, "id": self.id(), "error": self.message["error"], "response": true });
        };
        let params: String = self.params().to_string().chars().take(400).collect();
        json!({ "method": method, "id": self.id(), "modern": self.is_modern(), "params": params, "response": false })
    }

    /// The version that a legacy handshake negotiates: the requested one, if it is a legacy
    /// version.
    pub(crate) fn legacy_version(&self) -> &str {
        let wanted = self.params()["protocolVersion"].as_str();
        wanted.filter(|value| *value != MODERN).unwrap_or(LEGACY)
    }
}

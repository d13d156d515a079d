//! Proves, over real sockets, that
//! 1. both eras work at one address, each with its own messages, and cannot be mixed up,
//! 2. a request whose headers disagree with its message has no effect,
//! 3. sessions belong to the principal that started them, and are bounded,
//! 4. closing a stream cancels its request, and a client that does not read blocks only itself,
//! 5. hostile clients cost others nothing.

mod fake_server;
mod fleet;
mod hostile;
mod legacy;
mod modern;
mod real;
mod streams;

use super::{Endpoint, Servers};
use crate::http::fixture::{Site, Wire, WireResponse, terms};
use crate::http::{Auth, Limits, Listener, Routes, Terms};
use fake_server::FakeServer;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::jsonrpc::RpcError;

/// A listener with an MCP endpoint, and the fake server behind it.
struct EndpointFixture {
    site: Site,
    endpoint: Arc<Endpoint>,
    fake_server: Arc<FakeServer>,
}

async fn fixture() -> EndpointFixture {
    fixture_with(terms(Auth::None)).await
}

async fn fixture_with_limits(limits: Limits) -> EndpointFixture {
    fixture_with(Terms { limits, ..terms(Auth::None) }).await
}

async fn fixture_with(terms: Terms) -> EndpointFixture {
    let fake_server = FakeServer::new();
    let listener = Listener::bind(terms).await.expect("bound");
    let servers: Servers = {
        let fake_server = fake_server.clone();
        Arc::new(move |profile| match profile {
            None | Some("read") => Ok(fake_server.clone() as _),
            Some(other) => Err(format!("there is no profile `{other}`")),
        })
    };
    let endpoint = Endpoint::new(servers, listener.limits().clone(), listener.shutdown(), None);
    let site = Site::serve(listener, Routes::new().guarded(endpoint.routes()));
    EndpointFixture { site, endpoint, fake_server }
}

impl EndpointFixture {
    async fn post(&self, headers: &[&str], body: &Value) -> WireResponse {
        self.site.send(post(headers, &body.to_string())).await
    }

    /// Starts a session, and returns its header.
    async fn start_session(&self, headers: &[&str]) -> String {
        let response = self.post(headers, &initialize("2025-11-25")).await;
        let id = response
            .header("mcp-session-id")
            .unwrap_or_else(|| panic!("{response:?} should start a session"));
        format!("Mcp-Session-Id: {id}")
    }

    /// Sends a modern request with valid headers.
    async fn modern(&self, method: &str, params: Value) -> WireResponse {
        self.site.send(modern(method, params)).await
    }

    /// Sends a request that stays open. Returns its connection and the head of the response.
    async fn open(&self, request: String) -> (Wire, WireResponse) {
        let mut wire = self.site.dial().await;
        wire.send(request).await;
        let head = wire.head().await;
        (wire, head)
    }
}

fn post(headers: &[&str], body: &str) -> String {
    post_to("/mcp", headers, body)
}

fn post_to(path: &str, headers: &[&str], body: &str) -> String {
    request(
        "POST",
        path,
        headers,
        &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()),
    ) + body
}

fn request(method: &str, path: &str, headers: &[&str], more: &str) -> String {
    let has_accept = headers.iter().any(|header| header.starts_with("Accept"));
    let accept = if has_accept { "" } else { "Accept: application/json, text/event-stream\r\n" };
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{accept}{headers}{more}\r\n")
}

fn modern(method: &str, params: Value) -> String {
    let name = params
        .get("name")
        .or(params.get("uri"))
        .and_then(Value::as_str)
        .map(|text| format!("Mcp-Name: {text}"));
    let method_header = format!("Mcp-Method: {method}");
    let mut headers = vec!["MCP-Protocol-Version: 2026-07-28", &method_header];
    headers.extend(name.as_deref());
    post(&headers, &message(method, with_meta(params)).to_string())
}

fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn initialize(version: &str) -> Value {
    message(
        "initialize",
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    )
}

/// The messages in a piece of a stream.
fn messages(events: &str) -> Vec<Value> {
    let lines = events.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).expect("a message")).collect()
}

//! A client of one replica: calls of tools over MCP, and requests to the HTTP API.

use crate::tenants::http_client::HttpClient;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;

/// One connection with one token.
pub(super) struct ReplicaClient {
    http: HttpClient,
    authorization: String,
}

/// The result of a request, as its client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallResult {
    /// A result without an error.
    Succeeded,
    /// The tool needs approval.
    Pending,
    /// An error, or a refused request.
    Failed(String),
    /// No response: the connection ended.
    Lost(String),
}

/// A response of the HTTP API.
#[derive(Debug)]
pub(super) struct ApiResponse {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl ReplicaClient {
    pub(super) fn connect(addr: SocketAddr, token: &str) -> io::Result<Self> {
        Ok(Self { http: HttpClient::new(addr)?, authorization: format!("Bearer {token}") })
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> CallResult {
        self.meta_tool("execute_tool", json!({"name": tool, "arguments": arguments}))
    }

    /// Searches for tools.
    pub(super) fn search(&mut self, query: &str) -> CallResult {
        self.meta_tool("tool_search", json!({"query": query}))
    }

    /// Whether the token is accepted.
    pub(super) fn is_admitted(&mut self) -> io::Result<bool> {
        self.api("GET", "/api/me", None).map(|answer| answer.status == 200)
    }

    pub(super) fn api(
        &mut self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> io::Result<ApiResponse> {
        let headers = [("Authorization", self.authorization.as_str())];
        let body = body.map(Value::to_string).unwrap_or_default();
        let answer = self.http.send(method, path, &headers, &body)?;
        let body = serde_json::from_str(&answer.body).unwrap_or_default();
        Ok(ApiResponse { status: answer.status, body })
    }

    /// Opens a session of a legacy client; returns its id.
    pub(super) fn open_session(&mut self) -> io::Result<String> {
        self.http.greet(&[("Authorization", self.authorization.as_str())])
    }

    /// Calls a tool in a session that was opened at any replica.
    pub(super) fn call_in_session(
        &mut self,
        session: &str,
        tool: &str,
        arguments: &Value,
    ) -> CallResult {
        let headers = [("Authorization", self.authorization.as_str())];
        let arguments = json!({"name": tool, "arguments": arguments});
        let params = json!({"name": "execute_tool", "arguments": arguments});
        let answer = self.http.legacy(&headers, session, "tools/call", params);
        CallResult::of(answer.map(|answer| (answer.status, answer.message())))
    }

    fn meta_tool(&mut self, name: &str, arguments: Value) -> CallResult {
        let headers = [("Authorization", self.authorization.as_str())];
        let params = json!({"name": name, "arguments": arguments});
        let answer = self.http.modern(&headers, "tools/call", params);
        CallResult::of(answer.map(|answer| (answer.status, answer.message())))
    }
}

impl CallResult {
    fn of(answer: io::Result<(u16, Value)>) -> Self {
        let (status, message) = match answer {
            Ok(answer) => answer,
            Err(error) => return Self::Lost(error.to_string()),
        };
        let result = &message["result"];
        if status != 200 || result.is_null() {
            return Self::Failed(format!("{status}: {message}"));
        }
        if result["isError"] != true {
            return Self::Succeeded;
        }
        let text = result["content"].to_string();
        if text.contains("needs approval") { Self::Pending } else { Self::Failed(text) }
    }
}

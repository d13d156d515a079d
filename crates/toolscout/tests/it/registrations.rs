//! Tools that other programs register over HTTP, through the real program.

mod callbacks;
mod commands;
mod connections;
mod lifetime;
mod program;

use crate::api::Api;
use serde_json::{Value, json};

/// The body of a registration of `billing` with the tool `invoice`.
fn registration(callback: Option<&str>) -> Value {
    let schema = json!({"type": "object", "properties": {"number": {"type": "integer"}}});
    let invoice = json!({
        "name": "invoice", "description": "Show an invoice of a customer",
        "keywords": ["payment"], "inputSchema": schema,
    });
    let mut body = json!({"source": "billing", "tools": [invoice]});
    callback.iter().for_each(|url| body["callback"] = json!(url));
    body
}

/// Approves every quarantined tool of `billing`; returns how many there were.
fn approve(api: &Api) -> u64 {
    let decision = json!({"server": "billing", "decision": "approve"});
    api.done("POST", "/api/reviews", Some(decision))["tools"].as_u64().expect("a number")
}

/// The body of a call of `billing/invoice`.
fn call() -> Value {
    json!({"name": "billing/invoice", "arguments": {"number": 7}})
}

/// The names of the tools of `billing` in the catalog.
fn listed(api: &Api) -> Vec<String> {
    let page = api.get("/api/tools?server=billing");
    let tools = page["tools"].as_array().expect("tools").iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

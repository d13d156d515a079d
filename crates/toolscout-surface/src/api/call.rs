//! Runs a tool, through the same door as everybody.

use super::answer::{Answer, JSON};
use super::asked::Asked;
use super::{Route, Trouble};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Instant;
use toolscout_core::{Digest, ToolCall};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Call {
    /// Any form of a name: `source/tool`, `source__tool`, or the tool's own where only one source has it.
    name: String,
    /// What to call it with.
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The digest of the definition that was read; a call of another one is refused.
    #[serde(default)]
    expect: Option<String>,
}

/// What came of a call. Written by hand, because the result passes as the tool said it, byte for byte.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Called {
    /// As the tool said it: `content`, `structuredContent`, `isError` and whatever else.
    result: Map<String, Value>,
    /// How long it took.
    took_ms: u64,
    /// Why the result may not be what the tool has promised.
    #[serde(default)]
    doubts: Vec<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![Route::told_written::<_, Called, _>("/api/call", "Run a tool", call)]
}

async fn call(asked: Asked, call: Call) -> Result<Answer, Trouble> {
    let expect = match call.expect.as_deref() {
        Some(text) => Some(
            Digest::from_hex(text).ok_or_else(|| Trouble::invalid("`expect` is no digest: 64 hexadecimal digits"))?,
        ),
        None => None,
    };
    let begun = Instant::now();
    let make = |tool: &std::sync::Arc<toolscout_core::Tool>| ToolCall {
        expect,
        ..ToolCall::new(tool.id.clone(), call.arguments.clone())
    };
    let output = asked.gateway().call_named(&call.name, asked.cx, make).await?;
    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let doubts = serde_json::to_string(output.doubts()).unwrap_or_else(|_| "[]".to_owned());
    let text = format!(r#"{{"result":{},"tookMs":{took},"doubts":{doubts}}}"#, output.raw().as_str());
    Ok(Answer::bytes(StatusCode::OK, JSON, text.into()))
}

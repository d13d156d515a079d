//! The `_meta` member of request parameters.

use super::ProtocolEra;
use super::handshake;
use serde_json::{Map, Value, json};
use toolscout_core::{RawJson, ReverseChannel};

/// The prefix of keys that are reserved for the protocol.
const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";
/// The log level of a request.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// An extension with delayed results, which we do not support.
const TASKS: &str = "io.modelcontextprotocol/tasks";
/// Client capabilities that the gateway can relay.
const RELAYED: [&str; 4] = ["elicitation", "sampling", "roots", "extensions"];

/// The caller's `_meta` and trace. A `_meta` that is not an object is ignored.
pub(super) fn call_meta(
    caller_meta: Option<&RawJson>,
    trace: &[(String, String)],
) -> Map<String, Value> {
    let mut meta = match caller_meta.map(RawJson::to_value) {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    for (name, value) in trace {
        meta.insert(name.clone(), value.as_str().into());
    }
    meta
}

/// Adapts the `_meta` of a request to the era. The caller's own keys stay. Keys of the protocol are
/// replaced, because they concern one connection and the caller is connected to the gateway, not to
/// the server. The capabilities sent are those of the caller, because reverse requests go to the
/// caller. The log level passes only if the caller has a counterpart that can receive log messages.
pub(super) fn complete(
    meta: &mut Map<String, Value>,
    era: &ProtocolEra,
    counterpart: Option<&dyn ReverseChannel>,
) {
    let passes_log_level = |key: &str| key == LOG_LEVEL && era.is_modern() && counterpart.is_some();
    meta.retain(|key, _| {
        (!key.starts_with(RESERVED_PREFIX) || passes_log_level(key)) && key != "progressToken"
    });
    if era.is_modern() {
        handshake::add_client_info(
            meta,
            counterpart.map_or_else(
                || json!({}),
                |counterpart| relayed_capabilities(counterpart.capabilities().to_value()),
            ),
        );
    }
}

/// The subset of a caller's capabilities that can be relayed.
fn relayed_capabilities(mut capabilities: Value) -> Value {
    let Some(capabilities) = capabilities.as_object_mut() else { return json!({}) };
    capabilities.retain(|key, value| RELAYED.contains(&key.as_str()) && value.is_object());
    if let Some(Value::Object(extensions)) = capabilities.get_mut("extensions") {
        extensions.remove(TASKS);
    }
    std::mem::take(capabilities).into()
}

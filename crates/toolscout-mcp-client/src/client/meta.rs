//! What stands beside the parameters of a request.

use super::ProtocolEra;
use super::handshake;
use serde_json::{Map, Value, json};
use toolscout_core::{Counterpart, RawJson};

/// Names that only the protocol may use.
const OWN: &str = "io.modelcontextprotocol/";
/// The log level of a request.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// An extension with delayed results, which we do not support.
const TASKS: &str = "io.modelcontextprotocol/tasks";
/// Capabilities that pass through us.
const PASSED_ON: [&str; 4] = ["elicitation", "sampling", "roots", "extensions"];

/// The caller's `_meta` and trace. A `_meta` that is no object is ignored.
pub(super) fn of_call(written: Option<&RawJson>, trace: &[(String, String)]) -> Map<String, Value> {
    let mut meta = match written.map(RawJson::to_value) {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    for (name, value) in trace {
        meta.insert(name.clone(), value.as_str().into());
    }
    meta
}

/// Makes the `_meta` of a request what the era wants it to be. The caller's own keys stay; what the protocol says in there
/// is between the two who speak it, and the caller speaks with us. What we can do is what the caller can, because it is the
/// caller who will be asked; and only who can be told of it may say how much is to be logged.
pub(super) fn complete(meta: &mut Map<String, Value>, era: &ProtocolEra, counterpart: Option<&dyn Counterpart>) {
    let hears = |key: &str| key == LOG_LEVEL && era.is_modern() && counterpart.is_some();
    meta.retain(|key, _| (!key.starts_with(OWN) || hears(key)) && key != "progressToken");
    if era.is_modern() {
        handshake::introduce(meta, counterpart.map_or_else(|| json!({}), |it| passed_on(it.capabilities().to_value())));
    }
}

/// The capabilities of a caller that work through us.
fn passed_on(mut capabilities: Value) -> Value {
    let Some(capabilities) = capabilities.as_object_mut() else { return json!({}) };
    capabilities.retain(|key, value| PASSED_ON.contains(&key.as_str()) && value.is_object());
    if let Some(Value::Object(extensions)) = capabilities.get_mut("extensions") {
        extensions.remove(TASKS);
    }
    std::mem::take(capabilities).into()
}

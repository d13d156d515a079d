//! What stands beside the parameters of a request.

use super::Era;
use super::handshake;
use serde_json::{Map, Value};
use toolscout_core::RawJson;

/// Names that only the protocol may use.
const OWN: &str = "io.modelcontextprotocol/";

/// The caller's `_meta`, and the trace it is part of. What is no object is nothing.
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
/// is between the two who speak it, and the caller speaks with us.
pub(super) fn complete(params: &mut Map<String, Value>, era: &Era) {
    let mut meta = match params.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    meta.retain(|key, _| !key.starts_with(OWN) && key != "progressToken");
    if era.is_modern() {
        handshake::introduce(&mut meta);
    }
    if !meta.is_empty() {
        params.insert("_meta".to_owned(), Value::Object(meta));
    }
}

//! The path of a request through gateways, which may form a chain or a cycle.

use serde_json::{Map, Value, json};
use toolscout_core::RawJson;

/// The key in the `_meta` of a request to which each forwarding gateway adds its name.
const KEY: &str = "toolscout/via";
/// A request that has passed this many gateways is not forwarded further.
pub(super) const MAX_GATEWAYS: usize = 3;
/// Maximum number of entries read from a received list.
const MAX_NAMES: usize = 16;

/// Parses the names of the gateways that have forwarded a request.
pub fn parse_via(written: &RawJson) -> Vec<String> {
    let written = written.to_value();
    let names = written.as_array().into_iter().flatten().take(MAX_NAMES);
    names.map(|name| name.as_str().unwrap_or_default().chars().take(64).collect()).collect()
}

/// The `_meta` of a request, with this gateway's name added.
pub(super) fn forwarded_meta(meta: Option<&RawJson>, via: &[String], name: &str) -> RawJson {
    let mut all = match meta.map(RawJson::to_value) {
        Some(Value::Object(all)) => all,
        _ => Map::new(),
    };
    let names: Vec<&str> = via.iter().map(String::as_str).chain([name]).collect();
    all.insert(KEY.to_owned(), json!(names));
    RawJson::from_value(&Value::Object(all))
}

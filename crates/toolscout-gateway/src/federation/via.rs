//! Where a request has been: gateways may stand behind each other, and in a circle, too.

use serde_json::{Map, Value, json};
use toolscout_core::RawJson;

/// Under this each gateway that passes a request on adds its name to the request's `_meta`.
const KEY: &str = "toolscout/via";
/// A request that has come through so many gateways goes no further.
pub(super) const DEEPEST: usize = 3;
/// What of a list that others wrote is read.
const READ: usize = 16;

/// The gateways that have passed a request on, as they are written there.
pub fn via(written: &RawJson) -> Vec<String> {
    let written = written.to_value();
    let names = written.as_array().into_iter().flatten().take(READ);
    names.map(|it| it.as_str().unwrap_or_default().chars().take(64).collect()).collect()
}

/// The same `_meta`, of a request that this gateway passes on.
pub(super) fn passed_on(meta: Option<&RawJson>, via: &[String], name: &str) -> RawJson {
    let mut all = match meta.map(RawJson::to_value) {
        Some(Value::Object(all)) => all,
        _ => Map::new(),
    };
    let names: Vec<&str> = via.iter().map(String::as_str).chain([name]).collect();
    all.insert(KEY.to_owned(), json!(names));
    RawJson::from_value(&Value::Object(all))
}

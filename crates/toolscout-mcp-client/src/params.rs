//! The parameters of a request, written member by member, so that raw JSON stays unmodified.

#[cfg(test)]
mod tests;

use super::definition::strict;
use serde::Serialize;
use serde_json::{Map, Value};
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::on_one_line;

/// The parameters of a request. `_meta` is separate until the request is sent, because the peer
/// adds members to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RequestParams {
    /// All other members as JSON, without the enclosing braces.
    members: String,
    pub(super) meta: Map<String, Value>,
}

impl RequestParams {
    /// The parameters from a raw object; `None` if it is not an object.
    pub(super) fn from_raw(raw: &RawJson) -> Option<Self> {
        let mut params = Self::default();
        for (key, value) in strict::members(raw.as_str())? {
            match &*key {
                "_meta" => {
                    params.meta = serde_json::from_str(value.get()).map(object).unwrap_or_default()
                }
                _ => params.add(&key, value.get()),
            }
        }
        Some(params)
    }

    /// The same parameters with one more member.
    pub(super) fn with(mut self, key: &str, value: &impl Serialize) -> Self {
        self.set(key, value);
        self
    }

    pub(super) fn set(&mut self, key: &str, value: &impl Serialize) {
        // Serialization fails only for maps with non-string keys, which are never sent.
        if let Ok(text) = serde_json::to_string(value) {
            self.add(key, &text);
        }
    }

    /// Writes all members, and `_meta` unless it is empty.
    pub(super) fn write(&self, out: &mut String) {
        out.extend(["{", &self.members]);
        if !self.meta.is_empty() {
            let comma = if self.members.is_empty() { "" } else { "," };
            let meta = serde_json::to_string(&self.meta).unwrap_or_else(|_| "{}".to_owned());
            out.extend([comma, "\"_meta\":", &meta]);
        }
        out.push('}');
    }

    fn add(&mut self, key: &str, json: &str) {
        if !self.members.is_empty() {
            self.members.push(',');
        }
        self.members.push_str(&Value::from(key).to_string());
        self.members.extend([":", &on_one_line(json)]);
    }
}

impl From<Map<String, Value>> for RequestParams {
    fn from(mut map: Map<String, Value>) -> Self {
        let meta = map.remove("_meta").map(object).unwrap_or_default();
        map.iter()
            .fold(Self { meta, ..Self::default() }, |params, (key, value)| params.with(key, value))
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

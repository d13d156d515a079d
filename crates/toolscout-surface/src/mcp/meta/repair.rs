//! Repairs arguments that do not quite match the schema of a tool.
//!
//! Models wrap arguments twice, write them as a text, flatten them, or put numbers into quotes.
//! Arguments that fit are never changed. Others are changed only if the tool's own schema makes the
//! intention clear.

mod coerce;
mod dotted;

#[cfg(test)]
mod tests;

use super::schema::property;
use serde_json::{Map, Value};
use toolscout_core::Arguments;
use toolscout_gateway::ArgumentValidator;

/// Keys that models use for arguments, preferred first.
pub(super) const WRAPPERS: [&str; 5] = ["arguments", "parameters", "params", "args", "input"];

/// Maximum number of passes. One repair may make another possible.
const MAX_PASSES: usize = 8;

/// Repaired arguments, and one sentence for each repair.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Repaired {
    pub(super) arguments: Arguments,
    pub(super) repairs: Vec<String>,
}

/// Repairs arguments until they fit, or as far as possible.
pub(super) fn repair(
    validator: &ArgumentValidator,
    schema: &Value,
    given: Value,
) -> Option<Repaired> {
    let mut repairs = Vec::new();
    let is_known = |name: &str| property(schema, schema, name).is_some();
    let is_done = |arguments: &Arguments| fits(validator, arguments);
    let Value::Object(mut arguments) = unwrap(given, is_known, is_done, &mut repairs) else {
        return None;
    };
    // A text may have become an object that can now take a key with a dot. The passes end when
    // nothing changes.
    for _ in 0..MAX_PASSES {
        let before = arguments.clone();
        if !fits(validator, &arguments) {
            dotted::nest(schema, &mut arguments, &mut repairs);
        }
        if !fits(validator, &arguments) {
            arguments = coerce::coerced(schema, arguments, &mut repairs);
        }
        if arguments == before {
            break;
        }
    }
    Some(Repaired { arguments, repairs })
}

/// Unwraps arguments without checking a schema. A known name is never a wrapper.
pub(super) fn unwrapped(given: Value, known: &[&str]) -> Repaired {
    let mut repairs = Vec::new();
    let is_known = |name: &str| known.contains(&name);
    let is_done = |arguments: &Arguments| arguments.keys().any(|name| is_known(name));
    let arguments = match unwrap(given, is_known, is_done, &mut repairs) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    Repaired { arguments, repairs }
}

/// Whether the arguments are valid. Defaults that the gateway fills in are not missing.
pub(super) fn fits(validator: &ArgumentValidator, arguments: &Arguments) -> bool {
    validator.arguments(arguments.clone()).is_ok()
}

/// Removes one wrapper after the other. Each value is smaller than the one around it, so this ends.
fn unwrap(
    mut given: Value,
    is_known: impl Fn(&str) -> bool,
    is_done: impl Fn(&Arguments) -> bool,
    repairs: &mut Vec<String>,
) -> Value {
    loop {
        given = match given {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) => match parsed(&text) {
                Some(inner) => {
                    repairs.push("the arguments were a string of JSON".to_owned());
                    inner
                }
                None => return Value::String(text),
            },
            Value::Array(mut items) if matches!(items.as_slice(), [Value::Object(_)]) => {
                repairs.push("the arguments were in a list".to_owned());
                items.remove(0)
            }
            Value::Object(mut map) => match wrapper(&map, &is_known).filter(|_| !is_done(&map)) {
                Some(name) => {
                    repairs.push(format!("the arguments were inside `{name}`"));
                    map.remove(name).unwrap_or_default()
                }
                None => return Value::Object(map),
            },
            other => return other,
        };
    }
}

/// Parses a text that contains an object, a list or another text. An empty text is null.
fn parsed(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    let inner: Value = serde_json::from_str(text).ok()?;
    (inner.is_object() || inner.is_array() || inner.is_string()).then_some(inner)
}

/// The key of the arguments, if the object is only a wrapper: it has that key, and besides it at
/// most the name of the tool.
fn wrapper(map: &Map<String, Value>, is_known: &impl Fn(&str) -> bool) -> Option<&'static str> {
    let name =
        WRAPPERS.into_iter().find(|wrapper| map.contains_key(*wrapper) && !is_known(wrapper))?;
    let is_wrapping = map
        .keys()
        .all(|key| key == name || matches!(key.as_str(), "name" | "tool") && !is_known(key));
    let wrapped = &map[name];
    (is_wrapping
        && (wrapped.is_object()
            || wrapped.is_null()
            || wrapped.as_str().is_some_and(|text| parsed(text).is_some())))
    .then_some(name)
}

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
const PASSES: usize = 8;

/// Repaired arguments, and one sentence for each repair.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Repaired {
    pub(super) arguments: Arguments,
    pub(super) understood: Vec<String>,
}

/// Repairs arguments until they fit, or as far as possible.
pub(super) fn repair(check: &ArgumentValidator, schema: &Value, given: Value) -> Option<Repaired> {
    let mut understood = Vec::new();
    let is_known = |name: &str| property(schema, schema, name).is_some();
    let is_done = |it: &Arguments| fits(check, it);
    let Value::Object(mut arguments) = unwrap(given, is_known, is_done, &mut understood) else {
        return None;
    };
    // A text may have become an object that can now take a key with a dot. The passes end when
    // nothing changes.
    for _ in 0..PASSES {
        let before = arguments.clone();
        if !fits(check, &arguments) {
            dotted::nest(schema, &mut arguments, &mut understood);
        }
        if !fits(check, &arguments) {
            arguments = coerce::coerced(schema, arguments, &mut understood);
        }
        if arguments == before {
            break;
        }
    }
    Some(Repaired { arguments, understood })
}

/// Unwraps arguments without checking a schema. A known name is never a wrapper.
pub(super) fn unwrapped(given: Value, known: &[&str]) -> Repaired {
    let mut understood = Vec::new();
    let is_known = |name: &str| known.contains(&name);
    let is_done = |it: &Arguments| it.keys().any(|name| is_known(name));
    let arguments = match unwrap(given, is_known, is_done, &mut understood) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    Repaired { arguments, understood }
}

/// Whether the arguments are valid. Defaults that the gateway fills in are not missing.
pub(super) fn fits(check: &ArgumentValidator, arguments: &Arguments) -> bool {
    check.arguments(arguments.clone()).is_ok()
}

/// Removes one wrapper after the other. Each value is smaller than the one around it, so this ends.
fn unwrap(
    mut given: Value,
    is_known: impl Fn(&str) -> bool,
    is_done: impl Fn(&Arguments) -> bool,
    understood: &mut Vec<String>,
) -> Value {
    loop {
        given = match given {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) => match parsed(&text) {
                Some(inner) => {
                    understood.push("the arguments were a text that holds JSON".to_owned());
                    inner
                }
                None => return Value::String(text),
            },
            Value::Array(mut items) if matches!(items.as_slice(), [Value::Object(_)]) => {
                understood.push("the arguments were in a list".to_owned());
                items.remove(0)
            }
            Value::Object(mut map) => match wrapper(&map, &is_known).filter(|_| !is_done(&map)) {
                Some(name) => {
                    understood.push(format!("the arguments were within `{name}`"));
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
    let name = WRAPPERS.into_iter().find(|it| map.contains_key(*it) && !is_known(it))?;
    let is_wrapping =
        map.keys().all(|it| it == name || matches!(it.as_str(), "name" | "tool") && !is_known(it));
    let holds = &map[name];
    (is_wrapping
        && (holds.is_object()
            || holds.is_null()
            || holds.as_str().is_some_and(|it| parsed(it).is_some())))
    .then_some(name)
}

//! Understands arguments that are not quite what a tool asks for.
//!
//! Models wrap arguments twice, write them as a text, flatten them, or put numbers into quotes. What already fits is never
//! touched; what does not is changed only where the tool's own schema says what must have been meant.

mod coerce;
mod dotted;

#[cfg(test)]
mod tests;

use super::schema::property;
use serde_json::{Map, Value};
use toolscout_core::Arguments;
use toolscout_gateway::ArgumentValidator;

/// What arguments are called, best first.
pub(super) const WRAPPERS: [&str; 5] = ["arguments", "parameters", "params", "args", "input"];

/// So often is looked whether one thing that was understood makes another plain.
const PASSES: usize = 8;

/// Arguments, and what was understood to get them: a sentence each.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Repaired {
    pub(super) arguments: Arguments,
    pub(super) understood: Vec<String>,
}

/// Arguments that fit, if there are any in what was given; else the nearest that could be made of it.
pub(super) fn repair(check: &ArgumentValidator, schema: &Value, given: Value) -> Option<Repaired> {
    let mut understood = Vec::new();
    let is_known = |name: &str| property(schema, schema, name).is_some();
    let is_done = |it: &Arguments| fits(check, it);
    let Value::Object(mut arguments) = unwrap(given, is_known, is_done, &mut understood) else { return None };
    // What was a text may be an object now, and take in what has a dot in its key: until nothing more is understood.
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

/// Arguments out of their wrappings, for who takes what there is. A name that is known is no wrapping.
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

/// Whether the tool takes them. What the gateway would fill in is not missing.
pub(super) fn fits(check: &ArgumentValidator, arguments: &Arguments) -> bool {
    check.arguments(arguments.clone()).is_ok()
}

/// Takes off one wrapping after the other. Each is smaller than the one around it, so this ends.
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

/// An object, a list, or a text that may hold one again; of no text at all, nothing.
fn parsed(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    let inner: Value = serde_json::from_str(text).ok()?;
    (inner.is_object() || inner.is_array() || inner.is_string()).then_some(inner)
}

/// The key that holds the arguments, where the object is nothing but a wrapping: it has that key, and besides it at most
/// the name of the tool.
fn wrapper(map: &Map<String, Value>, is_known: &impl Fn(&str) -> bool) -> Option<&'static str> {
    let name = WRAPPERS.into_iter().find(|it| map.contains_key(*it) && !is_known(it))?;
    let is_wrapping = map.keys().all(|it| it == name || matches!(it.as_str(), "name" | "tool") && !is_known(it));
    let holds = &map[name];
    (is_wrapping && (holds.is_object() || holds.is_null() || holds.as_str().is_some_and(|it| parsed(it).is_some())))
        .then_some(name)
}

//! Lists the changes between two definitions, for the operator who reviews them.

#[cfg(test)]
mod tests;

use serde_json::Value;
use std::collections::BTreeSet;

/// One difference between two definitions. Nothing is truncated; the code that displays it must
/// escape it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionChange {
    /// The location: a JSON pointer into the definition.
    pub at: String,
    /// The old value; `None` if there was none.
    pub before: Option<String>,
    /// The new value; `None` if there is none.
    pub after: Option<String>,
}

/// All differences, as deep as possible, in a fixed order. Does not recurse: hostile definitions
/// are deep.
pub fn changes(before: &Value, after: &Value) -> Vec<DefinitionChange> {
    let mut changed = Vec::new();
    let mut pending = vec![(String::new(), Some(before), Some(after))];
    while let Some((at, before, after)) = pending.pop() {
        match (before, after) {
            (Some(before), Some(after)) if before == after => {}
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
                let step = |key: &&String| (pointer(&at, key), one.get(*key), other.get(*key));
                pending.extend(keys.iter().rev().map(step));
            }
            (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() => {
                let step = |index: usize| {
                    (pointer(&at, &index.to_string()), one.get(index), other.get(index))
                };
                pending.extend((0..one.len()).rev().map(step));
            }
            (before, after) => {
                let change = DefinitionChange {
                    at,
                    before: before.and_then(display_value),
                    after: after.and_then(display_value),
                };
                if change.before != change.after {
                    changed.push(change);
                }
            }
        }
    }
    changed
}

/// The fields of the definition that contain changes, each once, named by [`field`].
pub fn fields(changes: &[DefinitionChange]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in changes.iter().map(|change| field(&change.at)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The fields of a definition that the protocol names.
const KNOWN_FIELDS: [&str; 10] = [
    "name",
    "title",
    "description",
    "keywords",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "execution",
    "_meta",
];

/// The name of the field that this JSON pointer leads into. It contains no text of the source,
/// which chooses every other name: an agent may read this one.
pub fn field(at: &str) -> &'static str {
    let name = at.split('/').nth(1);
    KNOWN_FIELDS.into_iter().find(|known| Some(*known) == name).unwrap_or("another field")
}

fn pointer(at: &str, step: &str) -> String {
    format!("{at}/{}", step.replace('~', "~0").replace('/', "~1"))
}

/// A null field counts as absent.
fn display_value(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

//! TOON, the Token-Oriented Object Notation: JSON data as lines with indentation, and tables
//! for lists of similar objects.
//!
//! Follows version 3.3 of the specification with commas and two spaces, except that keys are
//! sorted, so that equal content gives equal bytes. Forms that version 4 adds are not used;
//! strings that version 4 would parse differently are quoted.

#[cfg(test)]
mod tests;

mod scalar;

use scalar::{key, scalar};
use serde_json::{Map, Value};

/// The value as TOON, without a final line feed. An empty object is an empty text.
pub fn encode(value: &Value) -> String {
    let mut page = Page::default();
    match value {
        Value::Object(map) => page.fields(map, 0),
        Value::Array(items) if items.is_empty() => page.line(0, "[]"),
        Value::Array(items) => page.array("", items, 0),
        single => page.line(0, &scalar(single)),
    }
    page.0.join("\n")
}

/// The lines so far.
#[derive(Default)]
struct Page(Vec<String>);

impl Page {
    fn line(&mut self, depth: usize, text: &str) {
        self.0.push("  ".repeat(depth) + text);
    }

    fn fields(&mut self, map: &Map<String, Value>, depth: usize) {
        for (name, value) in sorted(map) {
            self.field(&key(name), value, depth);
        }
    }

    fn field(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Object(map) => {
                self.line(depth, &format!("{name}:"));
                self.fields(map, depth + 1);
            }
            Value::Array(items) if items.is_empty() => self.line(depth, &format!("{name}: []")),
            Value::Array(items) => self.array(name, items, depth),
            single => self.line(depth, &format!("{name}: {}", scalar(single))),
        }
    }

    /// A non-empty list: on one line, as a table, or as items.
    fn array(&mut self, name: &str, items: &[Value], depth: usize) {
        let count = items.len();
        if items.iter().all(is_scalar) {
            return self.line(depth, &format!("{name}[{count}]: {}", row(items)));
        }
        let Some(columns) = columns(items) else {
            self.line(depth, &format!("{name}[{count}]:"));
            return items.iter().for_each(|item| self.item(item, depth + 1));
        };
        let heads: Vec<_> = columns.iter().map(|column| key(column)).collect();
        self.line(depth, &format!("{name}[{count}]{{{}}}:", heads.join(",")));
        for item in items {
            let cells: Vec<_> =
                columns.iter().map(|column| scalar(&item[column.as_str()])).collect();
            self.line(depth + 1, &cells.join(","));
        }
    }

    fn item(&mut self, item: &Value, depth: usize) {
        match item {
            Value::Object(map) if map.is_empty() => self.line(depth, "-"),
            Value::Object(map) => {
                // The first field is on the line of the dash, which replaces its last two
                // spaces of indentation.
                let first = self.0.len();
                self.fields(map, depth + 1);
                let start = depth * 2;
                self.0[first].replace_range(start..start + 2, "- ");
            }
            Value::Array(items) if items.is_empty() => self.line(depth, "- [0]:"),
            Value::Array(items) if items.iter().all(is_scalar) => {
                self.line(depth, &format!("- [{}]: {}", items.len(), row(items)));
            }
            Value::Array(items) => {
                self.line(depth, &format!("- [{}]:", items.len()));
                items.iter().for_each(|item| self.item(item, depth + 1));
            }
            single => self.line(depth, &format!("- {}", scalar(single))),
        }
    }
}

fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = map.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn row(items: &[Value]) -> String {
    items.iter().map(scalar).collect::<Vec<_>>().join(",")
}

/// The sorted columns, if all items are objects with the same keys and without nested values.
fn columns(items: &[Value]) -> Option<Vec<&String>> {
    let first = items.first()?.as_object().filter(|object| !object.is_empty())?;
    let has_same_columns = |item: &Value| {
        let map = item.as_object();
        map.is_some_and(|map| {
            map.len() == first.len()
                && map.iter().all(|(key, value)| first.contains_key(key) && is_scalar(value))
        })
    };
    items
        .iter()
        .all(has_same_columns)
        .then(|| sorted(first).into_iter().map(|(name, _)| name).collect())
}

//! Navigates a JSON Schema: references, wrappers, properties. Every traversal is bounded, also
//! for hostile schemas.

use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashSet;
use toolscout_core::Tool;

/// The maximum number of schemas visited for one tool. A schema of 5,000 properties needs two
/// each; references that multiply hit this limit instead of taking unbounded time.
const FUEL: u32 = 100_000;

/// The maximum number of references and wrappers around one schema.
const MAX_HOPS: usize = 16;

/// The schema without any constraint.
static ANYTHING: Value = Value::Bool(true);

/// One tool's input schema, and the budget for following references in it.
pub(super) struct Schemas {
    root: Value,
    fuel: Cell<u32>,
}

impl Schemas {
    pub(super) fn new(tool: &Tool) -> Self {
        Self { root: tool.input_schema.to_value(), fuel: Cell::new(FUEL) }
    }

    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// The schema behind `$ref`, a lone `allOf`, and `anyOf` with `null`; the unconstrained
    /// schema if the reference does not resolve.
    pub(super) fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        for _ in 0..MAX_HOPS {
            if !self.spend() {
                break;
            }
            match self.unwrap_once(schema) {
                Some(inner) => schema = inner,
                None => return schema,
            }
        }
        &ANYTHING
    }

    /// The properties with their schemas, in the author's order, each with whether it is
    /// required.
    pub(super) fn properties<'a>(&'a self, schema: &'a Value) -> Vec<(&'a str, &'a Value, bool)> {
        let schema = self.resolve(schema);
        let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
        let required =
            schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let required: HashSet<_> = required.iter().filter_map(Value::as_str).collect();
        properties
            .iter()
            .map(|(name, property)| (name.as_str(), property, required.contains(name.as_str())))
            .collect()
    }

    /// An annotation of the schema; the place of use takes precedence over the definition.
    pub(super) fn annotation<'a>(&'a self, schema: &'a Value, key: &str) -> Option<&'a Value> {
        schema.get(key).or_else(|| self.resolve(schema).get(key))
    }

    /// Takes one step; false if the limit is reached.
    pub(super) fn spend(&self) -> bool {
        let remaining = self.fuel.get();
        self.fuel.set(remaining.saturating_sub(1));
        remaining > 0
    }

    fn unwrap_once<'a>(&'a self, schema: &'a Value) -> Option<&'a Value> {
        let map = schema.as_object()?;
        if let Some(target) = map.get("$ref") {
            return Some(
                target.as_str().and_then(|target| self.target(target)).unwrap_or(&ANYTHING),
            );
        }
        if ["type", "properties", "enum", "const", "items"]
            .into_iter()
            .any(|item| map.contains_key(item))
        {
            return None;
        }
        ["allOf", "anyOf", "oneOf"].into_iter().find_map(|key| single(alternatives(map, key)))
    }

    /// Resolves only references within the same document; nothing is fetched.
    fn target(&self, reference: &str) -> Option<&Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

/// The listed schemas except those for null: an optional value may be left out instead.
pub(super) fn alternatives<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a Value> {
    let all = map.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter(|item| !is_null(item))
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
        || schema.get("const").is_some_and(Value::is_null)
}

fn single<'a>(mut all: impl Iterator<Item = &'a Value>) -> Option<&'a Value> {
    all.next().filter(|_| all.next().is_none())
}

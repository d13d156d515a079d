//! Collects facts about a schema before it is used: its size, the cost of its patterns, and the
//! targets of its references.

use super::pattern;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Facts about a schema.
#[derive(Default)]
pub(super) struct SchemaSurvey<'a> {
    /// The number of nodes.
    pub(super) nodes: usize,
    /// The number of states of all patterns together.
    pub(super) states: u64,
    /// The number of references.
    pub(super) references: usize,
    /// The number of `unevaluated*` keywords, which apply to everything that other keywords have
    /// not evaluated.
    pub(super) unevaluated: usize,
    /// Whether references may not resolve as written: a part has its own `$id`, an anchor occurs
    /// twice, or `$recursiveRef` is used.
    pub(super) has_odd_references: bool,
    anchors: HashMap<&'a str, &'a Value>,
    states_of: HashMap<&'a str, u64>,
    /// The number of comparisons of each `enum`, by the address of its list.
    comparisons: HashMap<usize, u64>,
}

impl<'a> SchemaSurvey<'a> {
    /// Surveys the whole schema, without recursion: hostile schemas are deep.
    pub(super) fn new(schema: &'a Value) -> Self {
        let mut survey = Self::default();
        for node in nodes(schema) {
            survey.nodes += 1;
            if let Value::Object(keywords) = node {
                survey.note_names(node, keywords, std::ptr::eq(node, schema));
                survey.note_work(keywords);
            }
        }
        survey
    }

    /// The target of a reference; `None` if only the validator can resolve it.
    pub(super) fn target(&self, root: &'a Value, reference: &str) -> Option<&'a Value> {
        match reference.strip_prefix('#')? {
            "" => Some(root),
            // Percent-encoded pointers are rare, and decoding is left to the validator.
            odd if odd.contains('%') => None,
            pointer if pointer.starts_with('/') => root.pointer(pointer),
            anchor => self.anchors.get(anchor).copied(),
        }
    }

    /// The number of states of a pattern of this schema.
    pub(super) fn states_of(&self, pattern: &str) -> u64 {
        self.states_of.get(pattern).copied().unwrap_or(0)
    }

    /// The number of steps to find a value in this `enum`. Strings are looked up, other values are
    /// compared.
    pub(super) fn comparisons(&self, values: &[Value]) -> u64 {
        self.comparisons.get(&values.as_ptr().addr()).copied().unwrap_or(0)
    }

    fn note_names(&mut self, node: &'a Value, keywords: &'a Map<String, Value>, is_root: bool) {
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        self.has_odd_references |=
            !is_root && (text("$id").is_some() || text("id").is_some_and(is_address));
        self.has_odd_references |= text("$recursiveRef").is_some();
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(anchor) = text(keyword) else { continue };
            // If an anchor occurs twice, its target depends on the path of the validator.
            self.has_odd_references |= self.anchors.insert(anchor, node).is_some();
        }
        let has = |keyword: &str| usize::from(keywords.contains_key(keyword));
        self.references += has("$ref") + has("$dynamicRef") + has("$recursiveRef");
        self.unevaluated += has("unevaluatedProperties") + has("unevaluatedItems");
    }

    fn note_work(&mut self, keywords: &'a Map<String, Value>) {
        let pattern = keywords.get("pattern").and_then(Value::as_str);
        let names = keywords.get("patternProperties").and_then(Value::as_object);
        for pattern in pattern
            .into_iter()
            .chain(names.into_iter().flat_map(|name| name.keys().map(String::as_str)))
        {
            let states = *self.states_of.entry(pattern).or_insert_with(|| pattern::states(pattern));
            self.states = self.states.saturating_add(states);
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            let others = values.iter().filter(|value| !value.is_string()).count();
            self.comparisons.insert(values.as_ptr().addr(), others as u64);
        }
    }
}

/// Whether this looks like an `id` of the old drafts; a plain word is more likely an example.
fn is_address(text: &str) -> bool {
    text.contains([':', '/', '#'])
}

/// Iterates over the value and everything within it, in no particular order.
pub(super) fn nodes(value: &Value) -> impl Iterator<Item = &Value> {
    let mut open = vec![value];
    std::iter::from_fn(move || {
        let next = open.pop()?;
        match next {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
        Some(next)
    })
}

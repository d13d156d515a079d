//! One look over a schema before it is used: how big it is, what its patterns cost, where its references lead.

use super::pattern;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What there is to know about a schema.
#[derive(Default)]
pub(super) struct SchemaSurvey<'a> {
    /// How many values there are in it.
    pub(super) nodes: usize,
    /// How many states its patterns have together.
    pub(super) states: u64,
    /// How many references there are in it.
    pub(super) references: usize,
    /// How many parts of it ask what others have not looked at.
    pub(super) unevaluated: usize,
    /// It has parts that call themselves documents of their own, so that a reference may mean something else than it says.
    pub(super) has_odd_references: bool,
    anchors: HashMap<&'a str, &'a Value>,
    states_of: HashMap<&'a str, u64>,
    /// By where the list of values is.
    comparisons: HashMap<usize, u64>,
}

impl<'a> SchemaSurvey<'a> {
    /// Looks at all of it, without recursion: hostile schemas are deep.
    pub(super) fn of(schema: &'a Value) -> Self {
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

    /// Where a reference leads; none where only the validator can know.
    pub(super) fn target(&self, root: &'a Value, reference: &str) -> Option<&'a Value> {
        match reference.strip_prefix('#')? {
            "" => Some(root),
            // Rare, and decoding is the validator's business.
            odd if odd.contains('%') => None,
            pointer if pointer.starts_with('/') => root.pointer(pointer),
            anchor => self.anchors.get(anchor).copied(),
        }
    }

    /// How many states a pattern of this schema has.
    pub(super) fn states_of(&self, pattern: &str) -> u64 {
        self.states_of.get(pattern).copied().unwrap_or(0)
    }

    /// How many steps it takes to find a value among these of the schema. Texts are looked up, others compared.
    pub(super) fn comparisons(&self, values: &[Value]) -> u64 {
        self.comparisons.get(&values.as_ptr().addr()).copied().unwrap_or(0)
    }

    fn note_names(&mut self, node: &'a Value, keywords: &'a Map<String, Value>, is_root: bool) {
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        self.has_odd_references |= !is_root && (text("$id").is_some() || text("id").is_some_and(is_address));
        self.has_odd_references |= text("$recursiveRef").is_some();
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(anchor) = text(keyword) else { continue };
            // The same name twice: which one is meant depends on the road.
            self.has_odd_references |= self.anchors.insert(anchor, node).is_some();
        }
        let has = |keyword: &str| usize::from(keywords.contains_key(keyword));
        self.references += has("$ref") + has("$dynamicRef") + has("$recursiveRef");
        self.unevaluated += has("unevaluatedProperties") + has("unevaluatedItems");
    }

    fn note_work(&mut self, keywords: &'a Map<String, Value>) {
        let pattern = keywords.get("pattern").and_then(Value::as_str);
        let names = keywords.get("patternProperties").and_then(Value::as_object);
        for pattern in pattern.into_iter().chain(names.into_iter().flat_map(|it| it.keys().map(String::as_str))) {
            let states = *self.states_of.entry(pattern).or_insert_with(|| pattern::states(pattern));
            self.states = self.states.saturating_add(states);
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            let others = values.iter().filter(|it| !it.is_string()).count();
            self.comparisons.insert(values.as_ptr().addr(), others as u64);
        }
    }
}

/// What an `id` of the old dialects looks like; a plain word is more likely an example.
fn is_address(text: &str) -> bool {
    text.contains([':', '/', '#'])
}

/// The value and all within it, in no order.
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

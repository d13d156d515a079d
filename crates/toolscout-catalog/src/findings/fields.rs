//! Collects all texts of a definition with their locations.

use super::MAX_BYTES;
use serde_json::Value;

/// All strings and keys of a definition, in the order they are written.
pub(super) struct DefinitionTexts<'a> {
    pub(super) texts: Vec<DefinitionText<'a>>,
    /// Whether the definition exceeds the scan limit.
    pub(super) is_cut: bool,
    /// The parent and the path segment of each value; pointers are built only for findings.
    nodes: Vec<(usize, PathSegment<'a>)>,
}

#[derive(Clone, Copy)]
pub(super) struct DefinitionText<'a> {
    pub(super) text: &'a str,
    /// The part of the definition that it is.
    pub(super) place: TextPlace,
    node: usize,
}

/// The part of a definition that a text is: an instruction to a model is less likely in some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPlace {
    /// A description, or anything else that is written for readers.
    Prose,
    /// A key, for example the name of a property.
    Key,
    /// A short text that is not meant to explain: a title, a hint, a comment.
    Label,
    /// A value of a parameter: its default, one of its choices, an example.
    Value,
}

impl TextPlace {
    /// The place of what a key holds.
    fn below(self, key: &str) -> Self {
        match key {
            "default" | "const" | "enum" | "examples" | "example" => Self::Value,
            "title" | "annotations" | "$comment" => Self::Label,
            "description" => Self::Prose,
            _ => self,
        }
    }
}

impl DefinitionText<'_> {
    /// Whether it is short enough to be a schema keyword: `type`, `object`, `string` …
    pub(super) fn is_keyword(&self) -> bool {
        self.text.len() <= 6 && self.text.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

#[derive(Clone, Copy)]
enum PathSegment<'a> {
    Root,
    Key(&'a str),
    Item(usize),
}

struct Pending<'a> {
    value: &'a Value,
    node: usize,
    place: TextPlace,
}

impl<'a> DefinitionTexts<'a> {
    /// Walks the definition without recursion: hostile ones are deep.
    pub(super) fn collect(definition: &'a Value) -> Self {
        let mut fields =
            Self { texts: Vec::new(), is_cut: false, nodes: vec![(0, PathSegment::Root)] };
        let mut pending = vec![Pending { value: definition, node: 0, place: TextPlace::Prose }];
        let mut budget = MAX_BYTES;
        while let Some(Pending { value, node, place }) = pending.pop() {
            let first = fields.nodes.len();
            match value {
                Value::String(text) => fields.add(text, place, node, &mut budget),
                Value::Array(items) => {
                    fields.nodes.extend((0..items.len()).map(|at| (node, PathSegment::Item(at))));
                    let items = items.iter().enumerate().rev();
                    pending.extend(items.map(|(at, value)| Pending {
                        value,
                        node: first + at,
                        place,
                    }));
                }
                Value::Object(map) => {
                    let has_names = fields.holds_names(node);
                    fields.nodes.extend(map.keys().map(|key| (node, PathSegment::Key(key))));
                    for (at, key) in map.keys().enumerate() {
                        fields.add(key, TextPlace::Key, first + at, &mut budget);
                    }
                    let entries = map.iter().enumerate().rev();
                    pending.extend(entries.map(|(at, (key, value))| Pending {
                        value,
                        node: first + at,
                        place: if has_names { TextPlace::Prose } else { place.below(key) },
                    }));
                }
                _ => {}
            }
        }
        fields
    }

    /// Whether the keys of this object are names, not keywords of JSON Schema.
    fn holds_names(&self, node: usize) -> bool {
        matches!(self.nodes[node].1, PathSegment::Key("properties" | "$defs" | "definitions"))
    }

    /// Whether these two are keys of one object.
    pub(super) fn are_siblings(
        &self,
        one: &DefinitionText<'_>,
        other: &DefinitionText<'_>,
    ) -> bool {
        self.nodes[one.node].0 == self.nodes[other.node].0
    }

    /// Whether this is the name of a property.
    pub(super) fn is_property(&self, field: &DefinitionText<'_>) -> bool {
        field.place == TextPlace::Key && self.holds_names(self.nodes[field.node].0)
    }

    fn add(&mut self, text: &'a str, place: TextPlace, node: usize, budget: &mut usize) {
        if text.len() > *budget {
            self.is_cut = true;
        }
        let text = &text[..text.floor_char_boundary(*budget)];
        *budget -= text.len();
        if !text.is_empty() {
            self.texts.push(DefinitionText { text, place, node });
        }
    }

    pub(super) fn pointer(&self, field: &DefinitionText<'_>) -> String {
        let (mut node, mut steps) = (field.node, Vec::new());
        loop {
            let (parent, step) = self.nodes[node];
            match step {
                PathSegment::Root => break,
                PathSegment::Key(key) => steps.push(key.replace('~', "~0").replace('/', "~1")),
                PathSegment::Item(at) => steps.push(at.to_string()),
            }
            node = parent;
        }
        steps.iter().rev().fold(String::new(), |pointer, step| pointer + "/" + step)
    }
}

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
    /// Whether it is a key, for example the name of a property.
    pub(super) is_key: bool,
    place: usize,
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

impl<'a> DefinitionTexts<'a> {
    /// Walks the definition without recursion: hostile ones are deep.
    pub(super) fn collect(definition: &'a Value) -> Self {
        let mut fields =
            Self { texts: Vec::new(), is_cut: false, places: vec![(0, PathSegment::Root)] };
        let (mut open, mut left) = (vec![(definition, 0)], MAX_BYTES);
        while let Some((value, place)) = open.pop() {
            match value {
                Value::String(text) => fields.add(text, place, node, &mut budget),
                Value::Array(items) => {
                    let first = fields.places.len();
                    fields.places.extend((0..items.len()).map(|at| (place, PathSegment::Item(at))));
                    open.extend(items.iter().enumerate().rev().map(|(at, it)| (it, first + at)));
                }
                Value::Object(map) => {
                    let has_names = fields.holds_names(node);
                    fields.nodes.extend(map.keys().map(|key| (node, PathSegment::Key(key))));
                    for (at, key) in map.keys().enumerate() {
                        fields.add(key, true, first + at, &mut left);
                    }
                    open.extend(map.values().enumerate().rev().map(|(at, it)| (it, first + at)));
                }
                _ => {}
            }
        }
        fields
    }

    fn add(&mut self, text: &'a str, is_key: bool, place: usize, left: &mut usize) {
        if text.len() > *left {
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

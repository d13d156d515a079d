//! Calculates the size of a schema with every reference replaced by its target.
//!
//! The validator does not do that, with one exception: it prepares a schema with `unevaluated*`
//! keywords separately for every path that leads through it.

use super::survey::SchemaSurvey;
use serde_json::Value;
use std::collections::HashMap;

/// Maximum depth; anything deeper counts as infinite.
const MAX_DEPTH: usize = 256;

/// The size in nodes; each cycle counts once.
pub(super) fn size(root: &Value, survey: &SchemaSurvey<'_>) -> u64 {
    SchemaUnroller { root, survey, memo: HashMap::new() }.size(root, MAX_DEPTH)
}

struct SchemaUnroller<'a> {
    root: &'a Value,
    survey: &'a SchemaSurvey<'a>,
    /// Sizes by the address of a reference's target; 0 while the target is in progress.
    memo: HashMap<usize, u64>,
}

impl<'a> SchemaUnroller<'a> {
    fn size(&mut self, node: &'a Value, depth: usize) -> u64 {
        let Some(depth) = depth.checked_sub(1) else { return u64::MAX };
        match node {
            Value::Array(items) => self.sum(items.iter(), depth),
            Value::Object(map) => {
                let inner = self.sum(map.values(), depth);
                let target = map.get("$ref").or(map.get("$dynamicRef")).and_then(Value::as_str);
                let target = target.and_then(|target| self.survey.target(self.root, target));
                inner.saturating_add(target.map_or(0, |target| self.target_size(target, depth)))
            }
            _ => 1,
        }
    }

    fn sum(&mut self, nodes: impl Iterator<Item = &'a Value>, depth: usize) -> u64 {
        nodes.fold(1u64, |sum, nodes| sum.saturating_add(self.size(nodes, depth)))
    }

    fn target_size(&mut self, target: &'a Value, depth: usize) -> u64 {
        let address = std::ptr::from_ref(target).addr();
        if let Some(size) = self.memo.get(&address) {
            return *size;
        }
        self.memo.insert(address, 0);
        let size = self.size(target, depth);
        self.memo.insert(address, size);
        size
    }
}

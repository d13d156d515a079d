//! Flattens nested properties: one flag for each leaf, by its path.

use super::analysis::FlagClash;
use super::hints::{Conversion, Layout};
use super::schemas::Schemas;
use super::shape::Shape;
use super::{DiagnosticCollector, names};
use crate::cli::value::scalar_text;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use toolscout_core::{Diagnostic, DiagnosticKind, counted};

/// The maximum number of flags from nested objects; further ones stay JSON. Every top-level
/// property has a flag.
const MAX_NESTED_FLAGS: usize = 10_000;

/// The maximum number of clashes reported one by one for a tool.
const MAX_REPORTED_CLASHES: usize = 20;

/// A tool's properties, as flags.
pub(super) struct Flat {
    pub(super) leaves: Vec<Leaf>,
    pub(super) parents: Vec<Parent>,
    pub(super) clashes: Vec<FlagClash>,
}

/// A property with a flag of its own.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) path: Vec<String>,
    pub(super) flag: String,
    pub(super) shape: Shape,
    /// Required, as are all its parents, and without a default.
    pub(super) required: bool,
    pub(super) help: String,
    pub(super) default: Option<String>,
    /// A default of the author's hints, which the gateway does not know.
    pub(super) own_default: Option<Value>,
    pub(super) conversion: Option<Conversion>,
}

/// An object whose properties are flags; it may be given whole, as JSON.
#[derive(Debug, Clone)]
pub(super) struct Parent {
    pub(super) path: Vec<String>,
    /// Empty if a leaf has that name.
    pub(super) flag: String,
    pub(super) required: bool,
    pub(super) help: String,
    /// Whether help shows the flag: a property in this object has no flag of its own.
    pub(super) shown: bool,
}

pub(super) fn flatten(
    schemas: &Schemas,
    layout: &Layout,
    collector: &mut DiagnosticCollector<'_>,
) -> Flat {
    let mut walk = Walk {
        schemas,
        layout,
        flat: Flat { leaves: Vec::new(), parents: Vec::new(), clashes: Vec::new() },
    };
    walk.object(schemas.root(), &mut Vec::new(), true);
    let mut flat = walk.flat;
    name_parents(&mut flat);
    resolve_collisions(&mut flat, collector);
    flat
}

struct Walk<'a> {
    schemas: &'a Schemas,
    layout: &'a Layout,
    flat: Flat,
}

impl Walk<'_> {
    /// Recursion depth is at most `max_depth` of the layout.
    fn object(&mut self, schema: &Value, path: &mut Vec<String>, required: bool) {
        for (name, property, needed) in self.schemas.properties(schema) {
            path.push(name.to_owned());
            self.property(property, path, required && needed);
            path.pop();
        }
    }

    fn property(&mut self, schema: &Value, path: &mut Vec<String>, required: bool) {
        let shape = Shape::from_schema(self.schemas, schema);
        let flag = names::flag(path, &self.layout.separator);
        let help = self.help(schema);
        let given = self.layout.override_for(&flag);
        let is_flattened = shape == Shape::Object && given.shape.is_none();
        if is_flattened && path.len() < self.layout.max_depth && self.has_room(schema) {
            let parent = Parent { path: path.clone(), flag, required, help, shown: false };
            self.flat.parents.push(parent);
            return self.object(schema, path, required);
        }
        let default = given
            .default
            .as_ref()
            .or_else(|| self.schemas.annotation(schema, "default"))
            .filter(|value| !value.is_null());
        let leaf = Leaf {
            path: path.clone(),
            flag,
            shape: given.shape.unwrap_or_else(|| self.layout.adjust(shape)),
            required: given.required.unwrap_or(required && default.is_none()),
            help,
            default: default
                .map(|default| scalar_text(default.clone()).unwrap_or_else(|| default.to_string())),
            own_default: given.default.clone(),
            conversion: given.conversion,
        };
        self.flat.leaves.push(leaf);
    }

    fn has_room(&self, schema: &Value) -> bool {
        self.flat.leaves.len() + self.schemas.properties(schema).len() <= MAX_NESTED_FLAGS
    }

    fn help(&self, schema: &Value) -> String {
        let text = ["description", "title"]
            .into_iter()
            .find_map(|item| self.schemas.annotation(schema, item)?.as_str());
        text.unwrap_or_default().to_owned()
    }
}

/// If several properties result in the same flag, the least nested one gets it, then the first;
/// the others are reported and stay reachable as JSON.
fn resolve_collisions(flat: &mut Flat, collector: &mut DiagnosticCollector<'_>) {
    let clashes = clashes(flat);
    flat.clashes = clashes.iter().map(|clash| flag_clash(flat, clash)).collect();
    clashes
        .iter()
        .take(MAX_REPORTED_CLASHES)
        .for_each(|clash| report_clash(flat, clash, collector));
    if clashes.len() > MAX_REPORTED_CLASHES {
        let message = format!(
            "`{}` has {}",
            collector.tool.id,
            counted(clashes.len() - MAX_REPORTED_CLASHES, "more flag collision")
        );
        collector.add(
            Diagnostic::warning(DiagnosticKind::Collision, message)
                .with_hint("choose another `cli.separator`"),
        );
    }
    let without_flag: HashSet<_> = clashes.iter().flat_map(|clash| &clash[1..]).copied().collect();
    show_parents(flat, &without_flag);
    let mut index = 0..;
    flat.leaves.retain(|_| index.next().is_some_and(|index| !without_flag.contains(&index)));
}

/// Groups of leaves that share a flag; in each group the leaf that gets the flag comes first.
fn clashes(flat: &Flat) -> Vec<Vec<usize>> {
    let mut by_flag: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, leaf) in flat.leaves.iter().enumerate() {
        by_flag.entry(&leaf.flag).or_default().push(index);
    }
    let mut clashes: Vec<_> = by_flag.into_values().filter(|value| value.len() > 1).collect();
    clashes.sort_unstable();
    clashes.iter_mut().for_each(|clash| clash.sort_by_key(|index| flat.leaves[*index].path.len()));
    clashes
}

fn flag_clash(flat: &Flat, clash: &[usize]) -> FlagClash {
    let leaves = clash.iter().map(|index| &flat.leaves[*index]);
    FlagClash {
        flag: flat.leaves[clash[0]].flag.clone(),
        properties: leaves.map(|leaf| leaf.path.join(".")).collect(),
    }
}

/// Shows the objects through which the user can set the properties without a flag.
fn show_parents(flat: &mut Flat, without_flag: &HashSet<usize>) {
    let paths = without_flag.iter().map(|index| &flat.leaves[*index].path);
    let ancestors: HashSet<_> =
        paths.flat_map(|path| (1..path.len()).map(|index| &path[..index])).collect();
    flat.parents
        .iter_mut()
        .for_each(|parent| parent.shown = ancestors.contains(parent.path.as_slice()));
}

fn report_clash(flat: &Flat, clash: &[usize], collector: &mut DiagnosticCollector<'_>) {
    let leaves: Vec<_> = clash.iter().map(|index| &flat.leaves[*index]).collect();
    let paths: Vec<_> = leaves.iter().map(|leaf| leaf.path.join(".")).collect();
    let message = format!(
        "`{}` has properties with the same flag: {}: {}",
        collector.tool.id,
        leaves[0].flag,
        paths.join(", ")
    );
    let alternatives: Vec<_> =
        leaves[1..].iter().map(|leaf| alternative_input(flat, leaf)).collect();
    let hint = format!("`--{}` sets {}; {}", leaves[0].flag, paths[0], alternatives.join(", "));
    collector.add(Diagnostic::warning(DiagnosticKind::Collision, message).with_hint(hint));
}

/// How to set a property that has no flag: in the nearest parent object that has one.
fn alternative_input(flat: &Flat, leaf: &Leaf) -> String {
    let path = leaf.path.join(".");
    let nearest_parent = (1..leaf.path.len()).rev().find_map(|index| {
        let parent = flat
            .parents
            .iter()
            .find(|parent| parent.path == leaf.path[..index] && !parent.flag.is_empty());
        parent.map(|parent| (parent.flag.as_str(), index))
    });
    let has_input = flat
        .leaves
        .iter()
        .map(|leaf| &leaf.flag)
        .chain(flat.parents.iter().map(|parent| &parent.flag))
        .any(|flag| flag == "input");
    let Some((flag, depth)) = nearest_parent.or((!has_input).then_some(("input", 0))) else {
        return format!("rename {path}");
    };
    let names = leaf.path[depth..].iter().rev();
    let json = names.fold("…".to_owned(), |inner, name| {
        format!("{{{}: {inner}}}", Value::from(name.as_str()))
    });
    format!("set {path} with `--{flag} '{json}'`")
}

/// Names the parents; a leaf takes precedence over a parent for the same name.
fn name_parents(flat: &mut Flat) {
    let mut taken: HashSet<String> = flat.leaves.iter().map(|leaf| leaf.flag.clone()).collect();
    for parent in &mut flat.parents {
        if !taken.insert(parent.flag.clone()) {
            parent.flag.clear();
        }
    }
}

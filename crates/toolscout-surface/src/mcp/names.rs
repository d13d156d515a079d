//! The wire names of tools.
//!
//! A wire name is `source__tool`, with characters and a length that every client accepts. The
//! conversion loses information, so a name is looked up and never parsed. A name that a tool once
//! had is never given to another tool, because a client may still use it for the first. One thing
//! is stronger: `source__tool` always leads to the tool of exactly that source and name, on every
//! surface, so the converted name of another tool cannot stand in for it.

mod name_store;
mod safe;

#[cfg(test)]
mod tests;

pub use name_store::WireNameStore;
pub(super) use safe::is_valid_name;

use super::meta;
use name_store::GivenNames;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{SourceId, SourceKind, Tool, ToolId, Visibility};
use toolscout_gateway::Snapshot;

/// The wire names of all tools of one catalog, in both directions. Computed once per catalog.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The names of the shared tools, if this adds the tools of one request to them.
    shared_names: Option<Arc<Names>>,
    wires: HashMap<ToolId, Arc<str>>,
    tools: HashMap<Arc<str>, ToolId>,
}

impl Names {
    /// Names every tool of the catalog: with its previous name if it has one, else in the order of
    /// source and name, exact names first. New names are stored, except those of tools of one
    /// request, which get any free name.
    pub(super) fn for_snapshot(snapshot: &Snapshot, name_store: &WireNameStore) -> Self {
        let (own, shared): (Vec<_>, Vec<_>) = with_origins(snapshot)
            .into_iter()
            .partition(|(_, origin)| *origin == SourceKind::Request);
        let assign = |given: &GivenNames| Self::assign(given, None, &shared, preferred_name);
        let shared_names = name_store.shared(&shared, assign);
        if own.is_empty() {
            return Self { shared_names: Some(shared_names), ..Self::default() };
        }
        Self::assign(&name_store.given_names(), Some(shared_names), &own, preferred_name).0
    }

    /// Names every tool of the catalog for the APIs of model vendors. A name differs from the one
    /// that MCP clients see only if a vendor would refuse that one; it is then a second name of the
    /// same tool.
    fn for_models(snapshot: &Snapshot, given: &GivenNames) -> (Self, NewNames) {
        Self::assign(given, None, &with_origins(snapshot), preferred_model_name)
    }

    /// The wire name of a tool, or its own name if it is not in this catalog.
    pub(super) fn wire<'a>(&'a self, id: &'a ToolId) -> &'a str {
        match (self.wires.get(id), &self.shared_names) {
            (Some(wire), _) => wire,
            (None, Some(shared_names)) => shared_names.wire(id),
            (None, None) => id.name.as_str(),
        }
    }

    /// The tool with this name, which may be a previous name.
    pub(super) fn tool(&self, wire: &str) -> Option<&ToolId> {
        self.tools.get(wire).or_else(|| self.shared_names.as_ref()?.tool(wire))
    }

    /// Names these tools. Also returns the names that are new.
    fn assign(
        given: &GivenNames,
        shared_names: Option<Arc<Self>>,
        tools: &[(&Arc<Tool>, SourceKind)],
        preferred_name: fn(&Tool, SourceKind) -> String,
    ) -> (Self, NewNames) {
        let (wires, to_tools) =
            (HashMap::with_capacity(tools.len()), HashMap::with_capacity(tools.len()));
        let names = Self { shared_names, wires, tools: to_tools };
        let mut assignment = NameAssignment {
            given,
            names,
            next: HashMap::new(),
            new_names: Vec::new(),
            previous: Vec::new(),
        };
        let mut tools = tools.to_vec();
        tools.sort_by_key(|(tool, _)| &tool.id);
        let (exact, converted): (Vec<_>, Vec<_>) = tools
            .iter()
            .map(|(tool, origin)| (&tool.id, preferred_name(tool, *origin)))
            .partition(|(id, preferred)| is_exact(id, preferred));
        for (id, preferred) in exact {
            assignment.name_exactly(id, preferred);
        }
        for (id, preferred) in converted {
            assignment.name(id, preferred);
        }
        // Previous names still lead to their tools.
        for (wire, tool) in assignment.previous {
            assignment.names.tools.entry(wire).or_insert(tool);
        }
        (assignment.names, assignment.new_names)
    }
}

/// Whether the name is the source and the name of the tool, unchanged. A name is split at the first
/// `__`, as where users type it.
fn is_exact(id: &ToolId, wire: &str) -> bool {
    wire.split_once("__") == Some((id.source.as_str(), id.name.as_str()))
}

/// Every tool of the catalog, with the kind of its source.
fn with_origins(snapshot: &Snapshot) -> Vec<(&Arc<Tool>, SourceKind)> {
    let origins: HashMap<&SourceId, SourceKind> = snapshot.sources().collect();
    let origin_of =
        |tool: &Tool| origins.get(&tool.id.source).copied().unwrap_or(SourceKind::Request);
    snapshot.tools().map(|tool| (tool, origin_of(tool))).collect()
}

/// Names that were given for the first time.
type NewNames = Vec<(Arc<str>, ToolId)>;

/// The state while names are given.
struct NameAssignment<'a> {
    given: &'a GivenNames,
    names: Names,
    /// The next number to try, by the name without a number.
    next: HashMap<String, u32>,
    new_names: NewNames,
    /// Previous names of tools.
    previous: NewNames,
}

impl NameAssignment<'_> {
    /// Names a tool whose preferred name is `source__tool`, also if the name was given to another
    /// tool by conversion.
    fn name_exactly(&mut self, id: &ToolId, preferred: String) {
        if meta::is_reserved(&preferred) || self.names.tool(&preferred).is_some() {
            return self.name(id, preferred);
        }
        let wire: Arc<str> = preferred.into();
        let given = self.given.names_of(id).iter().filter(|name| **name != wire);
        self.previous.extend(given.map(|name| (name.clone(), id.clone())));
        if !self.given.names_of(id).contains(&wire) {
            self.new_names.push((wire.clone(), id.clone()));
        }
        self.insert(id, wire);
    }

    fn name(&mut self, id: &ToolId, preferred: String) {
        let is_free = |wire: &Arc<str>| self.names.tool(wire).is_none();
        let is_current =
            |wire: &Arc<str>| safe::is_numbered_form(wire, &preferred) && is_free(wire);
        let given = self.given.names_of(id);
        let current = given.iter().position(is_current);
        let others = given.iter().enumerate().filter(|(index, _)| Some(*index) != current);
        self.previous.extend(others.map(|(_, wire)| (wire.clone(), id.clone())));
        let wire = current.map(|index| given[index].clone()).unwrap_or_else(|| {
            let wire: Arc<str> = self.unique_name(&preferred).into();
            self.new_names.push((wire.clone(), id.clone()));
            wire
        });
        self.insert(id, wire);
    }

    fn insert(&mut self, id: &ToolId, wire: Arc<str>) {
        self.names.tools.insert(wire.clone(), id.clone());
        self.names.wires.insert(id.clone(), wire);
    }

    /// The name, with a number after it if that is needed to make it unique.
    fn unique_name(&mut self, preferred: &str) -> String {
        let next = self.next.entry(preferred.to_owned()).or_insert(1);
        loop {
            let wire = safe::numbered(preferred, *next);
            *next += 1;
            let is_taken = self.names.tool(&wire).is_some() || self.given.is_taken(&wire);
            if !is_taken && !meta::is_reserved(&wire) {
                return wire;
            }
        }
    }
}

/// The preferred name of a tool, ignoring collisions. A listed tool of an application keeps its own
/// name.
fn preferred_name(tool: &Tool, origin: SourceKind) -> String {
    let is_native = origin == SourceKind::Code && tool.visibility == Visibility::Listed;
    match tool.id.name.as_str() {
        name if is_native && is_valid_name(name) && !meta::is_reserved(name) => name.to_owned(),
        name => safe::joined(tool.id.source.as_str(), name),
    }
}

/// As [`preferred_name`], in the characters and the length that model vendors accept.
fn preferred_model_name(tool: &Tool, origin: SourceKind) -> String {
    let name = preferred_name(tool, origin);
    if safe::is_valid_model_name(&name) {
        return name;
    }
    safe::joined(tool.id.source.as_str(), tool.id.name.as_str())
}

//! The wire names of tools.
//!
//! A wire name is `source__tool`, with characters and a length that every client accepts. The
//! conversion loses information, so a name is looked up and never parsed. A name that a tool once
//! had is never given to another tool, because a client may still use it for the first.

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
    /// source and name, exact names first. New names are stored, except those of tools of one request, which get any
    /// free name.
    pub(super) fn of(snapshot: &Snapshot, remembered: &Remembered) -> Self {
        let origins: HashMap<&SourceId, SourceKind> = snapshot.sources().collect();
        let of = |it: &Tool| origins.get(&it.id.source).copied().unwrap_or(SourceKind::Request);
        let all = snapshot.tools().map(|it| (it, of(it)));
        let (own, shared): (Vec<_>, Vec<_>) =
            all.partition(|(_, origin)| *origin == SourceKind::Request);
        let beneath = remembered.shared(&shared, |given| Self::given(given, None, &shared));
        if own.is_empty() {
            return Self { shared_names: Some(shared_names), ..Self::default() };
        }
        Self::given(&remembered.known(), Some(beneath), &own).0
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
    ) -> (Self, News) {
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
        for (tool, origin) in &tools {
            naming.name(tool, *origin);
        }
        // Previous names still lead to their tools.
        for (wire, tool) in assignment.previous {
            assignment.names.tools.entry(wire).or_insert(tool);
        }
        (assignment.names, assignment.new_names)
    }
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

impl Naming<'_> {
    fn name(&mut self, tool: &Tool, origin: SourceKind) {
        let plain = plain(tool, origin);
        let given = self.given.of(&tool.id);
        let at = given.iter().position(|it| safe::is_form(it, &plain));
        let others = given.iter().enumerate().filter(|(index, _)| Some(*index) != at);
        self.before.extend(others.map(|(_, wire)| (wire.clone(), tool.id.clone())));
        let wire = at.map(|it| given[it].clone()).unwrap_or_else(|| {
            let wire: Arc<str> = self.free(&plain).into();
            self.news.push((wire.clone(), tool.id.clone()));
            wire
        });
        self.names.tools.insert(wire.clone(), tool.id.clone());
        self.names.wires.insert(tool.id.clone(), wire);
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

//! What tools are called on the wire.
//!
//! `source__tool`, in characters and at a length that every client takes. That loses something, so a name is looked up and
//! never parsed; and a name that a tool once had is never another's, because somebody may still say it and mean the first.

mod remembered;
mod safe;

#[cfg(test)]
mod tests;

pub use remembered::Remembered;
pub(super) use safe::is_name;

use super::meta;
use remembered::Given;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{SourceId, SourceKind, Tool, ToolId, Visibility};
use toolscout_gateway::Snapshot;

/// The names of all tools of one catalog, both ways. Made when the catalog has changed, and only looked up otherwise.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of what everybody has, where there is more.
    beneath: Option<Arc<Names>>,
    wires: HashMap<ToolId, Arc<str>>,
    tools: HashMap<Arc<str>, ToolId>,
}

impl Names {
    /// Names every tool of the catalog: as it was before, and otherwise in the order of source and name. What is new is
    /// remembered, but for tools that are of one request only: those take what is free, and cost no more than they are.
    pub(super) fn of(snapshot: &Snapshot, remembered: &Remembered) -> Self {
        let origins: HashMap<&SourceId, SourceKind> = snapshot.sources().collect();
        let of = |it: &Tool| origins.get(&it.id.source).copied().unwrap_or(SourceKind::Request);
        let all = snapshot.tools().map(|it| (it, of(it)));
        let (own, shared): (Vec<_>, Vec<_>) = all.partition(|(_, origin)| *origin == SourceKind::Request);
        let beneath = remembered.shared(&shared, |given| Self::given(given, None, &shared));
        match own.is_empty() {
            true => Self { beneath: Some(beneath), ..Self::default() },
            false => Self::given(&remembered.known(), Some(beneath), &own).0,
        }
    }

    /// What the tool is called on the wire. One that is not of this catalog has no name here but its own.
    pub(super) fn wire<'a>(&'a self, id: &'a ToolId) -> &'a str {
        match (self.wires.get(id), &self.beneath) {
            (Some(wire), _) => wire,
            (None, Some(beneath)) => beneath.wire(id),
            (None, None) => id.name.as_str(),
        }
    }

    /// The tool of this name, be it one that it had before.
    pub(super) fn tool(&self, wire: &str) -> Option<&ToolId> {
        self.tools.get(wire).or_else(|| self.beneath.as_ref()?.tool(wire))
    }

    /// Names for these tools, and those of them that are new.
    fn given(given: &Given, beneath: Option<Arc<Self>>, tools: &[(&Arc<Tool>, SourceKind)]) -> (Self, News) {
        let (wires, to_tools) = (HashMap::with_capacity(tools.len()), HashMap::with_capacity(tools.len()));
        let names = Self { beneath, wires, tools: to_tools };
        let mut naming = Naming { given, names, next: HashMap::new(), news: Vec::new(), before: Vec::new() };
        let mut tools = tools.to_vec();
        tools.sort_by_key(|(tool, _)| &tool.id);
        for (tool, origin) in &tools {
            naming.name(tool, *origin);
        }
        // Names that tools had before lead to them, too.
        for (wire, tool) in naming.before {
            naming.names.tools.entry(wire).or_insert(tool);
        }
        (naming.names, naming.news)
    }
}

/// Names that were given for the first time.
type News = Vec<(Arc<str>, ToolId)>;

/// Names being given.
struct Naming<'a> {
    given: &'a Given,
    names: Names,
    /// By the name without a number: which number to try next.
    next: HashMap<String, u32>,
    news: News,
    /// Names that tools had before, and have no more.
    before: News,
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

    /// The name, with the first number behind it that makes it nobody else's.
    fn free(&mut self, plain: &str) -> String {
        let next = self.next.entry(plain.to_owned()).or_insert(1);
        loop {
            let wire = safe::numbered(plain, *next);
            *next += 1;
            let is_taken = self.names.tool(&wire).is_some() || self.given.is_known(&wire);
            if !is_taken && !meta::is_ours(&wire) {
                return wire;
            }
        }
    }
}

/// What the tool would be called if it were alone. What an application registers to be listed is called as it says.
fn plain(tool: &Tool, origin: SourceKind) -> String {
    let is_native = origin == SourceKind::Code && tool.visibility == Visibility::Listed;
    match tool.id.name.as_str() {
        name if is_native && is_name(name) && !meta::is_ours(name) => name.to_owned(),
        name => safe::joined(tool.id.source.as_str(), name),
    }
}

//! An immutable snapshot of all tools.

use crate::{SourceDiscovery, is_equivalent};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use toolscout_core::{Diagnostic, DiagnosticKind, SourceId, SourceKind, Tool, ToolId, ToolName};

/// All tools at one point in time. Immutable, and cheap to share.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// In listing order: stronger origins first, then in the order the sources were added.
    discoveries: Vec<Arc<SourceDiscovery>>,
    by_name: Arc<ToolsByName>,
    /// Overrides of `by_name`, which many snapshots share.
    overlay: ToolsByName,
}

/// All tools of each name, strongest source first.
type ToolsByName = HashMap<ToolName, Namesakes>;

/// The tools of one name, usually one.
#[derive(Debug, Clone)]
enum Namesakes {
    One(CatalogTool),
    Several(Vec<CatalogTool>),
}

/// One tool of a snapshot, and the strength of its name.
#[derive(Debug, Clone)]
pub struct CatalogTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The kind of its source.
    pub kind: SourceKind,
    /// The position among all tools of the snapshot, from 0, in listing order.
    pub at: usize,
}

impl Snapshot {
    /// The next snapshot: each discovery replaces the earlier one of the same source; other sources
    /// stay. The diagnostics list tools that a stronger source hides under their bare names.
    pub fn merge(
        &self,
        discovered: Vec<impl Into<Arc<SourceDiscovery>>>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut discoveries = self.discoveries.clone();
        let mut positions: HashMap<SourceId, usize> = discoveries
            .iter()
            .enumerate()
            .map(|(at, discovery)| (discovery.source.clone(), at))
            .collect();
        for discovery in discovered.into_iter().map(Into::into) {
            match positions.entry(discovery.source.clone()) {
                Entry::Occupied(slot) => discoveries[*slot.get()] = discovery,
                Entry::Vacant(slot) => {
                    slot.insert(discoveries.len());
                    discoveries.push(discovery);
                }
            }
        }
        Self::from_discoveries(discoveries)
    }

    /// This snapshot with additional sources of one request. These must not be in it yet, and their
    /// names are weaker than all others. Existing tools keep their positions. The cost is
    /// proportional to the additions, not to the snapshot.
    pub fn overlay(
        &self,
        discovered: Vec<impl Into<Arc<SourceDiscovery>>>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut next = self.clone();
        let mut diagnostics = Vec::new();
        let mut at = self.len();
        for mut discovery in discovered.into_iter().map(Into::into) {
            if discovery.kind != SourceKind::Request {
                Arc::make_mut(&mut discovery).kind = SourceKind::Request;
            }
            for tool in &discovery.tools {
                let entry = CatalogTool { tool: tool.clone(), kind: SourceKind::Request, at };
                next.overlay
                    .entry(tool.id.name.clone())
                    .or_insert_with(|| self.namesakes(tool))
                    .add(entry, &mut diagnostics);
                at += 1;
            }
            next.discoveries.push(discovery);
        }
        (next, diagnostics)
    }

    /// The next snapshot without this source.
    pub fn without(&self, source: &SourceId) -> Self {
        Self::from_discoveries(
            self.discoveries
                .iter()
                .filter(|discovery| discovery.source != *source)
                .cloned()
                .collect(),
        )
        .0
    }

    /// Maps each tool of the snapshot; tools that map to `None` are left out. The mapping must keep
    /// the ids. The cost is proportional to the changes, unless a tool is left out.
    pub fn filter_map_tools(&self, f: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let mut next = self.clone();
        let (mut at, mut is_complete) = (0, true);
        for discovery in &mut next.discoveries {
            let before = discovery.clone();
            for (index, tool) in before.tools.iter().enumerate() {
                match f(tool) {
                    Some(same) if Arc::ptr_eq(&same, tool) => {}
                    Some(other) => {
                        next.overlay
                            .entry(tool.id.name.clone())
                            .or_insert_with(|| self.namesakes(tool))
                            .replace(at, &other);
                        Arc::make_mut(discovery).tools[index] = other;
                    }
                    None => is_complete = false,
                }
                at += 1;
            }
        }
        if is_complete {
            return next;
        }
        let discoveries =
            self.discoveries.iter().map(|discovery| Arc::new(discovery.filter_map_tools(&f)));
        Self::from_discoveries(discoveries.collect()).0
    }

    fn from_discoveries(mut discoveries: Vec<Arc<SourceDiscovery>>) -> (Self, Vec<Diagnostic>) {
        discoveries.sort_by_key(|discovery| discovery.kind);
        let mut by_name = ToolsByName::with_capacity(
            discoveries.iter().map(|discovery| discovery.tools.len()).sum(),
        );
        let mut diagnostics = Vec::new();
        let tools = discoveries
            .iter()
            .flat_map(|discovery| discovery.tools.iter().map(|tool| (discovery.kind, tool)));
        for (at, (kind, tool)) in tools.enumerate() {
            let entry = CatalogTool { tool: tool.clone(), kind, at };
            match by_name.entry(tool.id.name.clone()) {
                Entry::Vacant(slot) => {
                    slot.insert(Namesakes::One(entry));
                }
                Entry::Occupied(mut slot) => slot.get_mut().add(entry, &mut diagnostics),
            }
        }
        (Self { discoveries, by_name: Arc::new(by_name), overlay: ToolsByName::new() }, diagnostics)
    }

    /// Whether both have the same tools according to [`is_equivalent`], in any order.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let same: HashSet<_> = other.discoveries.iter().map(Arc::as_ptr).collect();
        let has_equivalent = |kind: SourceKind, tool: &Tool| {
            other
                .tool(&tool.id)
                .is_some_and(|entry| entry.kind == kind && is_equivalent(&entry.tool, tool))
        };
        let has_same_tools = |source_discovery: &Arc<SourceDiscovery>| {
            same.contains(&Arc::as_ptr(source_discovery))
                || source_discovery
                    .tools
                    .iter()
                    .all(|tool| has_equivalent(source_discovery.kind, tool))
        };
        self.len() == other.len() && self.discoveries.iter().all(has_same_tools)
    }

    /// Every tool, in listing order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.discoveries.iter().flat_map(|discovery| &discovery.tools)
    }

    /// The tools of this source, in listing order.
    pub fn tools_of(&self, source: &SourceId) -> &[Arc<Tool>] {
        self.discoveries
            .iter()
            .find(|discovery| discovery.source == *source)
            .map_or(&[], |discovery| &discovery.tools)
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.discoveries.iter().map(|discovery| discovery.tools.len()).sum()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The diagnostics of the last discovery of each source, in listing order.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.discoveries.iter().flat_map(|discovery| &discovery.diagnostics)
    }

    /// The discovered sources, strongest first.
    pub fn sources(&self) -> impl Iterator<Item = (&SourceId, SourceKind)> {
        self.discoveries.iter().map(|discovery| (&discovery.source, discovery.kind))
    }

    /// The tool of exactly this id.
    pub fn tool(&self, id: &ToolId) -> Option<&CatalogTool> {
        self.tools_named(id.name.as_str()).iter().find(|item| item.tool.id == *id)
    }

    fn namesakes(&self, tool: &Tool) -> Namesakes {
        Namesakes::Several(self.tools_named(tool.id.name.as_str()).to_vec())
    }

    /// All tools of this name, strongest source first.
    pub fn tools_named(&self, name: &str) -> &[CatalogTool] {
        self.overlay.get(name).or_else(|| self.by_name.get(name)).map_or(&[], Namesakes::entries)
    }
}

/// Shows only the discoveries: the names are redundant, and those in `by_name` may refer to tools
/// that this snapshot no longer has.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.discoveries).finish()
    }
}

impl Namesakes {
    /// Replaces the tool at this position.
    fn replace(&mut self, at: usize, tool: &Arc<Tool>) {
        let entries = match self {
            Self::One(entry) => std::slice::from_mut(entry),
            Self::Several(entries) => entries,
        };
        entries.iter_mut().filter(|item| item.at == at).for_each(|item| item.tool = tool.clone());
    }

    fn entries(&self) -> &[CatalogTool] {
        match self {
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Several(entries) => entries,
        }
    }

    /// Adds a tool that is no stronger than those already there.
    fn add(&mut self, entry: CatalogTool, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(stronger) = self.entries().iter().find(|item| item.kind < entry.kind) {
            diagnostics.push(shadowed(&entry.tool, &stronger.tool));
        }
        match self {
            Self::One(first) => *self = Self::Several(vec![first.clone(), entry]),
            Self::Several(entries) => entries.push(entry),
        }
    }
}

fn shadowed(tool: &Tool, by: &Tool) -> Diagnostic {
    Diagnostic::debug(
        DiagnosticKind::Shadowed,
        format!(
            "`{}` is shadowed by `{}`: `{}` alone means the latter",
            tool.id, by.id, tool.id.name
        ),
    )
    .with_source(tool.id.source.clone())
    .with_hint(format!("use `{}`", tool.id))
}

//! An immutable snapshot of all tools.

use crate::{SourceDiscovery, alike};
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
    over: ToolsByName,
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
    pub origin: SourceKind,
    /// The position among all tools of the snapshot, from 0, in listing order.
    pub at: usize,
}

impl Snapshot {
    /// The next snapshot: each discovery replaces the earlier one of the same source; other sources
    /// stay. The diagnostics list tools that a stronger source hides under their bare names.
    pub fn merge(&self, found: Vec<impl Into<Arc<SourceDiscovery>>>) -> (Self, Vec<Diagnostic>) {
        let mut discoveries = self.discoveries.clone();
        let mut places: HashMap<SourceId, usize> =
            discoveries.iter().enumerate().map(|(at, it)| (it.source.clone(), at)).collect();
        for discovery in found.into_iter().map(Into::into) {
            match places.entry(discovery.source.clone()) {
                Entry::Occupied(place) => discoveries[*place.get()] = discovery,
                Entry::Vacant(place) => {
                    place.insert(discoveries.len());
                    discoveries.push(discovery);
                }
            }
        }
        Self::of(discoveries)
    }

    /// This snapshot with additional sources of one request. These must not be in it yet, and their
    /// names are weaker than all others. Existing tools keep their positions. The cost is
    /// proportional to the additions, not to the snapshot.
    pub fn over(&self, found: Vec<impl Into<Arc<SourceDiscovery>>>) -> (Self, Vec<Diagnostic>) {
        let mut next = self.clone();
        let mut problems = Vec::new();
        let mut at = self.len();
        for mut discovery in found.into_iter().map(Into::into) {
            if discovery.origin != SourceKind::Request {
                Arc::make_mut(&mut discovery).origin = SourceKind::Request;
            }
            for tool in &discovery.tools {
                let known = CatalogTool { tool: tool.clone(), origin: SourceKind::Request, at };
                next.over
                    .entry(tool.id.name.clone())
                    .or_insert_with(|| self.namesakes(tool))
                    .add(known, &mut problems);
                at += 1;
            }
            next.discoveries.push(discovery);
        }
        (next, problems)
    }

    /// The next snapshot without this source.
    pub fn without(&self, source: &SourceId) -> Self {
        Self::of(self.discoveries.iter().filter(|it| it.source != *source).cloned().collect()).0
    }

    /// Maps each tool of the snapshot; tools that map to `None` are left out. The mapping must keep
    /// the ids. The cost is proportional to the changes, unless a tool is left out.
    pub fn each(&self, given: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let mut next = self.clone();
        let (mut at, mut is_whole) = (0, true);
        for discovery in &mut next.discoveries {
            let before = discovery.clone();
            for (index, tool) in before.tools.iter().enumerate() {
                match given(tool) {
                    Some(same) if Arc::ptr_eq(&same, tool) => {}
                    Some(other) => {
                        next.over
                            .entry(tool.id.name.clone())
                            .or_insert_with(|| self.namesakes(tool))
                            .replace(at, &other);
                        Arc::make_mut(discovery).tools[index] = other;
                    }
                    None => is_whole = false,
                }
                at += 1;
            }
        }
        if is_whole {
            return next;
        }
        let discoveries = self.discoveries.iter().map(|it| Arc::new(it.each(&given)));
        Self::of(discoveries.collect()).0
    }

    fn of(mut discoveries: Vec<Arc<SourceDiscovery>>) -> (Self, Vec<Diagnostic>) {
        discoveries.sort_by_key(|it| it.origin);
        let mut by_name =
            ToolsByName::with_capacity(discoveries.iter().map(|it| it.tools.len()).sum());
        let mut problems = Vec::new();
        let tools = discoveries.iter().flat_map(|it| it.tools.iter().map(|tool| (it.origin, tool)));
        for (at, (origin, tool)) in tools.enumerate() {
            let known = CatalogTool { tool: tool.clone(), origin, at };
            match by_name.entry(tool.id.name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(Namesakes::One(known));
                }
                Entry::Occupied(mut place) => place.get_mut().add(known, &mut problems),
            }
        }
        (Self { discoveries, by_name: Arc::new(by_name), over: ToolsByName::new() }, problems)
    }

    /// Whether both have the same tools according to [`alike`], in any order.
    pub fn is_like(&self, other: &Self) -> bool {
        let same: HashSet<_> = other.discoveries.iter().map(Arc::as_ptr).collect();
        let is_known = |origin: SourceKind, tool: &Tool| {
            other.tool(&tool.id).is_some_and(|it| it.origin == origin && alike(&it.tool, tool))
        };
        let is_like = |it: &Arc<SourceDiscovery>| {
            same.contains(&Arc::as_ptr(it)) || it.tools.iter().all(|tool| is_known(it.origin, tool))
        };
        self.len() == other.len() && self.discoveries.iter().all(is_like)
    }

    /// Every tool, in listing order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.discoveries.iter().flat_map(|it| &it.tools)
    }

    /// The tools of this source, in listing order.
    pub fn tools_of(&self, source: &SourceId) -> &[Arc<Tool>] {
        self.discoveries.iter().find(|it| it.source == *source).map_or(&[], |it| &it.tools)
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.discoveries.iter().map(|it| it.tools.len()).sum()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The diagnostics of the last discovery of each source, in listing order.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.discoveries.iter().flat_map(|it| &it.problems)
    }

    /// The discovered sources, strongest first.
    pub fn sources(&self) -> impl Iterator<Item = (&SourceId, SourceKind)> {
        self.discoveries.iter().map(|it| (&it.source, it.origin))
    }

    /// The tool of exactly this id.
    pub fn tool(&self, id: &ToolId) -> Option<&CatalogTool> {
        self.named(id.name.as_str()).iter().find(|it| it.tool.id == *id)
    }

    fn namesakes(&self, tool: &Tool) -> Namesakes {
        Namesakes::Several(self.named(tool.id.name.as_str()).to_vec())
    }

    /// All tools of this name, strongest source first.
    pub fn named(&self, name: &str) -> &[CatalogTool] {
        self.over.get(name).or_else(|| self.by_name.get(name)).map_or(&[], Namesakes::all)
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
        let all = match self {
            Self::One(known) => std::slice::from_mut(known),
            Self::Several(all) => all,
        };
        all.iter_mut().filter(|it| it.at == at).for_each(|it| it.tool = tool.clone());
    }

    fn all(&self) -> &[CatalogTool] {
        match self {
            Self::One(known) => std::slice::from_ref(known),
            Self::Several(all) => all,
        }
    }

    /// Adds a tool that is no stronger than those already there.
    fn add(&mut self, known: CatalogTool, problems: &mut Vec<Diagnostic>) {
        if let Some(stronger) = self.all().iter().find(|it| it.origin < known.origin) {
            problems.push(shadowed(&known.tool, &stronger.tool));
        }
        match self {
            Self::One(first) => *self = Self::Several(vec![first.clone(), known]),
            Self::Several(all) => all.push(known),
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
    .of(tool.id.source.clone())
    .hint(format!("say `{}`", tool.id))
}

//! Everything known at one moment; never changed, only replaced.

use crate::{SourceDiscovery, alike};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use toolscout_core::{Diagnostic, DiagnosticKind, SourceId, SourceKind, Tool, ToolId, ToolName};

/// Everything known at one moment. Cheap to share, never changed.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// In the order tools are listed: stronger origins first, then as sources were added.
    discoveries: Vec<Arc<SourceDiscovery>>,
    by_name: Arc<ToolsByName>,
    /// Names that mean something else than they do in `by_name`, which many snapshots share.
    over: ToolsByName,
}

/// All tools of each name, strongest source first.
type ToolsByName = HashMap<ToolName, Namesakes>;

/// The tools of one name; mostly one.
#[derive(Debug, Clone)]
enum Namesakes {
    One(CatalogTool),
    Several(Vec<CatalogTool>),
}

/// One tool of a snapshot, and how strong its name is.
#[derive(Debug, Clone)]
pub struct CatalogTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// What sort of source has it.
    pub origin: SourceKind,
    /// Where it stands among all tools of the snapshot, from 0, in listing order.
    pub at: usize,
}

impl Snapshot {
    /// The next snapshot: what was found replaces what was known of the same sources; the rest stays. The problems say
    /// which tools a stronger source hides from those who use bare names.
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

    /// This snapshot with more behind it, for one request: sources that are not in it yet, their names weaker than all
    /// others. What was there stands where it stood. Costs as much as there is more, and not as much as there is.
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
                next.over.entry(tool.id.name.clone()).or_insert_with(|| self.namesakes(tool)).add(known, &mut problems);
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

    /// The same snapshot with each tool as this gives it; without those of which it gives nothing. It gives tools of the same
    /// id. Costs as much as there is that it changes, unless something is missing afterwards.
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
        let mut by_name = ToolsByName::with_capacity(discoveries.iter().map(|it| it.tools.len()).sum());
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

    /// Whether the two have the same tools, as [`alike`] means it, in whatever order.
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

    /// Those of this source, in listing order.
    pub fn tools_of(&self, source: &SourceId) -> &[Arc<Tool>] {
        self.discoveries.iter().find(|it| it.source == *source).map_or(&[], |it| &it.tools)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.discoveries.iter().map(|it| it.tools.len()).sum()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the last run through each source said besides tools, in listing order.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.discoveries.iter().flat_map(|it| &it.problems)
    }

    /// The sources that were listed, strongest first.
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

/// Names add nothing to what is there; those of `by_name` may lead to what this snapshot no longer has.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.discoveries).finish()
    }
}

impl Namesakes {
    /// Another tool stands where one of them did.
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
        format!("`{}` is shadowed by `{}`: `{}` alone means the latter", tool.id, by.id, tool.id.name),
    )
    .of(tool.id.source.clone())
    .hint(format!("say `{}`", tool.id))
}

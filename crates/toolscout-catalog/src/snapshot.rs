//! Everything known at one moment; never changed, only replaced.

use crate::{Discovery, alike};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use toolscout_core::{Origin, Problem, ProblemKind, SourceId, Tool, ToolId};

/// Everything known at one moment. Cheap to share, never changed.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// In the order tools are listed: stronger origins first, then as sources were added.
    discoveries: Vec<Arc<Discovery>>,
    by_name: Arc<Names>,
    /// Names that mean more than they do in `by_name`, which many snapshots share.
    over: Names,
}

/// All tools of each name, strongest source first.
type Names = HashMap<Arc<str>, Vec<Known>>;

/// One tool of a snapshot, and how strong its name is.
#[derive(Debug, Clone)]
pub struct Known {
    /// The tool.
    pub tool: Arc<Tool>,
    /// What sort of source has it.
    pub origin: Origin,
    /// Where it stands among all tools of the snapshot, from 0, in listing order.
    pub at: usize,
}

impl Snapshot {
    /// The next snapshot: what was found replaces what was known of the same sources; the rest stays. The problems say
    /// which tools a stronger source hides from those who use bare names.
    pub fn merge(&self, found: Vec<Discovery>) -> (Self, Vec<Problem>) {
        let mut discoveries = self.discoveries.clone();
        for discovery in found {
            let discovery = Arc::new(discovery);
            match discoveries.iter_mut().find(|it| it.source == discovery.source) {
                Some(place) => *place = discovery,
                None => discoveries.push(discovery),
            }
        }
        Self::of(discoveries)
    }

    /// This snapshot with more behind it, for one request: sources that are not in it yet, their names weaker than all
    /// others. What was there stands where it stood. Costs as much as there is more, and not as much as there is.
    pub fn over(&self, found: Vec<Discovery>) -> (Self, Vec<Problem>) {
        let mut next = self.clone();
        let mut problems = Vec::new();
        let mut at = self.len();
        for mut discovery in found {
            discovery.origin = Origin::Request;
            for tool in &discovery.tools {
                let name = tool.id.name.as_str();
                let same_name = next.over.entry(name.into()).or_insert_with(|| self.named(name).to_vec());
                add(same_name, Known { tool: tool.clone(), origin: Origin::Request, at }, &mut problems);
                at += 1;
            }
            next.discoveries.push(Arc::new(discovery));
        }
        (next, problems)
    }

    /// The next snapshot without this source.
    pub fn without(&self, source: &SourceId) -> Self {
        Self::of(self.discoveries.iter().filter(|it| it.source != *source).cloned().collect()).0
    }

    /// The same snapshot with each tool as this gives it; without those of which it gives nothing.
    pub fn each(&self, given: impl Fn(&Arc<Tool>) -> Option<Arc<Tool>>) -> Self {
        let is_same = |it: &Arc<Tool>| given(it).is_some_and(|given| Arc::ptr_eq(&given, it));
        let discoveries = self.discoveries.iter().map(|it| match it.tools.iter().all(is_same) {
            true => it.clone(),
            false => Arc::new(it.each(&given)),
        });
        Self::of(discoveries.collect()).0
    }

    fn of(mut discoveries: Vec<Arc<Discovery>>) -> (Self, Vec<Problem>) {
        discoveries.sort_by_key(|it| it.origin);
        let mut by_name = Names::new();
        let mut problems = Vec::new();
        let tools = discoveries.iter().flat_map(|it| it.tools.iter().map(|tool| (it.origin, tool)));
        for (at, (origin, tool)) in tools.enumerate() {
            let same_name = by_name.entry(tool.id.name.as_str().into()).or_default();
            add(same_name, Known { tool: tool.clone(), origin, at }, &mut problems);
        }
        (Self { discoveries, by_name: Arc::new(by_name), over: Names::new() }, problems)
    }

    /// Whether the two have the same tools, as [`alike`] means it, in whatever order.
    pub fn is_like(&self, other: &Self) -> bool {
        let same: HashSet<_> = other.discoveries.iter().map(Arc::as_ptr).collect();
        let is_known = |origin: Origin, tool: &Tool| {
            other.tool(&tool.id).is_some_and(|it| it.origin == origin && alike(&it.tool, tool))
        };
        let is_like = |it: &Arc<Discovery>| {
            same.contains(&Arc::as_ptr(it)) || it.tools.iter().all(|tool| is_known(it.origin, tool))
        };
        self.len() == other.len() && self.discoveries.iter().all(is_like)
    }

    /// Every tool, in listing order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.discoveries.iter().flat_map(|it| &it.tools)
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
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.discoveries.iter().flat_map(|it| &it.problems)
    }

    /// The sources that were listed, strongest first.
    pub fn sources(&self) -> impl Iterator<Item = (&SourceId, Origin)> {
        self.discoveries.iter().map(|it| (&it.source, it.origin))
    }

    /// The tool of exactly this id.
    pub fn tool(&self, id: &ToolId) -> Option<&Known> {
        self.named(id.name.as_str()).iter().find(|it| it.tool.id == *id)
    }

    /// All tools of this name, strongest source first.
    pub fn named(&self, name: &str) -> &[Known] {
        self.over.get(name).or_else(|| self.by_name.get(name)).map_or(&[], Vec::as_slice)
    }
}

/// Adds a tool that is no stronger than those already there.
fn add(same_name: &mut Vec<Known>, known: Known, problems: &mut Vec<Problem>) {
    if let Some(stronger) = same_name.iter().find(|it| it.origin < known.origin) {
        problems.push(shadowed(&known.tool, &stronger.tool));
    }
    same_name.push(known);
}

fn shadowed(tool: &Tool, by: &Tool) -> Problem {
    Problem::debug(
        ProblemKind::Shadowed,
        format!("`{}` is hidden by `{}` for who says only `{}`", tool.id, by.id, tool.id.name),
    )
    .of(tool.id.source.clone())
    .hint(format!("say `{}`", tool.id))
}

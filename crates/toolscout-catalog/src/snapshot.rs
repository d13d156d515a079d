//! Everything known at one moment; never changed, only replaced.

use crate::Discovery;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{Origin, Problem, ProblemKind, SourceId, Tool, ToolId};

/// Everything known at one moment. Cheap to share, never changed.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// In the order tools are listed: stronger origins first, then as sources were added.
    discoveries: Vec<Arc<Discovery>>,
    by_name: HashMap<Arc<str>, Vec<Known>>,
}

/// One tool of a snapshot, and how strong its name is.
#[derive(Debug, Clone)]
pub struct Known {
    /// The tool.
    pub tool: Arc<Tool>,
    /// What sort of source has it.
    pub origin: Origin,
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
        let mut by_name: HashMap<Arc<str>, Vec<Known>> = HashMap::new();
        let mut problems = Vec::new();
        for discovery in &discoveries {
            for tool in &discovery.tools {
                let same_name = by_name.entry(tool.id.name.as_str().into()).or_default();
                if let Some(stronger) = same_name.iter().find(|it| it.origin < discovery.origin) {
                    problems.push(shadowed(tool, &stronger.tool));
                }
                same_name.push(Known { tool: tool.clone(), origin: discovery.origin });
            }
        }
        (Self { discoveries, by_name }, problems)
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
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

fn shadowed(tool: &Tool, by: &Tool) -> Problem {
    Problem::debug(
        ProblemKind::Shadowed,
        format!("`{}` is hidden by `{}` for who says only `{}`", tool.id, by.id, tool.id.name),
    )
    .of(tool.id.source.clone())
    .hint(format!("say `{}`", tool.id))
}

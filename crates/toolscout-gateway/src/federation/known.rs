//! Definitions that searches beyond the catalog have found, for who calls the tool next.

use super::doors;
use crate::requests::Keys;
use crate::standing::Facts;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use toolscout_catalog::alike;
use toolscout_core::{Source, Tool, ToolId};

/// So many are kept, of all users together; those used least recently go first.
const KEPT: usize = 256;

/// For whom something was found: what one user's search has found is nothing to another.
pub(super) type Whose = (Option<Keys>, Option<Arc<str>>);

#[derive(Default)]
pub(super) struct Definitions {
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    kept: HashMap<(Whose, ToolId), Kept>,
    uses: u64,
}

struct Kept {
    definition: Definition,
    /// Who found it. Another source under the same id has other tools.
    by: Weak<dyn Source>,
    used: u64,
}

/// A tool beyond the catalog.
#[derive(Clone)]
pub(super) struct Definition {
    pub(super) tool: Arc<Tool>,
    pub(super) facts: Arc<Facts>,
    /// What its own source calls this definition.
    pub(super) digest: Option<Arc<str>>,
}

impl Definitions {
    /// The definition of exactly this tool.
    pub(super) fn of(&self, whose: &Whose, source: &Arc<dyn Source>, id: &ToolId) -> Option<Definition> {
        let mut shelf = self.shelf.lock();
        shelf.uses += 1;
        let now = shelf.uses;
        let kept = shelf.kept.get_mut(&(whose.clone(), id.clone())).filter(|it| it.is_by(source))?;
        kept.used = now;
        Some(kept.definition.clone())
    }

    /// The tool that a name means to its source: in any form of its id; or bare, if only one is called so.
    pub(super) fn named(&self, whose: &Whose, source: &Arc<dyn Source>, name: &str) -> Option<Arc<Tool>> {
        let shelf = self.shelf.lock();
        let of_source = |(place, it): &(&(Whose, ToolId), &Kept)| {
            place.0 == *whose && place.1.source == *source.id() && it.is_by(source)
        };
        let all = || shelf.kept.iter().filter(of_source).map(|(_, it)| &it.definition.tool);
        let forms: Vec<_> = doors::forms(name).collect();
        for form in &forms {
            if let Some(tool) = all().find(|it| it.id.name.as_str() == form) {
                return Some(tool.clone());
            }
        }
        let mut bare = all().filter(|it| super::merge::bare(it.id.name.as_str()) == name);
        match (bare.next(), bare.next()) {
            (Some(tool), None) => Some(tool.clone()),
            _ => None,
        }
    }

    /// Whether this very definition is known already.
    pub(super) fn has(&self, whose: &Whose, source: &Arc<dyn Source>, tool: &Tool) -> bool {
        let shelf = self.shelf.lock();
        let kept = shelf.kept.get(&(whose.clone(), tool.id.clone())).filter(|it| it.is_by(source));
        kept.is_some_and(|it| alike(&it.definition.tool, tool))
    }

    pub(super) fn keep(&self, whose: &Whose, source: &Arc<dyn Source>, tool: Arc<Tool>, digest: Option<String>) {
        let mut shelf = self.shelf.lock();
        shelf.uses += 1;
        let used = shelf.uses;
        let place = (whose.clone(), tool.id.clone());
        let digest = digest.map(Arc::from);
        match shelf.kept.get_mut(&place).filter(|it| it.is_by(source) && alike(&it.definition.tool, &tool)) {
            Some(kept) => (kept.used, kept.definition.digest) = (used, digest),
            None => {
                let definition = Definition { facts: Arc::new(Facts::of(tool.clone())), tool, digest };
                shelf.kept.insert(place, Kept { definition, by: Arc::downgrade(source), used });
            }
        }
        while shelf.kept.len() > KEPT {
            let oldest = shelf.kept.iter().min_by_key(|(_, it)| it.used).map(|(place, _)| place.clone());
            oldest.map(|it| shelf.kept.remove(&it));
        }
    }
}

impl Kept {
    fn is_by(&self, source: &Arc<dyn Source>) -> bool {
        self.by.upgrade().is_some_and(|it| Arc::ptr_eq(&it, source))
    }
}

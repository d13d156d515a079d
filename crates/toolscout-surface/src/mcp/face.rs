//! How a catalog looks to a client: the names tools have on the wire, what is listed, and what a name means.

use super::meta;
use super::names::{Names, Remembered, is_name};
use super::terms::{MetaTools, Terms};
use crate::tokens;
use parking_lot::Mutex;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};
use toolscout_core::event::{CatalogSize, ContextUse};
use toolscout_core::{SourceId, SourceKind, Status, Tool, ToolId, ToolName, Visibility};
use toolscout_gateway::{CatalogView, Snapshot};

/// So many looks are kept; each user with tools of their own has one.
const KEPT: usize = 64;

/// The looks of catalogs that were asked for lately.
pub(super) struct Faces {
    remembered: Arc<Remembered>,
    kept: Mutex<Vec<Arc<Face>>>,
}

/// How one catalog looks.
pub(super) struct Face {
    snapshot: Arc<Snapshot>,
    remembered: Arc<Remembered>,
    /// Made when one is first said or meant: where nothing but our own tools is listed, that is after the first list.
    names: OnceLock<Names>,
    transparent: Option<SourceId>,
    offers_meta: bool,
    listed: Vec<Entry>,
    all: OnceLock<Vec<Entry>>,
    /// Counted when somebody first wants to know.
    whole: OnceLock<CatalogSize>,
}

/// A tool as it stands in a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) json: String,
}

/// What a name means.
pub(super) enum Meant {
    Search,
    Execute,
    Tool(Arc<Tool>),
    Nothing,
}

impl Faces {
    pub(super) fn new(remembered: Remembered) -> Self {
        Self { remembered: Arc::new(remembered), kept: Mutex::default() }
    }

    /// The look of what this request sees; made once for each catalog. A catalog never changes, so its address is its name.
    pub(super) fn of(&self, view: &CatalogView, terms: &Terms) -> Arc<Face> {
        let snapshot = view.snapshot();
        let mut kept = self.kept.lock();
        if let Some(at) = kept.iter().position(|it| Arc::ptr_eq(&it.snapshot, &snapshot)) {
            let face = kept.remove(at);
            kept.push(face.clone());
            return face;
        }
        // A server that was never asked has tools that nobody knows yet. Many clients list once, and would never see more.
        // Folders have libraries, too, and nothing that was not seen.
        let is_server = |id: &SourceId| view.source(id).is_some_and(|it| it.origin() != SourceKind::Folder);
        let is_bare = |id: &SourceId| snapshot.tools_of(id).is_empty();
        let expects = view.libraries().any(|(id, _)| is_server(id) && is_bare(id));
        let delegates: Vec<_> = view.delegates().collect();
        let face = Arc::new(Face::new(snapshot, &delegates, expects, &self.remembered, terms));
        kept.push(face.clone());
        if kept.len() > KEPT {
            kept.remove(0);
        }
        face
    }
}

impl Face {
    fn new(
        snapshot: Arc<Snapshot>,
        delegates: &[&SourceId],
        expects: bool,
        remembered: &Arc<Remembered>,
        terms: &Terms,
    ) -> Self {
        let usable = || snapshot.tools().filter(|it| is_usable(it));
        let transparent = terms.transparent.clone();
        let hides = expects || !delegates.is_empty() || usable().any(|it| it.visibility == Visibility::Searchable);
        let offers_meta = match terms.meta_tools {
            _ if transparent.is_some() => false,
            MetaTools::Auto => hides,
            MetaTools::Always => true,
            MetaTools::Never => false,
        };
        let (names, all, remembered) = (OnceLock::new(), OnceLock::new(), remembered.clone());
        let (listed, whole) = (Vec::new(), OnceLock::new());
        let mut face = Self { names, remembered, transparent, offers_meta, listed, all, whole, snapshot };
        let is_listed = |it: &Tool| it.visibility == Visibility::Listed || face.transparent.is_some();
        let mut listed = face.entries(is_listed);
        if offers_meta {
            let definitions = meta::definitions(&face.snapshot, delegates);
            listed.extend(definitions.into_iter().map(|(name, json)| Entry { name: name.to_owned(), json }));
            listed.sort_by(|one, other| one.name.cmp(&other.name));
        }
        face.listed = listed;
        face
    }

    /// What a client lists, sorted by name; everything, and no tools of ours, where it wants to see all.
    pub(super) fn list(&self, shows_all: bool) -> &[Entry] {
        match shows_all {
            true => self.all.get_or_init(|| self.entries(|_| true)),
            false => &self.listed,
        }
    }

    /// What a model is shown with these entries, and what it is spared. Reads all of them, so it takes a while.
    pub(super) fn shown(&self, entries: &[Entry]) -> ContextUse {
        let tokens = entries.iter().map(|it| tokens::at_most(&it.json)).sum();
        ContextUse { what: "list", tools: entries.len(), tokens, whole: Some(*self.whole.get_or_init(|| self.count())) }
    }

    /// Every definition, as it would be listed. One after the other: together they may be many megabytes.
    fn count(&self) -> CatalogSize {
        let usable = || self.snapshot.tools().filter(|it| is_usable(it));
        let tokens = usable().map(|it| tokens::at_most(&self.entry(it).json)).sum();
        CatalogSize { tools: usable().count(), tokens }
    }

    /// Stands for the list: two that look alike have the same, two that do not have not.
    pub(super) fn mark(&self, shows_all: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.list(shows_all).iter().for_each(|it| it.json.hash(&mut hasher));
        hasher.finish()
    }

    /// Everything, and these tools beyond the catalog, as far as they can be called by a name that clients take.
    pub(super) fn list_with(&self, far: &[Arc<Tool>]) -> Vec<Entry> {
        let mut entries = self.list(true).to_vec();
        for tool in far.iter().filter(|_| self.transparent.is_none()) {
            let name = format!("{}__{}", tool.id.source, tool.id.name.as_str().replace(['/', ':'], "__"));
            if is_name(&name) && entries.iter().all(|it| it.name != name) {
                entries.push(Entry { json: tool.listing(&name).as_str().to_owned(), name });
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    pub(super) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(&self.snapshot, &self.remembered))
    }

    /// What a name means: one on the wire, or any other form that leads to one tool.
    pub(super) fn meant(&self, name: &str, terms: &Terms) -> Meant {
        match name {
            meta::SEARCH if self.offers_meta => return Meant::Search,
            meta::EXECUTE if self.offers_meta => return Meant::Execute,
            _ => {}
        }
        let known = |id: &ToolId| self.snapshot.tool(id).map(|it| it.tool.clone());
        let tool = match &self.transparent {
            Some(source) => ToolName::new(name).ok().and_then(|it| known(&ToolId::new(source.clone(), it))),
            None => match self.names().tool(name) {
                Some(id) => known(id),
                None => self.snapshot.resolve(name).ok().cloned(),
            },
        };
        let is_hidden = |it: &Tool| terms.strict_hidden && it.visibility != Visibility::Listed;
        match tool {
            Some(tool) if self.transparent.is_some() || !is_hidden(&tool) => Meant::Tool(tool),
            _ => Meant::Nothing,
        }
    }

    fn entries(&self, wanted: impl Fn(&Tool) -> bool) -> Vec<Entry> {
        let is_shown = |it: &&Arc<Tool>| {
            is_usable(it) && wanted(it) && self.transparent.as_ref().is_none_or(|source| it.id.source == *source)
        };
        let mut entries: Vec<_> = self.snapshot.tools().filter(is_shown).map(|it| self.entry(it)).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    fn entry(&self, tool: &Tool) -> Entry {
        let name = match &self.transparent {
            Some(_) => tool.id.name.as_str(),
            None => self.names().wire(&tool.id),
        };
        Entry { name: name.to_owned(), json: tool.listing(name).as_str().to_owned() }
    }
}

/// What is held is not shown to who might do what it says; what cannot be called is still listed, and says why.
fn is_usable(tool: &Tool) -> bool {
    !matches!(tool.status, Status::Quarantined(_))
}

//! A catalog as MCP clients see it: the wire names of tools, the list of tools, and the resolution
//! of names.

use super::meta;
use super::names::{Names, WireNameStore, is_valid_name};
use super::operations::{ExposedOperation, OperationTools};
use super::options::{MetaTools, ServerOptions};
use crate::context::is_usable;
use crate::operation::MetaTool;
use crate::tokens;
use parking_lot::Mutex;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};
use toolscout_core::event::{CatalogSize, ContextUse};
use toolscout_core::{SourceId, SourceKind, Tool, ToolId, ToolName, Visibility};
use toolscout_gateway::{CatalogView, Snapshot, Unresolved};

/// Maximum number of cached views; each user with private tools has one.
const CAPACITY: usize = 64;

/// The views of recently used catalogs.
pub(super) struct ClientViews {
    name_store: Arc<WireNameStore>,
    operations: OperationTools,
    cached: Mutex<Vec<Arc<ClientView>>>,
}

/// One catalog as clients see it.
pub(super) struct ClientView {
    snapshot: Arc<Snapshot>,
    name_store: Arc<WireNameStore>,
    /// Computed when first needed. If only meta tools are listed, that is after the first list.
    names: OnceLock<Names>,
    transparent: Option<SourceId>,
    /// Operations that are offered as tools besides those of the catalog.
    operations: OperationTools,
    offers_meta: bool,
    listed: Vec<ListEntry>,
    all: OnceLock<Vec<ListEntry>>,
    /// Counted when first needed.
    catalog_size: OnceLock<CatalogSize>,
}

/// A tool in a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListEntry {
    pub(super) name: String,
    pub(super) json: String,
}

/// The target of a name.
pub(super) enum ResolvedName {
    MetaTool(MetaTool),
    Operation(Arc<ExposedOperation>),
    Tool(Arc<Tool>),
    Nothing,
}

impl ClientViews {
    pub(super) fn new(name_store: WireNameStore, operations: OperationTools) -> Self {
        Self { name_store: Arc::new(name_store), operations, cached: Mutex::default() }
    }

    /// The view of a catalog, computed once. A catalog never changes, so its address identifies it.
    pub(super) fn for_view(&self, view: &CatalogView, options: &ServerOptions) -> Arc<ClientView> {
        let snapshot = view.snapshot();
        let mut cached = self.cached.lock();
        if let Some(index) =
            cached.iter().position(|cached| Arc::ptr_eq(&cached.snapshot, &snapshot))
        {
            let client_view = cached.remove(index);
            cached.push(client_view.clone());
            return client_view;
        }
        // The tools of a server that was not discovered yet are unknown, and many clients list only
        // once. Folders have libraries as well, but are always discovered.
        let is_server = |id: &SourceId| {
            view.source(id).is_some_and(|source| source.kind() != SourceKind::Folder)
        };
        let is_bare =
            |id: &SourceId| snapshot.tools_of(id).iter().all(|tool| tool.provenance.placeholder);
        let has_undiscovered = view.libraries().any(|(id, _)| is_server(id) && is_bare(id));
        let delegates: Vec<_> = view.remote_gateways().collect();
        let client_view =
            Arc::new(ClientView::new(snapshot, &delegates, has_undiscovered, self, options));
        cached.push(client_view.clone());
        if cached.len() > CAPACITY {
            cached.remove(0);
        }
        client_view
    }
}

impl ClientView {
    fn new(
        snapshot: Arc<Snapshot>,
        delegates: &[&SourceId],
        has_undiscovered: bool,
        client_views: &ClientViews,
        options: &ServerOptions,
    ) -> Self {
        let usable = || snapshot.tools().filter(|tool| is_usable(tool));
        let transparent = options.transparent.clone();
        let hides = has_undiscovered
            || !delegates.is_empty()
            || usable().any(|tool| tool.visibility == Visibility::Searchable);
        let offers_meta = match options.meta_tools {
            _ if transparent.is_some() => false,
            MetaTools::Auto => hides,
            MetaTools::Always => true,
            MetaTools::Never => false,
        };
        let (names, all, name_store) =
            (OnceLock::new(), OnceLock::new(), client_views.name_store.clone());
        let operations = client_views.operations.clone();
        let (listed, catalog_size) = (Vec::new(), OnceLock::new());
        let mut client_view = Self {
            names,
            name_store,
            transparent,
            operations,
            offers_meta,
            listed,
            all,
            catalog_size,
            snapshot,
        };
        let is_listed = |tool: &Tool| {
            tool.visibility == Visibility::Listed || client_view.transparent.is_some()
        };
        let mut listed = client_view.entries(is_listed);
        if offers_meta {
            let definitions = meta::definitions(&client_view.snapshot, delegates).into_iter();
            let offered =
                definitions.filter(|(name, _)| client_view.operations.meta_tool(name).is_some());
            listed.extend(offered.map(|(name, json)| ListEntry { name: name.to_owned(), json }));
            listed.sort_by(|one, other| one.name.cmp(&other.name));
        }
        client_view.listed = listed;
        client_view
    }

    /// The list of tools, sorted by name. A client that wants to see all gets every tool and no
    /// meta tool.
    pub(super) fn list(&self, shows_all: bool) -> &[ListEntry] {
        if shows_all { self.all.get_or_init(|| self.entries(|_| true)) } else { &self.listed }
    }

    /// The tokens of these entries, and of the whole catalog. This is slow, because it reads all
    /// definitions.
    pub(super) fn context_use(&self, entries: &[ListEntry]) -> ContextUse {
        let tokens = entries.iter().map(|entry| tokens::at_most(&entry.json)).sum();
        ContextUse {
            form: "list",
            tools: entries.len(),
            tokens,
            catalog: Some(*self.catalog_size.get_or_init(|| self.count())),
        }
    }

    /// Counts the tokens of every definition as it would be listed. It renders one definition at a
    /// time, because together they may be many megabytes.
    fn count(&self) -> CatalogSize {
        let usable = || self.snapshot.tools().filter(|tool| is_usable(tool));
        let tokens = usable().map(|tool| tokens::at_most(&self.entry(tool).json)).sum();
        CatalogSize { tools: usable().count(), tokens }
    }

    /// A hash of the list, to detect changes.
    pub(super) fn fingerprint(&self, shows_all: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.list(shows_all).iter().for_each(|item| item.json.hash(&mut hasher));
        hasher.finish()
    }

    /// Every tool, and these tools of remote gateways if clients accept their names.
    pub(super) fn list_with_remote(&self, remote: &[Arc<Tool>]) -> Vec<ListEntry> {
        let mut entries = self.list(true).to_vec();
        for tool in remote.iter().filter(|_| self.transparent.is_none()) {
            let name =
                format!("{}__{}", tool.id.source, tool.id.name.as_str().replace(['/', ':'], "__"));
            if is_valid_name(&name) && entries.iter().all(|entry| entry.name != name) {
                entries.push(ListEntry { json: tool.listing(&name).as_str().to_owned(), name });
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    pub(super) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::for_snapshot(&self.snapshot, &self.name_store))
    }

    /// Resolves a wire name, or any other form of a tool's name.
    pub(super) fn resolve(&self, name: &str, options: &ServerOptions) -> ResolvedName {
        if let Some(meta_tool) = self.operations.meta_tool(name).filter(|_| self.offers_meta) {
            return ResolvedName::MetaTool(meta_tool);
        }
        let find = |id: &ToolId| self.snapshot.tool(id).map(|tool| tool.tool.clone());
        let tool = match &self.transparent {
            Some(source) => ToolName::new(name)
                .ok()
                .and_then(|tool_name| find(&ToolId::new(source.clone(), tool_name))),
            None => match self.names().tool(name) {
                Some(id) => find(id),
                None => self.snapshot.resolve(name).ok().cloned(),
            },
        };
        if let Some(operation) =
            self.operations.exposed(name).filter(|value| self.is_offered(value))
        {
            return ResolvedName::Operation(operation.clone());
        }
        let is_hidden =
            |tool: &Tool| options.strict_hidden && tool.visibility != Visibility::Listed;
        match tool {
            Some(tool) if tool.provenance.placeholder => ResolvedName::Nothing,
            Some(tool) if self.transparent.is_some() || !is_hidden(&tool) => {
                ResolvedName::Tool(tool)
            }
            _ => ResolvedName::Nothing,
        }
    }

    fn entries(&self, is_included: impl Fn(&Tool) -> bool) -> Vec<ListEntry> {
        let is_shown = |tool: &&Arc<Tool>| {
            is_usable(tool)
                && is_included(tool)
                && self.transparent.as_ref().is_none_or(|source| tool.id.source == *source)
        };
        let mut entries: Vec<_> =
            self.snapshot.tools().filter(is_shown).map(|tool| self.entry(tool)).collect();
        let offered = self.operations.exposed.iter().filter(|exposed| self.is_offered(exposed));
        entries.extend(offered.map(|operation| ListEntry {
            name: operation.name.clone(),
            json: operation.definition.clone(),
        }));
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries
    }

    /// Whether an exposed operation is offered. A tool with the same name takes precedence, and
    /// beside a transparent source only its own tools are offered.
    fn is_offered(&self, operation: &ExposedOperation) -> bool {
        let is_unknown =
            || matches!(self.snapshot.resolve(&operation.name), Err(Unresolved::Unknown { .. }));
        self.transparent.is_none() && self.names().tool(&operation.name).is_none() && is_unknown()
    }

    fn entry(&self, tool: &Tool) -> ListEntry {
        let name = match &self.transparent {
            Some(_) => tool.id.name.as_str(),
            None => self.names().wire(&tool.id),
        };
        ListEntry { name: name.to_owned(), json: tool.listing(name).as_str().to_owned() }
    }
}

//! The catalog as one request sees it.

use crate::federation::RemoteTool;
use crate::policy::{Policies, PolicyDecision};
use crate::published::{PublishedCatalog, is_meta_tool};
use crate::requests::hash_keys;
use crate::standing::ToolStanding;
use crate::{Error, Gateway, Query, SearchHit, Snapshot};
use std::sync::Arc;
use toolscout_core::{Cx, Diagnostic, Library, Source, SourceId, Tool, ToolId, ToolName};

/// The catalog as one request sees it at one point in time: the tools in the scope of its gateway,
/// and those of its own sources. Immutable, and cheap to clone and to hold.
#[derive(Clone)]
pub struct CatalogView {
    pub(crate) catalog: Arc<PublishedCatalog>,
    remote: RemoteAccess,
}

/// The tools that can be called in addition to the visible ones.
#[derive(Clone)]
enum RemoteAccess {
    Nothing,
    /// The meta tools of remote gateways.
    MetaTools,
    /// A tool of a remote gateway.
    Tool(Arc<RemoteTool>),
}

impl Gateway {
    /// The view of this request. Without request-specific sources, this is the shared catalog, at
    /// no cost. Sources that cannot be listed in time are left out, which
    /// [`CatalogView::diagnostics`] reports.
    ///
    /// Cancel-safe: other requests that wait for the same keys continue.
    pub async fn view(&self, cx: &Cx) -> CatalogView {
        match self.requests.keys(cx) {
            None => CatalogView::new(self.catalog()),
            Some(keys) => CatalogView::new(
                self.requests.catalog_for(&self.publisher, self.scope.as_deref(), keys, cx).await,
            ),
        }
    }

    /// A hash of the request keys; `None` if the request has no sources of its own. Surfaces store
    /// data of a requester under this hash and the user.
    pub fn requester_hash(&self, cx: &Cx) -> Option<String> {
        Some(hash_keys(&self.requests.keys(cx)?).to_hex().to_string())
    }
}

impl CatalogView {
    fn new(catalog: Arc<PublishedCatalog>) -> Self {
        Self { catalog, remote: RemoteAccess::Nothing }
    }

    /// The tools without disabled ones and those that read-only mode blocks; quarantined tools are
    /// reduced to the name and the reason.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.catalog.shown.clone()
    }

    /// All tools, including disabled ones and the full definitions of quarantined ones: for the
    /// operator who decides about them.
    pub fn full_snapshot(&self) -> Arc<Snapshot> {
        self.catalog.all.clone()
    }

    /// The best matching tools, best first. Disabled and quarantined tools are left out, which
    /// [`CatalogView::notes`] reports.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.catalog.search(query)
    }

    /// Resolves a name in any form. A disabled tool counts as absent, but the error states that it
    /// is disabled.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.catalog.resolve(text)
    }

    /// The effective policy of a tool, and the reason for it.
    pub fn policy(&self, tool: &Tool) -> PolicyDecision {
        self.catalog.policies.effective(tool)
    }

    /// The policies that were published with these tools.
    pub fn policies(&self) -> Arc<Policies> {
        self.catalog.policies.clone()
    }

    /// Whether this view is specific to some requests and must not be shown to others. That is the
    /// case for every request with sources of its own, even if they have no tools.
    pub fn is_private(&self) -> bool {
        self.catalog.shared.is_some()
    }

    /// The generation of the shared catalog; it increases with each publication.
    pub fn generation(&self) -> u64 {
        self.catalog.generation
    }

    /// Notes for the user about tools that a list or a search leaves out; empty if there are none.
    pub fn notes(&self) -> Vec<String> {
        self.catalog.notes()
    }

    /// Diagnostics from building the catalog of this request.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.catalog.diagnostics
    }

    /// The sources, in the order they were added; those of the request last.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        self.catalog.sources.all()
    }

    /// The source of this id.
    pub fn source(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.catalog.sources.by_id(id)
    }

    /// The resources and prompts of all sources that have any.
    pub fn libraries(&self) -> impl Iterator<Item = (&SourceId, &dyn Library)> {
        self.sources().iter().filter_map(|source| Some((source.id(), self.library(source.id())?)))
    }

    /// The resources and prompts of this source.
    pub fn library(&self, id: &SourceId) -> Option<&dyn Library> {
        self.source(id)?.library().filter(|_| self.catalog.scope.has_library_of(id))
    }

    /// The remote gateways that may be queried.
    pub fn remote_gateways(&self) -> impl Iterator<Item = &SourceId> {
        self.catalog
            .remote_gateways
            .iter()
            .filter(|gateway| gateway.is_open)
            .map(|gateway| &gateway.source)
    }

    /// Whether this source is a remote gateway that may be queried.
    pub(crate) fn can_query(&self, source: &SourceId) -> bool {
        self.remote_gateways().any(|delegate| delegate == source)
    }

    /// The same view, with access to the meta tools of remote gateways.
    pub(crate) fn through_meta_tools(self) -> Self {
        Self { remote: RemoteAccess::MetaTools, ..self }
    }

    pub(crate) fn with_remote_tool(self, remote_tool: RemoteTool) -> Self {
        Self { remote: RemoteAccess::Tool(Arc::new(remote_tool)), ..self }
    }

    /// Whether this view has access to the meta tools of remote gateways.
    pub(crate) fn is_through_meta_tools(&self) -> bool {
        matches!(self.remote, RemoteAccess::MetaTools)
    }

    /// The remote tool that this view gives access to.
    pub(crate) fn remote_tool(&self) -> Option<&RemoteTool> {
        match &self.remote {
            RemoteAccess::Tool(remote_tool) => Some(remote_tool),
            _ => None,
        }
    }

    /// The current tool of this id, with its policy and facts.
    pub(crate) fn tool(&self, id: &ToolId) -> Result<(&Arc<Tool>, &ToolStanding), Error> {
        let is_closed =
            || is_meta_tool(id, &self.catalog.remote_gateways) && !self.is_through_meta_tools();
        let remote = || {
            self.remote_tool()
                .filter(|value| value.tool.id == *id)
                .map(|value| (&value.tool, &value.standing))
        };
        let known = self.catalog.tool(id).filter(|_| !is_closed()).or_else(remote);
        known.ok_or_else(|| Error::UnknownTool { name: id.to_string(), nearest: Vec::new() })
    }

    /// The source and the name in this text, if it contains both.
    pub(crate) fn named_source(&self, text: &str) -> Option<(&Arc<dyn Source>, ToolName)> {
        ["/", ":", "__"].into_iter().find_map(|separator| {
            let (source, name) = text.split_once(separator)?;
            let (source, name) =
                (self.source(&SourceId::new(source).ok()?)?, ToolName::new(name).ok()?);
            let is_in_scope =
                self.catalog.scope.has_tool(&ToolId::new(source.id().clone(), name.clone()));
            is_in_scope.then_some((source, name))
        })
    }
}

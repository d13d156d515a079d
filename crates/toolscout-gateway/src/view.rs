//! What one request sees.

use crate::federation::RemoteTool;
use crate::policy::PolicyDecision;
use crate::published::{PublishedCatalog, is_meta_tool};
use crate::standing::ToolStanding;
use crate::{Error, Gateway, Query, SearchHit, Snapshot};
use std::sync::Arc;
use toolscout_core::{Cx, Diagnostic, Library, Source, SourceId, Tool, ToolId, ToolName};

/// What one request sees at one moment: what the scope of its gateway has, and what its own sources have. Cloning is cheap, and so is having
/// one: it stays as it is while others change.
#[derive(Clone)]
pub struct CatalogView {
    pub(crate) catalog: Arc<PublishedCatalog>,
    remote: RemoteAccess,
}

/// What can be called besides what is seen.
#[derive(Clone)]
enum RemoteAccess {
    Nothing,
    /// The meta tools of remote gateways.
    MetaTools,
    /// A tool of a remote gateway.
    Tool(Arc<RemoteTool>),
}

impl Gateway {
    /// What this request sees. Where nothing is of its own, that is what all see, and costs nothing. What cannot be asked in
    /// time is left out, and [`CatalogView::problems`] says so.
    ///
    /// Cancel-safe: others of the same key who wait go on.
    pub async fn view(&self, cx: &Cx) -> CatalogView {
        match self.requests.keys(cx) {
            None => CatalogView::of(self.catalog()),
            Some(keys) => CatalogView::of(self.requests.moment(&self.publisher, self.scope.as_deref(), keys, cx).await),
        }
    }
}

impl Gateway {
    /// Stands for whose the request is, to all who give sources to requests; none where it has nothing of its own. What a
    /// surface keeps for who made a request, it keeps under this and under the user.
    pub fn whose(&self, cx: &Cx) -> Option<String> {
        let keys = self.requests.keys(cx)?;
        Some(blake3::hash(serde_json::json!(keys).to_string().as_bytes()).to_hex().to_string())
    }
}

impl CatalogView {
    fn of(moment: Arc<PublishedCatalog>) -> Self {
        Self { catalog: moment, remote: RemoteAccess::Nothing }
    }

    /// The tools, but for what is disabled; of what is held, the name and the reason.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.catalog.shown.clone()
    }

    /// The tools, disabled ones too, and held ones with all they say: for who decides about them.
    pub fn whole_snapshot(&self) -> Arc<Snapshot> {
        self.catalog.all.clone()
    }

    /// The best fitting tools, best first; neither disabled ones nor those held for review, and [`CatalogView::notes`] says so.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.catalog.search(query)
    }

    /// The tool this text means, in any form of a name. One that is disabled is as good as not there, but that it is
    /// disabled is said.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.catalog.resolve(text)
    }

    /// What holds for a tool, and why.
    pub fn policy(&self, tool: &Tool) -> PolicyDecision {
        self.catalog.policies.effective(tool)
    }

    /// Whether this is for some requests only: then it must not be shown to others. So it is wherever somebody has sources
    /// of their own, also if nothing was found in them.
    pub fn is_private(&self) -> bool {
        self.catalog.beneath.is_some()
    }

    /// Which moment this is of what all requests see: later ones have more.
    pub fn generation(&self) -> u64 {
        self.catalog.generation
    }

    /// What a list or a search does not show, for people; empty where there is nothing of the sort.
    pub fn notes(&self) -> Vec<String> {
        self.catalog.notes()
    }

    /// What went wrong on the way to what is of this request.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.catalog.problems
    }

    /// The sources, in the order they were added; those of the request last.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        self.catalog.sources.all()
    }

    /// The source of this id.
    pub fn source(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.catalog.sources.by_id(id)
    }

    /// What sources have besides tools, those that have something.
    pub fn libraries(&self) -> impl Iterator<Item = (&SourceId, &dyn Library)> {
        self.sources().iter().filter_map(|source| Some((source.id(), self.library(source.id())?)))
    }

    /// What this source has besides tools.
    pub fn library(&self, id: &SourceId) -> Option<&dyn Library> {
        self.source(id)?.library().filter(|_| self.catalog.scope.has_library_of(id))
    }

    /// The sources that search for themselves, and may be asked to.
    pub fn delegates(&self) -> impl Iterator<Item = &SourceId> {
        self.catalog.remote_gateways.iter().filter(|it| it.is_open).map(|it| &it.source)
    }

    /// Whether this source searches for itself, and may be asked to.
    pub(crate) fn asks(&self, source: &SourceId) -> bool {
        self.delegates().any(|it| it == source)
    }

    /// The same, for who asks sources that search for themselves.
    pub(crate) fn through_meta_tools(self) -> Self {
        Self { remote: RemoteAccess::MetaTools, ..self }
    }

    pub(crate) fn and_far(self, far: RemoteTool) -> Self {
        Self { remote: RemoteAccess::Tool(Arc::new(far)), ..self }
    }

    /// Whether this is for who asks sources that search for themselves.
    pub(crate) fn is_through_meta_tools(&self) -> bool {
        matches!(self.remote, RemoteAccess::MetaTools)
    }

    /// The tool of a remote gateway that this view is about.
    pub(crate) fn far(&self) -> Option<&RemoteTool> {
        match &self.remote {
            RemoteAccess::Tool(far) => Some(far),
            _ => None,
        }
    }

    /// The tool of this id as it is now, and how it stands.
    pub(crate) fn tool(&self, id: &ToolId) -> Result<(&Arc<Tool>, &ToolStanding), Error> {
        let is_closed = || is_meta_tool(id, &self.catalog.remote_gateways) && !self.is_through_meta_tools();
        let far = || self.far().filter(|it| it.tool.id == *id).map(|it| (&it.tool, &it.standing));
        let known = self.catalog.tool(id).filter(|_| !is_closed()).or_else(far);
        known.ok_or_else(|| Error::UnknownTool { name: id.to_string(), nearest: Vec::new() })
    }

    /// The source and the name that this text says, where it says both.
    pub(crate) fn named_source(&self, text: &str) -> Option<(&Arc<dyn Source>, ToolName)> {
        ["/", ":", "__"].into_iter().find_map(|separator| {
            let (source, name) = text.split_once(separator)?;
            let (source, name) = (self.source(&SourceId::new(source).ok()?)?, ToolName::new(name).ok()?);
            let is_in_scope = self.catalog.scope.has_tool(&ToolId::new(source.id().clone(), name.clone()));
            is_in_scope.then_some((source, name))
        })
    }
}

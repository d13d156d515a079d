//! An immutable catalog with everything known at one point in time.

use crate::delegation::{self, RemoteGateway};
use crate::indexed_tools::IndexedTools;
use crate::policy::{Mode, Policies, Shadow};
use crate::scope::{Scope, Scopes};
use crate::search::{BuiltIndex, IndexSlot, SearchEngine, SearchHit};
use crate::shadowing;
use crate::sources::SourceSet;
use crate::standing::{DefinitionFacts, ToolStanding};
use crate::{Error, Query};
use std::sync::{Arc, OnceLock};
use toolscout_catalog::{CatalogTool, Snapshot, SourceDiscovery, Unresolved, is_equivalent};
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{Diagnostic, Status, Tool, ToolId};
use toolscout_index::{Index, QueryReading, ScoreParts, ToolScope};

/// One published catalog: consistent and immutable. Contains either the tools that all requests
/// share, or these and the tools of one request.
#[derive(Default)]
pub(crate) struct PublishedCatalog {
    /// The generation of the shared catalog, also for catalogs on top of it; it increases with each
    /// publication.
    pub(crate) generation: u64,
    /// Every tool, including disabled ones.
    pub(crate) all: Arc<Snapshot>,
    /// The visible tools: all except disabled ones; quarantined tools are reduced to the name and
    /// the reason.
    pub(crate) shown: Arc<Snapshot>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) sources: Arc<SourceSet>,
    /// The sources that are remote gateways.
    pub(crate) remote_gateways: Vec<RemoteGateway>,
    /// The shared catalog of this scope, if this is the catalog of one request.
    pub(crate) shared: Option<Arc<PublishedCatalog>>,
    /// The visibility rules of this catalog.
    pub(crate) scope: Arc<Scope>,
    /// The scopes that were published with the shared catalog.
    pub(crate) scopes: Arc<Scopes>,
    /// The catalog that this one is a part of, if it belongs to a named scope.
    parent: Option<Arc<PublishedCatalog>>,
    /// Whether the index of the whole catalog lacks a tool that is shown here. That happens if a
    /// tool is excluded there because a stronger source has its name, and the scope is without that
    /// source.
    needs_own_index: bool,
    /// Diagnostics from building the catalog of a request.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// By position in `all`, starting with the first tool that is not in `shared`.
    standing: Box<[OnceLock<ToolStanding>]>,
    /// The index of the tools that are not in `shared`.
    indexed: Arc<IndexSlot>,
    pub(crate) engine: Arc<SearchEngine>,
}

/// The contents of a shared catalog. They are published together, so no reader sees the tools of
/// one configuration with the rules of another.
pub(crate) struct CatalogParts {
    pub(crate) scopes: Arc<Scopes>,
    pub(crate) all: Arc<Snapshot>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) sources: Arc<SourceSet>,
}

impl PublishedCatalog {
    /// The first shared catalog, without tools.
    pub(crate) fn first(policies: Policies, sources: SourceSet, engine: SearchEngine) -> Self {
        let (policies, sources, engine) = (Arc::new(policies), Arc::new(sources), Arc::new(engine));
        Self { policies, sources, engine, ..Self::default() }
    }

    /// The contents of this catalog, of which some can be replaced.
    pub(crate) fn to_parts(&self) -> CatalogParts {
        CatalogParts {
            scopes: self.scopes.clone(),
            all: self.all.clone(),
            policies: self.policies.clone(),
            sources: self.sources.clone(),
        }
    }

    /// The next shared catalog.
    pub(crate) fn after(before: &Self, parts: CatalogParts) -> Self {
        let CatalogParts { scopes, all, policies, sources } = parts;
        let scope = scopes.everything.clone();
        let remote_gateways = remote_gateways(&all, &sources, &scope);
        let shown = visible_snapshot(&all, &policies, &remote_gateways, &scope);
        let standing = empty(all.len());
        let generation = before.generation + 1;
        let indexed = if before.built_index().is_some() && shown.is_same_as(&before.shown) {
            before.indexed.clone()
        } else {
            Arc::default()
        };
        let engine = before.engine.clone();
        let next = Self {
            generation,
            all,
            shown,
            policies,
            sources,
            remote_gateways,
            standing,
            indexed,
            engine,
            scope,
            scopes,
            ..Self::default()
        };
        next.inherit(before);
        next
    }

    /// The part of a catalog within a named scope. It shares the tools, their facts, and the index.
    pub(crate) fn within(parent: Arc<Self>, scope: Arc<Scope>) -> Self {
        let all = Arc::new(
            parent.all.filter_map_tools(|tool| scope.has_tool(&tool.id).then(|| tool.clone())),
        );
        let policies = Arc::new(scope.tighten(&parent.policies));
        let sources = Arc::new(parent.sources.only(|source| scope.has_source(source)));
        let remote_gateways = remote_gateways(&all, &sources, &scope);
        let shown = visible_snapshot(&all, &policies, &remote_gateways, &scope);
        let is_missing = |tool: &Arc<Tool>| parent.shown.tool(&tool.id).is_none();
        Self {
            generation: parent.generation,
            needs_own_index: policies.shadow == Shadow::Exclude && shown.tools().any(is_missing),
            shown,
            standing: empty(all.len()),
            all,
            policies,
            sources,
            remote_gateways,
            engine: parent.engine.clone(),
            scope,
            scopes: parent.scopes.clone(),
            parent: Some(parent),
            ..Self::default()
        }
    }

    /// Whether this is the part of that catalog within the scope.
    pub(crate) fn is_within(&self, parent: &Arc<Self>, scope: &Arc<Scope>) -> bool {
        self.parent.as_ref().is_some_and(|value| Arc::ptr_eq(value, parent))
            && Arc::ptr_eq(&self.scope, scope)
    }

    /// The catalog whose index has the tools of this one.
    pub(crate) fn index_owner(self: &Arc<Self>) -> &Arc<Self> {
        self.shared_index().unwrap_or(self)
    }

    fn shared_index(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref().filter(|_| !self.needs_own_index)
    }

    /// The catalog of one request, on top of a shared one.
    pub(crate) fn for_request(
        shared: Arc<Self>,
        found: Vec<Arc<SourceDiscovery>>,
        sources: SourceSet,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let policies = shared.policies.clone();
        let (all, shadowed) = shared.all.overlay(found.clone());
        let scope = shared.scope.clone();
        let remote_gateways = remote_gateways(&all, &sources, &scope);
        let shown = |tool: &Arc<Tool>| {
            let shown = shown(tool, &policies, &remote_gateways)
                .filter(|value| !is_shadowed(value, &all, &policies))?;
            Some(scope.listed(shown))
        };
        let shown = found.iter().map(|item| item.filter_map_tools(shown));
        let (shown, _) = shared.shown.overlay(shown.collect());
        diagnostics.extend(shadowed);
        Self {
            scope: shared.scope.clone(),
            scopes: shared.scopes.clone(),
            parent: None,
            needs_own_index: false,
            generation: shared.generation,
            standing: empty(all.len() - shared.all.len()),
            all: Arc::new(all),
            shown: Arc::new(shown),
            policies,
            sources: Arc::new(sources),
            remote_gateways,
            diagnostics,
            indexed: Arc::default(),
            engine: shared.engine.clone(),
            shared: Some(shared),
        }
    }

    /// Reuses the facts about tools with an unchanged definition.
    fn inherit(&self, before: &Self) {
        for (tool, standing) in before.all.tools().zip(&before.standing) {
            let Some(standing) = standing.get() else { continue };
            if let Some(known) =
                self.all.tool(&tool.id).filter(|value| is_equivalent(&value.tool, tool))
            {
                let _ = self.standing[known.at]
                    .set(ToolStanding::new(standing.facts.clone(), &self.policies));
            }
        }
    }

    /// The current tool of this id, with its policy and facts.
    pub(crate) fn tool(&self, id: &ToolId) -> Option<(&Arc<Tool>, &ToolStanding)> {
        let known = self.all.tool(id)?;
        Some((&known.tool, self.standing(known)))
    }

    fn standing(&self, known: &CatalogTool) -> &ToolStanding {
        let below = self.shared.as_ref().map_or(0, |value| value.all.len());
        match (known.at.checked_sub(below), &self.shared) {
            (None, Some(shared)) => shared.standing(known),
            (at, _) => self.standing[at.unwrap_or_default()].get_or_init(|| {
                let shared_facts = self
                    .parent
                    .as_ref()
                    .and_then(|parent| Some(parent.tool(&known.tool.id)?.1.facts.clone()));
                ToolStanding::new(
                    shared_facts
                        .unwrap_or_else(|| Arc::new(DefinitionFacts::new(known.tool.clone()))),
                    &self.policies,
                )
            }),
        }
    }

    /// Resolves a name. A tool that is disabled or blocked by read-only mode counts as absent, but
    /// the error states why.
    pub(crate) fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        let reason = match self.shown.resolve(text) {
            Ok(tool) => return Ok(tool.clone()),
            Err(reason) => reason,
        };
        if let (Unresolved::Unknown { .. }, Ok(tool)) = (&reason, self.all.resolve(text)) {
            let decision = self.policies.effective(tool);
            if decision.policy == Policy::Disable {
                return Err(AuthorizationError::Disabled {
                    tool: tool.id.to_string(),
                    reason: decision.reason,
                }
                .into());
            }
            if is_blocked(tool, &self.policies) {
                let (tool, reason) = (tool.id.to_string(), decision.reason);
                return Err(AuthorizationError::Denied { tool, reason }.into());
            }
            if let Some(shadowing_tool) = shadowing::shadowing_tool(tool, &self.all, &self.policies)
            {
                return Err(shadowing::refusal(tool, shadowing_tool).into());
            }
        }
        Err(Error::unresolved(text, reason))
    }

    /// The best matching tools, best first. Shared tools are searched in the shared index; for
    /// equal scores they come first.
    pub(crate) fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        let mut hits = self.shared.as_ref().map_or_else(Vec::new, |value| value.search(query));
        let is_shown = |id: &ToolId| self.shown.tool(id).is_some();
        let scope = self.parent.as_ref().map(|_| ToolScope(&is_shown));
        let own = self.ensure_index().index.search(&Query { scope, ..*query });
        let own = own.into_iter().filter_map(|hit| {
            let tool = self.shown.tool(&hit.id)?.tool.clone();
            // A tool of the request never comes before the shared one that it is named after.
            let named = hits.iter().filter(|shared| shared.tool.id.name == tool.id.name);
            let score = named.map(|shared| shared.score).fold(hit.score, f64::min);
            Some(SearchHit { tool, score, why: hit.reasons })
        });
        let own: Vec<_> = own.collect();
        hits.extend(own);
        if self.shared.is_some() {
            hits.sort_by(|one, other| other.score.total_cmp(&one.score));
            hits.truncate(if query.limit == 0 {
                Query::DEFAULT_LIMIT
            } else {
                query.limit.min(Query::MAX_LIMIT)
            });
        }
        hits
    }

    /// Notes for the user about tools that a list or a search leaves out; empty if there are none.
    pub(crate) fn notes(&self) -> Vec<String> {
        let quarantined = match self.shown.tools().filter(|tool| is_quarantined(tool)).count() {
            0 => None,
            1 => Some("1 tool is quarantined: `toolscout review`".to_owned()),
            count => Some(format!("{count} tools are quarantined: `toolscout review`")),
        };
        let blocked = match self.all.tools().filter(|tool| is_blocked(tool, &self.policies)).count()
        {
            0 => None,
            1 => Some("1 tool is hidden by read-only mode".to_owned()),
            count => Some(format!("{count} tools are hidden by read-only mode")),
        };
        quarantined.into_iter().chain(blocked).collect()
    }

    /// The interpretation of a query, given all of these tools.
    pub(crate) fn reading(&self, text: &str) -> QueryReading {
        let own = self.ensure_index().index.reading(text);
        self.shared.as_ref().map_or(own.clone(), |value| value.reading(text).merge(own))
    }

    /// The score components of these tools.
    pub(crate) fn parts(&self, query: &Query<'_>, tools: &[&ToolId]) -> Vec<Option<ScoreParts>> {
        let mut parts = self.ensure_index().index.parts(query, tools);
        if let Some(shared) = &self.shared {
            let theirs = shared.parts(query, tools);
            parts = parts.into_iter().zip(theirs).map(|(own, theirs)| own.or(theirs)).collect();
        }
        parts
    }

    /// A note for the user about the number of tools without an embedding; empty if all have one.
    pub(crate) fn missing_embeddings_note(&self) -> Vec<String> {
        let parts = [self.shared.as_deref(), Some(self)].into_iter().flatten();
        let counts = parts
            .filter_map(|part| part.built_index())
            .map(|item| (item.missing, item.index.len()));
        match counts.fold((0, 0), |all, counts| (all.0 + counts.0, all.1 + counts.1)) {
            (0, _) => Vec::new(),
            (missing, all) => {
                vec![IndexedTools { indexed: all - missing, total: all }.to_string()]
            }
        }
    }

    /// The index of all tools except those in `shared` and quarantined ones. `None` before the
    /// first search.
    pub(crate) fn built_index(&self) -> Option<Arc<BuiltIndex>> {
        self.shared_index().map_or_else(|| self.indexed.get(), |parent| parent.built_index())
    }

    /// The same index, built if necessary.
    pub(crate) fn ensure_index(&self) -> Arc<BuiltIndex> {
        if let Some(parent) = self.shared_index() {
            return parent.ensure_index();
        }
        let below = self.shared.as_ref().map_or(0, |value| value.shown.len());
        let is_searchable =
            |tool: &&Arc<Tool>| !is_quarantined(tool) && !tool.provenance.placeholder;
        let found = || self.shown.tools().skip(below).filter(is_searchable);
        self.indexed
            .get_or_build(|| self.engine.index(found(), &self.sources, self.shared.is_none()))
    }

    /// Replaces the index by another one of the same tools.
    pub(crate) fn replace_index(&self, index: Index) {
        if self.shared.is_none() {
            self.engine.set_index_data(index.data());
        }
        self.indexed.replace(Arc::new(self.engine.to_built_index(index)));
    }
}

/// The visible part of these tools.
fn visible_snapshot(
    all: &Arc<Snapshot>,
    policies: &Policies,
    remote_gateways: &[RemoteGateway],
    scope: &Scope,
) -> Arc<Snapshot> {
    let excludes = policies.shadow == Shadow::Exclude;
    let hides = policies.disables_something()
        || policies.mode == Mode::ReadOnly
        || !remote_gateways.is_empty()
        || all.tools().any(|tool| is_quarantined(tool));
    if !hides && !excludes && !scope.lists_something() {
        return all.clone();
    }
    Arc::new(all.filter_map_tools(|tool| {
        let shown = shown(tool, policies, remote_gateways)
            .filter(|tool| !is_shadowed(tool, all, policies))?;
        Some(scope.listed(shown))
    }))
}

/// The sources that have both meta tools.
fn remote_gateways(all: &Snapshot, sources: &SourceSet, scope: &Scope) -> Vec<RemoteGateway> {
    let remote_gateway = |search: &Arc<Tool>| {
        let source = search.id.source.clone();
        let execute = &all.tool(&delegation::id(&source, delegation::EXECUTE)?)?.tool;
        let delegation = sources.by_id(&source)?.delegation()?;
        let is_whole = delegation.is_unfiltered && scope.has_every_tool_of(&source);
        Some(RemoteGateway {
            source,
            is_open: is_whole && !is_quarantined(search) && !is_quarantined(execute),
        })
    };
    all.tools_named(delegation::SEARCH)
        .iter()
        .filter_map(|item| remote_gateway(&item.tool))
        .collect()
}

fn empty(len: usize) -> Box<[OnceLock<ToolStanding>]> {
    std::iter::repeat_with(OnceLock::new).take(len).collect()
}

fn is_quarantined(tool: &Tool) -> bool {
    matches!(tool.status, Status::Quarantined(_))
}

/// Whether this is a meta tool of one of these remote gateways.
pub(crate) fn is_meta_tool(id: &ToolId, remote_gateways: &[RemoteGateway]) -> bool {
    delegation::is_meta_tool(id.name.as_str())
        && remote_gateways.iter().any(|gateway| gateway.source == id.source)
}

fn is_disabled(tool: &Tool, policies: &Policies) -> bool {
    policies.disables_something() && policies.effective(tool).policy == Policy::Disable
}

/// Whether read-only mode hides this tool: an agent that finds a tool expects that it can call it.
/// A quarantined one stays visible, so that it can be reviewed.
fn is_blocked(tool: &Tool, policies: &Policies) -> bool {
    policies.mode == Mode::ReadOnly
        && !is_quarantined(tool)
        && !tool.is_read_only()
        && policies.effective(tool).policy != Policy::Disable
}

fn is_shadowed(tool: &Tool, all: &Snapshot, policies: &Policies) -> bool {
    shadowing::shadowing_tool(tool, all, policies).is_some()
}

/// The visible form of a tool, if it is visible. The text of a quarantined tool is only for the
/// operator who reviews it: another reader, for example a model, might follow instructions in it.
fn shown(
    tool: &Arc<Tool>,
    policies: &Policies,
    remote_gateways: &[RemoteGateway],
) -> Option<Arc<Tool>> {
    if is_disabled(tool, policies) || is_blocked(tool, policies) {
        return None;
    }
    if !is_quarantined(tool) {
        return (!is_meta_tool(&tool.id, remote_gateways)).then(|| tool.clone());
    }
    let (visibility, status, provenance) =
        (tool.visibility, tool.status.clone(), tool.provenance.clone());
    Some(Arc::new(Tool { visibility, status, provenance, ..Tool::new(tool.id.clone()) }))
}

//! Definitions found by remote searches, cached for the call that follows.

use crate::delegation;
use crate::requests::RequestKeys;
use crate::standing::DefinitionFacts;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use toolscout_catalog::is_equivalent;
use toolscout_core::{BoundedCache, Source, Tool, ToolId};

/// Definitions cached, of all users together.
const CAPACITY: usize = 256;

/// The requester of a search: one user never gets the results of another user's search.
pub(super) type RequesterKey = (Option<RequestKeys>, Option<Arc<str>>);

pub(super) struct RemoteDefinitions(Mutex<BoundedCache<(RequesterKey, ToolId), CachedDefinition>>);

struct CachedDefinition {
    definition: RemoteDefinition,
    /// The source that found it. Another source under the same id has other tools.
    source: Weak<dyn Source>,
}

impl Default for RemoteDefinitions {
    fn default() -> Self {
        Self(Mutex::new(BoundedCache::new(CAPACITY)))
    }
}

/// The definition of a remote tool.
#[derive(Clone)]
pub(super) struct RemoteDefinition {
    pub(super) tool: Arc<Tool>,
    pub(super) facts: Arc<DefinitionFacts>,
    /// The remote gateway's own digest of this definition.
    pub(super) digest: Option<Arc<str>>,
}

impl RemoteDefinitions {
    /// The definition of exactly this tool.
    pub(super) fn get(
        &self,
        requester: &RequesterKey,
        source: &Arc<dyn Source>,
        id: &ToolId,
    ) -> Option<RemoteDefinition> {
        let mut cache = self.0.lock();
        let found =
            cache.get(&(requester.clone(), id.clone())).filter(|found| found.is_from(source))?;
        Some(found.definition.clone())
    }

    /// The tool that a name refers to at its source: any form of its id, or the bare name if it is
    /// unique.
    pub(super) fn named(
        &self,
        requester: &RequesterKey,
        source: &Arc<dyn Source>,
        name: &str,
    ) -> Option<Arc<Tool>> {
        let cache = self.0.lock();
        let is_of_source = |((owner, id), found): &(&(RequesterKey, ToolId), &CachedDefinition)| {
            owner == requester && id.source == *source.id() && found.is_from(source)
        };
        let all = || cache.iter().filter(is_of_source).map(|(_, found)| &found.definition.tool);
        for form in delegation::forms(name) {
            if let Some(tool) = all().find(|tool| tool.id.name.as_str() == form) {
                return Some(tool.clone());
            }
        }
        let mut bare = all().filter(|tool| delegation::bare(tool.id.name.as_str()) == name);
        match (bare.next(), bare.next()) {
            (Some(tool), None) => Some(tool.clone()),
            _ => None,
        }
    }

    /// Whether exactly this definition is cached.
    pub(super) fn has(
        &self,
        requester: &RequesterKey,
        source: &Arc<dyn Source>,
        tool: &Tool,
    ) -> bool {
        let cache = self.0.lock();
        let found =
            cache.peek(&(requester.clone(), tool.id.clone())).filter(|found| found.is_from(source));
        found.is_some_and(|found| is_equivalent(&found.definition.tool, tool))
    }

    pub(super) fn insert(
        &self,
        requester: &RequesterKey,
        source: &Arc<dyn Source>,
        tool: Arc<Tool>,
        digest: Option<String>,
    ) {
        let mut cache = self.0.lock();
        let key = (requester.clone(), tool.id.clone());
        let digest = digest.map(Arc::from);
        match cache
            .get(&key)
            .filter(|found| found.is_from(source) && is_equivalent(&found.definition.tool, &tool))
        {
            Some(found) => found.definition.digest = digest,
            None => {
                let definition = RemoteDefinition {
                    facts: Arc::new(DefinitionFacts::new(tool.clone())),
                    tool,
                    digest,
                };
                cache.insert(key, CachedDefinition { definition, source: Arc::downgrade(source) });
            }
        }
    }
}

impl CachedDefinition {
    fn is_from(&self, source: &Arc<dyn Source>) -> bool {
        self.source.upgrade().is_some_and(|upgrade| Arc::ptr_eq(&upgrade, source))
    }
}

//! Request-specific sources: discovered when first needed, and cached for a while under the keys of
//! the request.

mod cache;

pub(crate) use cache::RequestCacheLimits;

use crate::Approvals;
use crate::discover::discover_all;
use crate::publish::{self, CatalogPublisher};
use crate::published::PublishedCatalog;
use crate::sources::SourceSet;
use crate::tasks::{run_blocking, until_deadline};
use cache::{RequestCache, RequestCacheEntry};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use toolscout_catalog::SourceDiscovery;
use toolscout_core::{
    Cx, Diagnostic, DiagnosticKind, RequestSources, ReviewMode, Source, SourceId, Tool,
    format_duration,
};

/// Time limit for a provider to return the sources of a request, and for the discovery of each of
/// these sources.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The providers of request-specific sources, and a cache of their results.
pub(crate) struct RequestCatalogs {
    providers: Vec<Arc<dyn RequestSources>>,
    cache: RequestCache,
}

/// The keys of a request, one for each provider. Cached data is stored under all of them.
pub(crate) type RequestKeys = Vec<Option<String>>;

/// A hash of the keys of a request.
pub(crate) fn hash_keys(keys: &[Option<String>]) -> blake3::Hash {
    blake3::hash(serde_json::json!(keys).to_string().as_bytes())
}

/// The discovered tools of a request's sources.
pub(crate) struct RequestDiscovery {
    sources: Vec<(Arc<dyn Source>, Arc<SourceDiscovery>)>,
    diagnostics: Vec<Diagnostic>,
    /// Whether something could not be listed, so that it is worth trying again soon.
    pub(crate) is_partial: bool,
    pub(crate) since: Instant,
}

impl RequestCatalogs {
    pub(crate) fn new(providers: Vec<Arc<dyn RequestSources>>, limits: RequestCacheLimits) -> Self {
        Self { providers, cache: RequestCache::new(limits) }
    }

    pub(crate) fn providers(&self) -> &[Arc<dyn RequestSources>] {
        &self.providers
    }

    /// Whether requests may have sources of their own.
    pub(crate) fn has_providers(&self) -> bool {
        !self.providers.is_empty()
    }

    /// The keys of the request; `None` if no provider has sources for it.
    pub(crate) fn keys(&self, cx: &Cx) -> Option<RequestKeys> {
        if !self.has_providers() {
            return None;
        }
        let keys: RequestKeys = self.providers.iter().map(|provider| provider.key(cx)).collect();
        keys.iter().any(Option::is_some).then_some(keys)
    }

    /// Removes the cached sources of this request, so that its next use discovers them again.
    pub(crate) fn forget(&self, cx: &Cx) {
        if let Some(keys) = self.keys(cx) {
            self.cache.forget(&keys);
        }
    }

    /// The current catalog of the request.
    pub(crate) async fn catalog_for(
        &self,
        publisher: &CatalogPublisher,
        scope: Option<&str>,
        keys: RequestKeys,
        cx: &Cx,
    ) -> Arc<PublishedCatalog> {
        let entry = if self.is_cacheable(&keys) {
            self.cache.entry(keys)
        } else {
            Arc::new(RequestCacheEntry::new(keys))
        };
        // Of many concurrent requests, one runs the discovery; if it is cancelled, the next one
        // does.
        let found = entry.discovery.get_or_init(|| self.discover(&entry, cx));
        let Some(discovery) = until_deadline(cx, found).await else {
            let diagnostic = Diagnostic::warning(
                DiagnosticKind::Source,
                "the sources of this request took too long",
            );
            return Arc::new(without_request_sources(publisher.within(scope), vec![diagnostic]));
        };
        let now = publisher.within(scope);
        if let Some(catalog) = entry.merged(scope, &now) {
            return catalog;
        }
        let approvals = publisher.approvals.for_request(hash_keys(&entry.keys));
        let needs_review =
            discovery.sources.iter().any(|(source, _)| source.review() != ReviewMode::Unneeded);
        let merged = if needs_review {
            let (now, entry) = (now.clone(), entry.clone());
            let work =
                move || entry.discovery.get().map(|discovery| merge(now, discovery, &approvals));
            run_blocking(work)
                .await
                .flatten()
                .unwrap_or_else(|| without_request_sources(publisher.within(scope), Vec::new()))
        } else {
            merge(now, discovery, &approvals)
        };
        entry.store(scope, Arc::new(merged))
    }

    /// Whether every provider that has sources for these keys permits caching.
    fn is_cacheable(&self, keys: &RequestKeys) -> bool {
        let mut used = self.providers.iter().zip(keys).filter(|(_, key)| key.is_some());
        used.all(|(provider, _)| provider.is_cacheable())
    }

    /// Queries all providers that have sources for this request, and then discovers the tools of
    /// these sources.
    async fn discover(&self, entry: &RequestCacheEntry, cx: &Cx) -> RequestDiscovery {
        let cx = &shared_context(cx);
        let providers = self.providers.iter().zip(&entry.keys).filter(|(_, key)| key.is_some());
        let given =
            join_all(providers.map(|(value, _)| timeout(TIME_LIMIT, value.sources(cx)))).await;
        let mut discovered = RequestDiscovery {
            sources: Vec::new(),
            diagnostics: Vec::new(),
            is_partial: false,
            since: Instant::now(),
        };
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        for given in given {
            match given {
                Ok(given) => sources.extend(given),
                Err(_) => discovered.add_failure(
                    "the sources of this request",
                    &format!("no answer within {}", format_duration(TIME_LIMIT)),
                ),
            }
        }
        let all = sources.iter().map(|source| {
            timeout(TIME_LIMIT, discover_all(std::slice::from_ref(source), cx, |_| ()))
        });
        for (source, found) in sources.iter().zip(join_all(all).await) {
            let name = format!("source `{}` of this request", source.id());
            match found.map(|mut value| value.pop()) {
                Ok(Some(Ok(discovery))) => {
                    discovered.sources.push((source.clone(), Arc::new(discovery)))
                }
                Ok(Some(Err(error))) => discovered.add_failure(&name, &error.to_string()),
                Ok(None) => {}
                Err(_) => discovered.add_failure(
                    &name,
                    &format!("not finished within {}", format_duration(TIME_LIMIT)),
                ),
            }
        }
        discovered.since = Instant::now();
        discovered
    }
}

impl RequestDiscovery {
    fn add_failure(&mut self, what: &str, why: &str) {
        self.is_partial = true;
        self.diagnostics.push(Diagnostic::warning(
            DiagnosticKind::Source,
            format!("{what} could not be listed: {why}"),
        ));
    }
}

/// The request context for a discovery that several requests share: with its own deadline, and
/// without a connection to one client.
fn shared_context(cx: &Cx) -> Cx {
    Cx {
        deadline: None,
        progress: None,
        log: None,
        request_id: None,
        approval_prompt: None,
        approval_answer: None,
        reverse_channel: None,
        ..cx.clone()
    }
    .within(TIME_LIMIT * 2)
}

/// The shared catalog, for a request whose own sources are not available.
fn without_request_sources(
    now: Arc<PublishedCatalog>,
    diagnostics: Vec<Diagnostic>,
) -> PublishedCatalog {
    let sources = (*now.sources).clone();
    PublishedCatalog::for_request(now, Vec::new(), sources, diagnostics)
}

/// The shared catalog with the request's own tools on top. These are reviewed like all others.
fn merge(
    now: Arc<PublishedCatalog>,
    discovered: &RequestDiscovery,
    approvals: &Approvals,
) -> PublishedCatalog {
    let mut diagnostics = discovered.diagnostics.clone();
    let mut sources: SourceSet = (*now.sources).clone();
    let mut found: Vec<(ReviewMode, Arc<SourceDiscovery>)> = Vec::new();
    let scope = now.scope.clone();
    for (source, discovery) in
        discovered.sources.iter().filter(|(source, _)| scope.has_source(source.id()))
    {
        diagnostics.extend(discovery.diagnostics.iter().cloned());
        // Ids are first come, first served: shared sources, then those of the providers in order.
        match sources.by_id(source.id()) {
            Some(_) => diagnostics.push(duplicate_id(source.id())),
            None => {
                sources = sources.and(source.clone());
                let is_in_scope = |tool: &Arc<Tool>| scope.has_tool(&tool.id);
                let discovery = if discovery.tools.iter().all(is_in_scope) {
                    discovery.clone()
                } else {
                    Arc::new(
                        discovery.filter_map_tools(|tool| is_in_scope(tool).then(|| tool.clone())),
                    )
                };
                found.push((source.review(), discovery));
            }
        }
    }
    let found = if found.iter().all(|(review, _)| *review == ReviewMode::Unneeded) {
        found.into_iter().map(|(_, item)| item).collect()
    } else {
        let (all, _) = now.all.overlay(found.iter().map(|(_, item)| item.clone()).collect());
        let scan = publish::scanner(Arc::new(all), Arc::new(sources.clone()));
        let mut reviews = approvals.start_reviews();
        let reviewed = found.into_iter().map(|(review, item)| match review {
            ReviewMode::Unneeded => (item, Vec::new()),
            review => {
                let (quarantined, diagnostics) =
                    publish::quarantine_unapproved(&mut reviews, &review, &item, &scan);
                (Arc::new(quarantined), diagnostics)
            }
        });
        let (found, review_diagnostics): (Vec<_>, Vec<_>) = reviewed.unzip();
        reviews.store();
        diagnostics.extend(review_diagnostics.into_iter().flatten());
        found
    };
    PublishedCatalog::for_request(now, found, sources, diagnostics)
}

fn duplicate_id(id: &SourceId) -> Diagnostic {
    let message =
        format!("source `{id}` of this request is skipped: another source has the same id");
    Diagnostic::warning(DiagnosticKind::Collision, message).with_source(id.clone())
}

//! Request-specific sources: discovered when first needed, and cached for a while under the keys of
//! the request.

mod cache;

pub(crate) use cache::RequestCacheLimits;

use crate::Approvals;

use crate::discover::gather;
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
    Cx, Diagnostic, DiagnosticKind, RequestSources, ReviewMode, Source, SourceId, Tool, spoken,
};

/// Time limit for a provider to return the sources of a request, and for the discovery of each of
/// these sources.
const LIMIT: Duration = Duration::from_secs(10);

/// The providers of request-specific sources, and a cache of their results.
pub(crate) struct RequestCatalogs {
    providers: Vec<Arc<dyn RequestSources>>,
    cache: RequestCache,
}

/// The keys of a request, one for each provider. Cached data is stored under all of them.
pub(crate) type RequestKeys = Vec<Option<String>>;

/// The discovered tools of a request's sources.
pub(crate) struct RequestDiscovery {
    sources: Vec<(Arc<dyn Source>, Arc<SourceDiscovery>)>,
    problems: Vec<Diagnostic>,
    /// Whether something could not be listed, so that it is worth trying again soon.
    pub(crate) is_partial: bool,
    pub(crate) since: Instant,
}

impl RequestCatalogs {
    pub(crate) fn new(
        providers: Vec<Arc<dyn RequestSources>>,
        keeping: RequestCacheLimits,
    ) -> Self {
        Self { providers, cache: RequestCache::new(keeping) }
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
        let keys: RequestKeys = self.providers.iter().map(|it| it.key(cx)).collect();
        keys.iter().any(Option::is_some).then_some(keys)
    }

    /// Removes the cached sources of this request, so that its next use discovers them again.
    pub(crate) fn forget(&self, cx: &Cx) {
        if let Some(keys) = self.keys(cx) {
            self.cache.forget(&keys);
        }
    }

    /// The current catalog of the request.
    pub(crate) async fn moment(
        &self,
        publisher: &CatalogPublisher,
        scope: Option<&str>,
        keys: RequestKeys,
        cx: &Cx,
    ) -> Arc<PublishedCatalog> {
        let entry = self.cache.entry(keys);
        // Of many concurrent requests, one runs the discovery; if it is cancelled, the next one
        // does.
        let found = entry.guests.get_or_init(|| self.ask(&entry, cx));
        let Some(guests) = until_deadline(cx, found).await else {
            let problem = Diagnostic::warning(
                DiagnosticKind::Source,
                "the request's own sources took too long",
            );
            return Arc::new(alone(publisher.within(scope), vec![problem]));
        };
        let now = publisher.within(scope);
        if let Some(moment) = entry.merged(scope, &now) {
            return moment;
        }
        let approvals = publisher.approvals.of_request(&entry.keys);
        let needs_review = guests.sources.iter().any(|(it, _)| it.review() != ReviewMode::Unneeded);
        let merged = if needs_review {
            let (now, entry) = (now.clone(), entry.clone());
            let work = move || entry.guests.get().map(|it| merge(now, it, &approvals));
            run_blocking(work)
                .await
                .flatten()
                .unwrap_or_else(|| alone(publisher.within(scope), Vec::new()))
        } else {
            merge(now, guests, &approvals)
        };
        entry.keep(scope, Arc::new(merged))
    }

    /// Queries all providers that have sources for this request, and then discovers the tools of
    /// these sources.
    async fn ask(&self, entry: &RequestCacheEntry, cx: &Cx) -> RequestDiscovery {
        let cx = &anybodys(cx);
        let providers = self.providers.iter().zip(&entry.keys).filter(|(_, key)| key.is_some());
        let given = join_all(providers.map(|(it, _)| timeout(LIMIT, it.sources(cx)))).await;
        let mut guests = RequestDiscovery {
            sources: Vec::new(),
            problems: Vec::new(),
            is_partial: false,
            since: Instant::now(),
        };
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        for given in given {
            match given {
                Ok(given) => sources.extend(given),
                Err(_) => guests.miss(
                    "the request's own sources",
                    &format!("no answer within {}", spoken(LIMIT)),
                ),
            }
        }
        let all =
            sources.iter().map(|it| timeout(LIMIT, gather(std::slice::from_ref(it), cx, |_| ())));
        for (source, found) in sources.iter().zip(join_all(all).await) {
            let name = format!("source `{}` of this request", source.id());
            match found.map(|mut it| it.pop()) {
                Ok(Some(Ok(discovery))) => {
                    guests.sources.push((source.clone(), Arc::new(discovery)))
                }
                Ok(Some(Err(error))) => guests.miss(&name, &error.to_string()),
                Ok(None) => {}
                Err(_) => guests.miss(&name, &format!("not done within {}", spoken(LIMIT))),
            }
        }
        guests.since = Instant::now();
        guests
    }
}

impl RequestDiscovery {
    fn miss(&mut self, what: &str, why: &str) {
        self.is_partial = true;
        self.problems.push(Diagnostic::warning(
            DiagnosticKind::Source,
            format!("{what} could not be listed: {why}"),
        ));
    }
}

/// The request context for a discovery that several requests share: with its own deadline, and
/// without a connection to one client.
fn anybodys(cx: &Cx) -> Cx {
    Cx { deadline: None, progress: None, asker: None, counterpart: None, ..cx.clone() }
        .within(LIMIT * 2)
}

/// The shared catalog, for a request whose own sources are not available.
fn alone(now: Arc<PublishedCatalog>, problems: Vec<Diagnostic>) -> PublishedCatalog {
    let sources = (*now.sources).clone();
    PublishedCatalog::over(now, Vec::new(), sources, problems)
}

/// The shared catalog with the request's own tools on top. These are reviewed like all others.
fn merge(
    now: Arc<PublishedCatalog>,
    guests: &RequestDiscovery,
    approvals: &Approvals,
) -> PublishedCatalog {
    let mut problems = guests.problems.clone();
    let mut sources: SourceSet = (*now.sources).clone();
    let mut found: Vec<(ReviewMode, Arc<SourceDiscovery>)> = Vec::new();
    let scope = now.scope.clone();
    for (source, discovery) in
        guests.sources.iter().filter(|(source, _)| scope.has_source(source.id()))
    {
        problems.extend(discovery.problems.iter().cloned());
        // Ids are first come, first served: shared sources, then those of the providers in order.
        match sources.by_id(source.id()) {
            Some(_) => problems.push(taken(source.id())),
            None => {
                sources = sources.and(source.clone());
                let is_in_scope = |tool: &Arc<Tool>| scope.has_tool(&tool.id);
                let discovery = if discovery.tools.iter().all(is_in_scope) {
                    discovery.clone()
                } else {
                    Arc::new(discovery.each(|tool| is_in_scope(tool).then(|| tool.clone())))
                };
                found.push((source.review(), discovery));
            }
        }
    }
    let found = if found.iter().all(|(review, _)| *review == ReviewMode::Unneeded) {
        found.into_iter().map(|(_, it)| it).collect()
    } else {
        let (all, _) = now.all.over(found.iter().map(|(_, it)| it.clone()).collect());
        let scan = publish::scanner(Arc::new(all), Arc::new(sources.clone()));
        let mut reviews = approvals.reviews();
        let reviewed = found.into_iter().map(|(review, it)| match review {
            ReviewMode::Unneeded => (it, Vec::new()),
            review => {
                let (held, news) = publish::held(&mut reviews, &review, &it, &scan);
                (Arc::new(held), news)
            }
        });
        let (found, news): (Vec<_>, Vec<_>) = reviewed.unzip();
        reviews.keep();
        problems.extend(news.into_iter().flatten());
        found
    };
    PublishedCatalog::over(now, found, sources, problems)
}

fn taken(id: &SourceId) -> Diagnostic {
    let message = format!("source `{id}` of this request is left out: another one has its id");
    Diagnostic::warning(DiagnosticKind::Collision, message).of(id.clone())
}

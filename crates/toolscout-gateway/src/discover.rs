//! Runs discovery on sources and publishes the result.

use crate::delegation;
use crate::policy::DanglingRule;
use crate::tasks::run_blocking;
use crate::{Error, Gateway};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use std::sync::Arc;
use toolscout_catalog::SourceDiscovery;
use toolscout_core::{
    Cx, Diagnostic, DiscoveryItem, ReviewMode, Source, SourceError, SourceId, Tool,
};

/// How many discovery items of one source are taken before those of another.
const CHUNK_SIZE: usize = 128;

/// The outcome of a discovery of all sources, apart from the tools.
#[derive(Debug, Default)]
pub struct RefreshOutcome {
    /// Diagnostics: broken entries, collisions, shadowed names, definitions pending review.
    pub diagnostics: Vec<Diagnostic>,
    /// Sources that could not be listed; their earlier tools stay in the catalog.
    pub failed: Vec<(SourceId, SourceError)>,
}

impl Gateway {
    /// Runs discovery on every source. Cancel-safe: nothing is published before the end.
    pub async fn refresh(&self, cx: &Cx) -> RefreshOutcome {
        self.refresh_watched(cx, |_| ()).await
    }

    /// As [`Gateway::refresh`], and passes each item to `watch` as it arrives; a slow source does
    /// not delay a fast one.
    pub async fn refresh_watched(
        &self,
        cx: &Cx,
        watch: impl FnMut(&DiscoveryItem),
    ) -> RefreshOutcome {
        let mut refreshed = self.discover_sources(&self.sources(), cx, watch).await;
        refreshed.diagnostics.extend(self.dangling().iter().map(DanglingRule::to_diagnostic));
        refreshed
    }

    /// Runs discovery on one source; `None` if there is no such source.
    pub async fn refresh_source(&self, id: &SourceId, cx: &Cx) -> Option<RefreshOutcome> {
        let source = self.source(id)?;
        Some(self.discover_sources(std::slice::from_ref(&source), cx, |_| ()).await)
    }

    /// Resolves a name for this request, like [`crate::CatalogView::resolve`]. If the tool is
    /// unknown but the name contains an existing source, queries that source: it may not have been
    /// discovered yet.
    pub async fn find(&self, text: &str, cx: &Cx) -> Result<Arc<Tool>, Error> {
        let view = self.view(cx).await;
        let unknown = match view.resolve(text) {
            Err(error @ Error::UnknownTool { .. }) => error,
            Ok(tool) if tool.provenance.placeholder => {
                Error::UnknownTool { name: text.to_owned(), nearest: Vec::new() }
            }
            other => return other,
        };
        let Some((source, name)) = view.named_source(text) else { return Err(unknown) };
        if view.can_query(source.id()) {
            return self.find_remote(&view, source, &name, cx).await.ok_or(unknown);
        }
        if source.load(&name, cx.clone()).await?.is_none() {
            return Err(unknown);
        }
        if self.sources().iter().any(|item| Arc::ptr_eq(item, source)) {
            drop(self.discover_sources(std::slice::from_ref(source), cx, |_| ()).await)
        } else {
            self.requests.forget(cx)
        }
        self.view(cx).await.resolve(text)
    }

    pub(crate) async fn discover_sources(
        &self,
        sources: &[Arc<dyn Source>],
        cx: &Cx,
        watch: impl FnMut(&DiscoveryItem),
    ) -> RefreshOutcome {
        let ticket = self.publisher.ticket();
        let results = discover_results(sources, cx, watch).await;
        if sources.iter().all(|source| source.review() == ReviewMode::Unneeded) {
            return self.publisher.publish(results, ticket);
        }
        // Reviews read definitions and the store, which may take a while, so they do not run on an
        // async worker thread.
        let publisher = self.publisher.clone();
        run_blocking(move || publisher.publish(results, ticket)).await.unwrap_or_default()
    }
}

/// The outcome of discovery for one source.
pub(crate) type DiscoveryResult = (Arc<dyn Source>, Result<SourceDiscovery, SourceError>);

/// Runs discovery on these sources; each result comes with its source.
pub(crate) async fn discover_results(
    sources: &[Arc<dyn Source>],
    cx: &Cx,
    watch: impl FnMut(&DiscoveryItem),
) -> Vec<DiscoveryResult> {
    sources.iter().cloned().zip(discover_all(sources, cx, watch).await).collect()
}

/// Runs discovery on these sources independently, and passes each item to `watch` as it arrives.
pub(crate) async fn discover_all(
    sources: &[Arc<dyn Source>],
    cx: &Cx,
    mut watch: impl FnMut(&DiscoveryItem),
) -> Vec<Result<SourceDiscovery, SourceError>> {
    let mut discoveries: Vec<_> = sources
        .iter()
        .map(|source| Ok(SourceDiscovery::new(source.id().clone(), source.kind())))
        .collect();
    // Items that are ready are taken in chunks: polling for the next item costs more than taking
    // it.
    let streams = sources
        .iter()
        .map(|source| source.discover(cx.clone()).ready_chunks(CHUNK_SIZE))
        .enumerate();
    let mut all = select_all(streams.map(|(at, stream)| stream.map(move |stream| (at, stream))));
    while let Some((at, items)) = all.next().await {
        for item in items {
            match (&mut discoveries[at], item) {
                (Ok(discovery), Ok(item)) => {
                    watch(&item);
                    discovery.add(item);
                }
                (slot, Err(error)) => *slot = Err(error),
                (Err(_), Ok(_)) => {}
            }
        }
    }
    for (source, result) in sources.iter().zip(&mut discoveries) {
        if let (Some(_), Ok(discovery)) = (source.delegation(), result) {
            delegation::shorten(discovery);
        }
    }
    discoveries
}

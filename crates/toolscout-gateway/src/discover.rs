//! Asks sources what they have, and publishes it.

use crate::delegation;
use crate::policy::DanglingRule;
use crate::publish::DiscoveryResult;
use crate::tasks::run_blocking;
use crate::{Error, Gateway};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use std::sync::Arc;
use toolscout_catalog::SourceDiscovery;
use toolscout_core::{Cx, Diagnostic, DiscoveryItem, ReviewMode, Source, SourceError, SourceId, Tool};

/// How many findings of one source are taken before those of another.
const AT_A_TIME: usize = 128;

/// What a run through all sources gave besides tools.
#[derive(Debug, Default)]
pub struct RefreshOutcome {
    /// News: broken entries, collisions, shadowed names, definitions that wait for a person.
    pub problems: Vec<Diagnostic>,
    /// Sources that could not be listed; what was known of them stays.
    pub failed: Vec<(SourceId, SourceError)>,
}

impl Gateway {
    /// Asks every source anew. Cancel-safe: nothing shows until the last line.
    pub async fn refresh(&self, cx: &Cx) -> RefreshOutcome {
        self.refresh_watched(cx, |_| ()).await
    }

    /// As [`Gateway::refresh`], and shows each finding as it comes; a fast source is not kept waiting by a slow one.
    pub async fn refresh_watched(&self, cx: &Cx, watch: impl FnMut(&DiscoveryItem)) -> RefreshOutcome {
        let mut refreshed = self.ask(&self.sources(), cx, watch).await;
        refreshed.problems.extend(self.dangling().iter().map(DanglingRule::problem));
        refreshed
    }

    /// Asks one source anew; none where there is no such source.
    pub async fn refresh_source(&self, id: &SourceId, cx: &Cx) -> Option<RefreshOutcome> {
        let source = self.source(id)?;
        Some(self.ask(std::slice::from_ref(&source), cx, |_| ()).await)
    }

    /// The tool this text means to this request, as [`crate::CatalogView::resolve`] finds it. Where that is unknown, but names a
    /// source that is there, the source is asked for it: it may not have been discovered yet.
    pub async fn find(&self, text: &str, cx: &Cx) -> Result<Arc<Tool>, Error> {
        let view = self.view(cx).await;
        let unknown = match view.resolve(text) {
            Err(error @ Error::UnknownTool { .. }) => error,
            other => return other,
        };
        let Some((source, name)) = view.named_source(text) else { return Err(unknown) };
        if view.asks(source.id()) {
            return self.find_remote(&view, source, &name, cx).await.ok_or(unknown);
        }
        if source.load(&name, cx.clone()).await?.is_none() {
            return Err(unknown);
        }
        if self.sources().iter().any(|it| Arc::ptr_eq(it, source)) {
            drop(self.ask(std::slice::from_ref(source), cx, |_| ()).await)
        } else {
            self.requests.forget(cx)
        }
        self.view(cx).await.resolve(text)
    }

    pub(crate) async fn ask(
        &self,
        sources: &[Arc<dyn Source>],
        cx: &Cx,
        watch: impl FnMut(&DiscoveryItem),
    ) -> RefreshOutcome {
        let ticket = self.publisher.ticket();
        let found: Vec<DiscoveryResult> = sources.iter().cloned().zip(gather(sources, cx, watch).await).collect();
        if sources.iter().all(|source| source.review() == ReviewMode::Unneeded) {
            return self.publisher.publish(found, ticket);
        }
        // Reviewing reads definitions and the store, which may take a while: not on a thread that others wait for.
        let publisher = self.publisher.clone();
        run_blocking(move || publisher.publish(found, ticket)).await.unwrap_or_default()
    }
}

/// Everything that these sources find, each alone; what one of them finds is seen as it comes.
pub(crate) async fn gather(
    sources: &[Arc<dyn Source>],
    cx: &Cx,
    mut watch: impl FnMut(&DiscoveryItem),
) -> Vec<Result<SourceDiscovery, SourceError>> {
    let mut found: Vec<_> = sources.iter().map(|it| Ok(SourceDiscovery::new(it.id().clone(), it.origin()))).collect();
    // What is there already is taken many at a time: to ask for the next one costs more than to take it.
    let streams = sources.iter().map(|it| it.discover(cx.clone()).ready_chunks(AT_A_TIME)).enumerate();
    let mut all = select_all(streams.map(|(at, stream)| stream.map(move |it| (at, it))));
    while let Some((at, findings)) = all.next().await {
        for finding in findings {
            match (&mut found[at], finding) {
                (Ok(discovery), Ok(finding)) => {
                    watch(&finding);
                    discovery.add(finding);
                }
                (place, Err(error)) => *place = Err(error),
                (Err(_), Ok(_)) => {}
            }
        }
    }
    for (source, found) in sources.iter().zip(&mut found) {
        if let (Some(_), Ok(discovery)) = (source.delegation(), found) {
            delegation::shorten(discovery);
        }
    }
    found
}

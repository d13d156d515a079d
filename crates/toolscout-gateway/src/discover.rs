//! Asks sources what they have, and publishes it.

use crate::{Gateway, Published};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use std::sync::{Arc, OnceLock, PoisonError};
use toolscout_catalog::Discovery;
use toolscout_core::{Cx, Found, Problem, SourceError, SourceId};

/// What a run through all sources gave besides tools.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// News: broken entries, collisions, shadowed names.
    pub problems: Vec<Problem>,
    /// Sources that could not be listed; what was known of them stays.
    pub failed: Vec<(SourceId, SourceError)>,
}

impl Gateway {
    /// Asks every source anew. Cancel-safe: nothing shows until the last line.
    pub async fn refresh(&self, cx: &Cx) -> Refreshed {
        self.refresh_watched(cx, |_| ()).await
    }

    /// As [`Gateway::refresh`], and shows each finding as it comes; a fast source is not kept waiting by a slow one.
    pub async fn refresh_watched(&self, cx: &Cx, mut watch: impl FnMut(&Found)) -> Refreshed {
        let mut found: Vec<_> =
            self.sources.iter().map(|it| Ok(Discovery::new(it.id().clone(), it.origin()))).collect();
        let streams = self.sources.iter().enumerate();
        let mut all = select_all(streams.map(|(at, source)| source.discover(cx.clone()).map(move |it| (at, it))));
        while let Some((at, finding)) = all.next().await {
            match (&mut found[at], finding) {
                (Ok(discovery), Ok(finding)) => {
                    watch(&finding);
                    discovery.add(finding);
                }
                (place, Err(error)) => *place = Err(error),
                (Err(_), Ok(_)) => {}
            }
        }
        self.publish(found)
    }

    /// One writer at a time; readers never wait.
    fn publish(&self, found: Vec<Result<Discovery, SourceError>>) -> Refreshed {
        let mut refreshed = Refreshed::default();
        let mut discoveries = Vec::new();
        for (source, found) in self.sources.iter().zip(found) {
            match found {
                Ok(discovery) => {
                    refreshed.problems.extend(discovery.problems.iter().cloned());
                    discoveries.push(discovery);
                }
                Err(error) => refreshed.failed.push((source.id().clone(), error)),
            }
        }
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, shadowed) = self.published.load().snapshot.merge(discoveries);
        tracing::debug!(event = "tools_registered", tools = next.len(), failed = refreshed.failed.len());
        self.published.store(Arc::new(Published { snapshot: Arc::new(next), index: OnceLock::new() }));
        refreshed.problems.extend(shadowed);
        refreshed
    }
}

//! Asks sources what they have, and publishes it.

use crate::policy::Dangling;
use crate::publish::Asked;
use crate::{Error, Gateway};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use std::sync::Arc;
use toolscout_catalog::Discovery;
use toolscout_core::{Cx, Found, Problem, Review, Source, SourceError, SourceId, Tool, ToolName};

/// What a run through all sources gave besides tools.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// News: broken entries, collisions, shadowed names, definitions that wait for a person.
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
    pub async fn refresh_watched(&self, cx: &Cx, watch: impl FnMut(&Found)) -> Refreshed {
        let mut refreshed = self.ask(&self.sources, cx, watch).await;
        refreshed.problems.extend(self.dangling().iter().map(Dangling::problem));
        refreshed
    }

    /// Asks one source anew; none where there is no such source.
    pub async fn refresh_source(&self, id: &SourceId, cx: &Cx) -> Option<Refreshed> {
        let source = self.source(id)?;
        Some(self.ask(std::slice::from_ref(source), cx, |_| ()).await)
    }

    /// The tool this text means, as [`Gateway::resolve`] finds it. Where that is unknown, but names a source that is
    /// there, the source is asked for it: it may not have been discovered yet.
    pub async fn find(&self, text: &str, cx: &Cx) -> Result<Arc<Tool>, Error> {
        let unknown = match self.resolve(text) {
            Err(error @ Error::UnknownTool { .. }) => error,
            other => return other,
        };
        let Some((source, name)) = self.named_source(text) else { return Err(unknown) };
        if source.load(&name, cx.clone()).await?.is_none() {
            return Err(unknown);
        }
        self.ask(std::slice::from_ref(source), cx, |_| ()).await;
        self.resolve(text)
    }

    /// The source and the name that this text says, where it says both.
    fn named_source(&self, text: &str) -> Option<(&Arc<dyn Source>, ToolName)> {
        ["/", ":", "__"].into_iter().find_map(|separator| {
            let (source, name) = text.split_once(separator)?;
            Some((self.source(&SourceId::new(source).ok()?)?, ToolName::new(name).ok()?))
        })
    }

    async fn ask(&self, sources: &[Arc<dyn Source>], cx: &Cx, mut watch: impl FnMut(&Found)) -> Refreshed {
        let mut found: Vec<_> = sources.iter().map(|it| Ok(Discovery::new(it.id().clone(), it.origin()))).collect();
        let streams = sources.iter().enumerate();
        let mut all = select_all(streams.map(|(at, source)| source.discover(cx.clone()).map(move |it| (at, it))));
        while let Some((at, finding)) = all.next().await {
            match (&mut found[at], finding) {
                (Ok(discovery), Ok(finding)) => {
                    watch(&finding);
                    discovery.add(finding);
                }
                (place, Err(error)) => *place = Err((sources[at].id().clone(), error)),
                (Err(_), Ok(_)) => {}
            }
        }
        drop(all);
        self.publish(sources.iter().map(|it| it.review()).zip(found).collect()).await
    }

    /// Reviewing reads definitions and the store, which may take a while: not where others wait for their turn.
    async fn publish(&self, found: Vec<Asked>) -> Refreshed {
        if found.iter().all(|(review, _)| *review == Review::Unneeded) {
            return self.board.publish(found);
        }
        let board = self.board.clone();
        match tokio::task::spawn_blocking(move || board.publish(found)).await {
            Ok(refreshed) => refreshed,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime is going down, and nobody is left to show anything to.
            Err(_) => Refreshed::default(),
        }
    }
}

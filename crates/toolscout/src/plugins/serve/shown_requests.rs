//! The part that agents are shown of the sources that single requests have.

use super::shown::{Parts, Shown};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, RequestSources, Source};

/// Gives sources to requests, of which a part is shown.
pub(super) struct ShownRequests {
    inner: Arc<dyn RequestSources>,
    parts: Arc<Parts>,
}

impl ShownRequests {
    pub(super) fn new(inner: Arc<dyn RequestSources>, parts: Arc<Parts>) -> Self {
        Self { inner, parts }
    }
}

impl RequestSources for ShownRequests {
    fn key(&self, cx: &Cx) -> Option<String> {
        self.inner.key(cx)
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        Box::pin(async move {
            let part = self.parts.now();
            let all = self.inner.sources(cx).await.into_iter().filter(|it| part.has(it.id()));
            all.map(|it| Arc::new(Shown::new(it, self.parts.clone())) as Arc<dyn Source>).collect()
        })
    }
}

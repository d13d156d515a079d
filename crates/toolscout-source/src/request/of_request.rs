//! Marks any source as made for one request.

use std::sync::Arc;
use toolscout_core::{Layer, Source, SourceKind, SourceWrapper};

/// Marks a source as one of a request: its names have the lowest precedence, and nothing of it is
/// cached for other requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfRequest;

impl Layer for OfRequest {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Wrapped(inner))
    }
}

struct Wrapped(Arc<dyn Source>);

impl SourceWrapper for Wrapped {
    fn inner(&self) -> &dyn Source {
        &*self.0
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Request
    }
}

//! Sources that exist for one request only.

use crate::{BoxFuture, Cx, Source};
use std::sync::Arc;

/// Supplies the sources that one request has in addition to the shared ones: those of a user or a
/// tenant.
pub trait RequestSources: Send + Sync + 'static {
    /// The cache key of these sources. Requests with the same key may share cached data, so the key
    /// must differ whenever the sources differ. None if this request has no sources of its own.
    fn key(&self, cx: &Cx) -> Option<String>;

    /// The sources themselves, each of kind [`crate::SourceKind::Request`]. Called if something is
    /// needed that is not cached.
    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>>;

    /// Whether requests with the same key may share cached sources and tools for a while. If not,
    /// which is the default, every list, search and call asks for the current ones.
    fn is_cacheable(&self) -> bool {
        false
    }
}

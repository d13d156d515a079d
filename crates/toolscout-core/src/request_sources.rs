//! Sources that are there for one request only.

use crate::{BoxFuture, Cx, Source};
use std::sync::Arc;

/// Gives the sources that one request has beside those that all have: of a user, of a tenant.
pub trait RequestSources: Send + Sync + 'static {
    /// For whom they are. What is kept about them is kept under this, so it must differ wherever they do; two requests
    /// of the same key may share it. None: this request has none.
    fn key(&self, cx: &Cx) -> Option<String>;

    /// The sources themselves, [`crate::SourceKind::Request`] each; asked for when something is needed that is not kept.
    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>>;
}

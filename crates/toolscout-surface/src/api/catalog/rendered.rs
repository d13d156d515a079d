//! The catalogue as it was last written, for as long as nothing in it is different.

use super::is_for_all;
use crate::api::Discovery;
use axum::body::Bytes;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::SourceId;
use toolscout_gateway::{CatalogView, Gateway};

/// What discoveries came to, by server.
pub(super) type Discoveries = BTreeMap<SourceId, Discovery>;

/// The catalogue as it was last written.
#[derive(Default)]
pub(in crate::api) struct Rendered(Mutex<Option<Arc<Last>>>);

struct Last {
    gateway: Arc<Gateway>,
    /// Which moment of the catalog it shows.
    generation: u64,
    discoveries: Discoveries,
    bytes: Bytes,
}

impl Rendered {
    /// What is there, or what `render` makes. What is of one request only is made for it, and not kept.
    pub(super) fn or_render(
        &self,
        gateway: &Arc<Gateway>,
        view: &CatalogView,
        discoveries: Discoveries,
        render: impl FnOnce(&Discoveries) -> Bytes,
    ) -> Bytes {
        if !is_for_all(view) {
            return render(&discoveries);
        }
        let generation = view.generation();
        let last = self.0.lock().clone();
        let is_same = |it: &Arc<Last>| {
            Arc::ptr_eq(&it.gateway, gateway) && it.generation == generation && it.discoveries == discoveries
        };
        if let Some(last) = last.filter(is_same) {
            return last.bytes.clone();
        }
        let bytes = render(&discoveries);
        let next = Arc::new(Last { gateway: gateway.clone(), generation, discoveries, bytes: bytes.clone() });
        *self.0.lock() = Some(next);
        bytes
    }
}

//! Runs the flow: asks sources, publishes what they found, searches it, and takes calls back to the source.
//!
//! Takes sources, gives a typed API of plain data; knows neither which sources exist nor who asks. The two roads to read
//! are [`Gateway::refresh`] and [`Gateway::call`].

mod builder;
mod call;
mod check;
mod defaults;
mod discover;
mod error;
mod search;

#[cfg(test)]
mod tests;

pub use builder::{GatewayBuilder, TwoSourcesAlike};
pub use check::{Check, Violation};
pub use discover::Refreshed;
pub use error::Error;
pub use search::SearchHit;
pub use toolscout_catalog::Snapshot;
pub use toolscout_index::{Profile, Query};

use arc_swap::ArcSwap;
use std::sync::{Arc, Mutex, OnceLock};
use toolscout_core::door::Policy;
use toolscout_core::{Source, SourceId, Tool, ToolId};
use toolscout_index::Index;

/// Sources, what is known of them, and the ways to ask.
pub struct Gateway {
    sources: Vec<Arc<dyn Source>>,
    policies: Box<dyn Fn(&ToolId) -> Policy + Send + Sync>,
    published: ArcSwap<Published>,
    /// One writer at a time; readers never wait.
    writer: Mutex<()>,
}

/// A snapshot with the index over it, made when somebody first searches.
#[derive(Default)]
struct Published {
    snapshot: Arc<Snapshot>,
    index: OnceLock<Index>,
}

impl Gateway {
    /// Collects sources; opens and starts nothing.
    pub fn builder() -> GatewayBuilder {
        GatewayBuilder::default()
    }

    /// What is known now. Starts nothing, ever.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.published.load().snapshot.clone()
    }

    /// The sources, in the order they were added.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// The tool this text means, in any form of a name.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.snapshot().resolve(text).cloned().map_err(|why| Error::unresolved(text, why))
    }

    fn source(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.sources.iter().find(|it| it.id() == id)
    }
}

//! Puts a gateway together.

use crate::{Gateway, Published};
use arc_swap::ArcSwap;
use std::sync::{Arc, Mutex};
use toolscout_core::door::Policy;
use toolscout_core::{Layer, Source, SourceId, ToolId};

/// Collects sources and rules; [`GatewayBuilder::build`] checks them and opens nothing.
pub struct GatewayBuilder {
    sources: Vec<Arc<dyn Source>>,
    policies: Box<dyn Fn(&ToolId) -> Policy + Send + Sync>,
}

impl Default for GatewayBuilder {
    fn default() -> Self {
        Self { sources: Vec::new(), policies: Box::new(|_| Policy::Allow) }
    }
}

impl GatewayBuilder {
    /// Adds a source.
    pub fn source(mut self, source: Arc<dyn Source>) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds a source inside a layer.
    pub fn layered(self, source: Arc<dyn Source>, layer: impl Layer) -> Self {
        self.source(layer.layer(source))
    }

    /// Says what holds for each tool; everything is allowed otherwise.
    pub fn policies(mut self, policies: impl Fn(&ToolId) -> Policy + Send + Sync + 'static) -> Self {
        self.policies = Box::new(policies);
        self
    }

    /// The gateway, knowing nothing yet.
    pub fn build(self) -> Result<Gateway, TwoSourcesAlike> {
        for (at, source) in self.sources.iter().enumerate() {
            if self.sources[..at].iter().any(|it| it.id() == source.id()) {
                return Err(TwoSourcesAlike { id: source.id().clone() });
            }
        }
        Ok(Gateway {
            sources: self.sources,
            policies: self.policies,
            published: ArcSwap::from_pointee(Published::default()),
            writer: Mutex::new(()),
        })
    }
}

/// Two sources want the same id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two sources are named `{id}`; give one of them another id")]
pub struct TwoSourcesAlike {
    /// The id.
    pub id: SourceId,
}

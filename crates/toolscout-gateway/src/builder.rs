//! Puts a gateway together.

use crate::ask::Questions;
use crate::policy::Policies;
use crate::publish::Board;
use crate::{Approvals, Gateway};
use std::sync::Arc;
use toolscout_core::{Layer, Source, SourceId};

/// Collects sources and rules; [`GatewayBuilder::build`] checks them and opens nothing.
#[derive(Default)]
pub struct GatewayBuilder {
    sources: Vec<Arc<dyn Source>>,
    policies: Policies,
    approvals: Option<Approvals>,
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
    pub fn policies(self, policies: Policies) -> Self {
        Self { policies, ..self }
    }

    /// Where it is remembered what may be used, and what was asked; otherwise that ends with the process.
    pub fn approvals(self, approvals: Approvals) -> Self {
        Self { approvals: Some(approvals), ..self }
    }

    /// The gateway, knowing nothing yet.
    pub fn build(self) -> Result<Gateway, TwoSourcesAlike> {
        for (at, source) in self.sources.iter().enumerate() {
            if self.sources[..at].iter().any(|it| it.id() == source.id()) {
                return Err(TwoSourcesAlike { id: source.id().clone() });
            }
        }
        let approvals = self.approvals.unwrap_or_else(Approvals::in_memory);
        let questions: Questions = approvals.questions();
        Ok(Gateway { sources: self.sources, questions, board: Arc::new(Board::new(approvals, self.policies)) })
    }
}

/// Two sources want the same id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two sources are named `{id}`; give one of them another id")]
pub struct TwoSourcesAlike {
    /// The id.
    pub id: SourceId,
}

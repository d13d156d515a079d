//! Runs the flow: asks sources, publishes what they found, searches it, and takes calls back to the source.
//!
//! Takes sources, gives a typed API of plain data; knows neither which sources exist nor who asks. The two roads to read
//! are [`Gateway::refresh`] and [`Gateway::call`].

pub mod pins;
pub mod policy;

mod approvals;
mod ask;
mod builder;
mod call;
mod check;
mod defaults;
mod discover;
mod error;
mod publish;
mod seal;
mod search;
mod trust;

#[cfg(test)]
mod tests;

pub use approvals::{Approvals, HeldTool};
pub use ask::{PATIENCE, Pending};
pub use builder::{GatewayBuilder, TwoSourcesAlike};
pub use check::{Check, Violation};
pub use discover::Refreshed;
pub use error::Error;
pub use search::SearchHit;
pub use toolscout_catalog::diff::Change;
pub use toolscout_catalog::findings::{Finding, Kind, Severity};
pub use toolscout_catalog::{Snapshot, Unresolved};
pub use toolscout_index::{Profile, Query};

use ask::Questions;
use publish::Board;
use std::sync::Arc;
use toolscout_core::door::{Policy, Refusal};
use toolscout_core::{Source, SourceId, Tool};

/// Sources, what is known of them, and the ways to ask.
pub struct Gateway {
    sources: Vec<Arc<dyn Source>>,
    board: Arc<Board>,
    questions: Questions,
}

impl Gateway {
    /// Collects sources; opens and starts nothing.
    pub fn builder() -> GatewayBuilder {
        GatewayBuilder::default()
    }

    /// What is known now, but for what is disabled; of what is held, the name and the reason. Starts nothing, ever.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.board.now().shown.clone()
    }

    /// What is known now, disabled tools too, and held ones with all they say: for who decides about them.
    pub fn whole_snapshot(&self) -> Arc<Snapshot> {
        self.board.now().all.clone()
    }

    /// The sources, in the order they were added.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// The tool this text means, in any form of a name. One that is disabled is as good as not there, but that it is
    /// disabled is said.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        let published = self.board.now();
        let why = match published.shown.resolve(text) {
            Ok(tool) => return Ok(tool.clone()),
            Err(why) => why,
        };
        if let (Unresolved::Unknown { .. }, Ok(hidden)) = (&why, published.all.resolve(text)) {
            let decision = published.policies.effective(hidden);
            if decision.policy == Policy::Disable {
                return Err(Refusal::Disabled { tool: hidden.id.to_string(), because: decision.because }.into());
            }
        }
        Err(Error::unresolved(text, why))
    }

    fn source(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.sources.iter().find(|it| it.id() == id)
    }
}

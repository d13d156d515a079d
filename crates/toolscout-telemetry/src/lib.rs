//! Observers of events: the audit journal with its statistics, metrics for Prometheus, and traces
//! for OpenTelemetry.
//!
//! An observer receives events from [`toolscout_core::event`] and depends on neither the app nor
//! the surfaces. Start reading at [`JournalObserver`], then [`audit`] and [`stats`], which read the
//! journal. [`Metrics`] and [`Traces`] are independent of it.

#![warn(missing_docs)]

pub mod audit;
pub mod journal;
pub mod stats;
pub mod traces;

mod error;
mod metrics;
pub mod since;

#[cfg(test)]
mod tests;

pub use error::TelemetryError;
pub use journal::JournalObserver;
pub use metrics::{CatalogCounts, FleetGauges, Metrics};
pub use traces::{TracedServers, Traces};

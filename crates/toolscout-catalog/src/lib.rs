//! The catalog of tools, as immutable snapshots.
//!
//! Discoveries of sources become a new [`Snapshot`]; readers keep the one they have. Pure: no
//! files, no tokio, and no clock except the one passed to [`TtlRegistry`]. Start reading at
//! [`Snapshot::merge`], then [`Snapshot::resolve`].

pub mod diff;
mod discovery;
mod equivalent;
pub mod findings;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod resolve;
pub mod review;
mod snapshot;
pub mod ttl_registry;

#[cfg(test)]
mod tests;

pub use discovery::SourceDiscovery;
pub use equivalent::is_equivalent;
pub use resolve::Unresolved;
pub use snapshot::{CatalogTool, Snapshot};
pub use ttl_registry::TtlRegistry;

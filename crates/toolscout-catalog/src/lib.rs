//! What is known about tools, as immutable snapshots.
//!
//! Takes what sources found, gives a new [`Snapshot`]; readers keep the one they have. Pure: no files, no clock, no
//! tokio. Start reading at [`Snapshot::merge`], then [`Snapshot::resolve`].

mod discovery;
mod resolve;
mod snapshot;

#[cfg(test)]
mod tests;

pub use discovery::Discovery;
pub use resolve::Unresolved;
pub use snapshot::{Known, Snapshot};

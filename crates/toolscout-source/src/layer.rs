//! Layers that wrap a source to change one thing about it, and the chain that joins several sources
//! into one.
//!
//! Each is one file. Layers wrap any source and each other; the outermost layer gets a request
//! first.

mod chain;
mod concurrency;
mod filter;
mod prefix;
mod retry;
mod timeout;

#[cfg(test)]
mod tests;

pub use chain::Chain;
pub use concurrency::Concurrency;
pub use filter::Filter;
pub use prefix::Prefix;
pub use retry::Retry;
pub use timeout::Timeout;

use toolscout_core::{SourceError, SourceId, ToolName};

fn not_mine(id: &SourceId, name: &ToolName) -> SourceError {
    SourceError::NotMine { id: id.clone(), name: name.to_string() }
}

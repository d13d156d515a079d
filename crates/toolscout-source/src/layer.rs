//! What can be wrapped around a source to change one thing about it, and what joins several into one.
//!
//! Each is one file. Layers go around any source and around each other; the last one wrapped is asked first.

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

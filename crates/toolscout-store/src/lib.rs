//! Keeps what must survive the process, for several processes at once.
//!
//! Gives [`SqliteStore`], one [`toolscout_core::Store`] over two SQLite files in the state folder: `state.db` for what can
//! be found again, `trust.db` for what cannot; and beside them the [`journal`] of what happened. Knows nothing of what the kept
//! bytes mean. Start reading at [`SqliteStore::open`]; where the folder is, [`state_dir`] says.

#![warn(missing_docs)]

mod dirs;
pub mod journal;
mod sqlite;

#[cfg(test)]
mod tests;

pub use dirs::{config_dir, state_dir};
pub use sqlite::SqliteStore;

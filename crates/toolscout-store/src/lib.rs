//! Persistent state, shared by several processes.
//!
//! Provides [`SqliteStore`], one [`toolscout_core::Store`] over two SQLite files in the state
//! folder: `state.db` for data that can be recreated, `trust.db` for data that cannot; and beside
//! them the [`journal`] of events. It treats stored values as opaque bytes. Start reading at
//! [`SqliteStore::open`]; [`state_dir`] finds the folder.

#![warn(missing_docs)]

mod dirs;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod journal;
pub mod seal;
mod sqlite;

#[cfg(test)]
mod tests;

pub use dirs::{config_dir, state_dir};
pub use sqlite::SqliteStore;

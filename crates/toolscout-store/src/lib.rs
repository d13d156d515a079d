//! Keeps what must survive the process, for several processes at once.
//!
//! Gives [`SqliteStore`], one [`toolscout_core::Store`] over one SQLite file in the state folder. Knows nothing of what
//! the kept bytes mean. Start reading at [`SqliteStore::open`]; where the folder is, [`state_dir`] says.

#![warn(missing_docs)]

mod dirs;
mod sqlite;

#[cfg(test)]
mod tests;

pub use dirs::{config_dir, state_dir};
pub use sqlite::SqliteStore;

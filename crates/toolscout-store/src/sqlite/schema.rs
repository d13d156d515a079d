//! The tables, as a list of steps from nothing to now.

use rusqlite::{Connection, TransactionBehavior};

// Not `WITHOUT ROWID`: there every comparison of keys would read the whole value beside the key, and some are megabytes.
/// Step `n` leads from version `n` to `n + 1`. Steps are only ever added: a file may be at any of them.
const STEPS: &[&str] = &["CREATE TABLE kept (
        shelf TEXT NOT NULL,
        key TEXT NOT NULL,
        value BLOB NOT NULL,
        written INTEGER NOT NULL,
        PRIMARY KEY (shelf, key)
    )"];

/// The version this program reads and writes.
pub(super) const CURRENT: i64 = STEPS.len() as i64;

/// The file's version; 0 for one that was just made. Reads the first page, so damage there shows here.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes the steps that are missing, all or none.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let from = version(connection)?;
    if from == CURRENT {
        return Ok(());
    }
    // Kept in the file itself, so that opening it later need not say it again.
    // Large pages, because large values are what is read most; must come before the first table.
    connection.pragma_update(None, "page_size", 16_384)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or_default()) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", CURRENT)?;
    transaction.commit()
}

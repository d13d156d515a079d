//! The tables, as a list of migration steps.

use rusqlite::{Connection, TransactionBehavior};

// Not `WITHOUT ROWID`: every key comparison would then read the whole value beside the key, and
// some values are megabytes.
/// Step `n` migrates from version `n` to `n + 1`. Steps are only ever added, since a file may have
/// any version.
const STEPS: &[&str] = &["CREATE TABLE kept (
        shelf TEXT NOT NULL,
        key TEXT NOT NULL,
        value BLOB NOT NULL,
        written INTEGER NOT NULL,
        PRIMARY KEY (shelf, key)
    )"];

/// The version this program reads and writes.
pub(super) const CURRENT: i64 = STEPS.len() as i64;

/// The file's version; 0 for a new file. Reads the first page, so damage there shows here.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Applies the missing steps, all or none.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let from = version(connection)?;
    if from == CURRENT {
        return Ok(());
    }
    // Both pragmas persist in the file, so later connections need not set them. The pages are
    // large, because most reads are of large values; the size must be set before the first table.
    connection.pragma_update(None, "page_size", 16_384)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or_default()) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", CURRENT)?;
    transaction.commit()
}

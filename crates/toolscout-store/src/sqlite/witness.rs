//! Detects that a database was deleted or replaced: a file beside it has the number of the database
//! that the folder had last.

use super::failed;
use super::file::{self, if_exists};
use rusqlite::Connection;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toolscout_core::StoreError;

/// How a database compares to the number beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WitnessMatch {
    /// It is the database that the folder had last.
    Same,
    /// There is no number beside it.
    Unknown,
    /// It is another database.
    Other,
}

/// Whether the folder had a database.
pub(super) fn exists(database: &Path) -> bool {
    path(database).exists()
}

/// Compares the number in the database to the one beside it.
pub(super) fn compare(database: &Path, connection: &Connection) -> rusqlite::Result<WitnessMatch> {
    let found = number(connection)?;
    Ok(match read(database) {
        None => WitnessMatch::Unknown,
        Some(expected) if found != 0 && expected == found.to_string() => WitnessMatch::Same,
        Some(_) => WitnessMatch::Other,
    })
}

/// Writes the number of a new database beside it; an error if the folder had another one.
pub(super) fn settle(database: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failure = |cause| failed(format!("cannot open `{}`", database.display()), cause);
    match compare(database, connection).map_err(failure)? {
        WitnessMatch::Same => return Ok(()),
        WitnessMatch::Other => return Err(missing_error(database)),
        WitnessMatch::Unknown => {}
    }
    let mut id = number(connection).map_err(failure)?;
    let unwritable = |cause| failed(format!("cannot write `{}`", path(database).display()), cause);
    if id == 0 {
        id = random().map_err(unwritable)?;
        connection.pragma_update(None, "application_id", id).map_err(failure)?;
    }
    write(database, &id.to_string()).map_err(unwritable)
}

/// The error for a file that is missing, or was replaced by another one.
pub(super) fn missing_error(path: &Path) -> StoreError {
    let what = format!(
        "`{}` is missing or was replaced, so nothing is trusted or approved; restore it, or run `toolscout trust reset` to start over",
        path.display()
    );
    StoreError { what, cause: None }
}

/// Forgets which database the folder had.
pub(super) fn remove(database: &Path) -> io::Result<()> {
    if_exists(fs::remove_file(path(database))).map(drop)
}

/// Not named after the database, so that a pattern that deletes the database keeps it.
fn path(database: &Path) -> PathBuf {
    database.with_file_name("approvals.id")
}

/// The text of the file; `None` if there is no such file. A file that cannot be read matches no
/// database.
fn read(database: &Path) -> Option<String> {
    match if_exists(fs::read_to_string(path(database))) {
        Ok(text) => text.map(|text| text.trim().to_owned()),
        Err(_) => Some(String::new()),
    }
}

/// 0 in a database that was never settled.
fn number(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

fn random() -> io::Result<i32> {
    let mut bytes = [0; 4];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| io::Error::other("the operating system returned no random bytes"))?;
    Ok((i32::from_le_bytes(bytes) & i32::MAX).max(1))
}

/// Writes a temporary file (0600) and renames it, so that no process reads an incomplete number.
fn write(database: &Path, id: &str) -> io::Result<()> {
    file::create_folder(database)?;
    let folder = database.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix("approvals").tempfile_in(folder)?;
    temporary.write_all(id.as_bytes())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path(database)).map(drop).map_err(|error| error.error)
}

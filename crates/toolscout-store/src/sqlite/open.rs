//! Opens a connection, whatever state the file is in.

use super::file::{self, FileIdentity};
use super::witness::WitnessMatch;
use super::{failed, schema, witness};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::StoreError;

/// Maximum wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How to treat a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Its data can be recreated: a damaged file is set aside and a new one is created.
    Rebuild,
    /// Its data cannot be recreated: a damaged file stays, and is an error until a user has
    /// intervened.
    Keep,
}

#[derive(Debug)]
pub(super) struct OpenedDatabase {
    pub(super) connection: Connection,
    /// The identity of the opened file.
    pub(super) file: Option<FileIdentity>,
    /// The path that a damaged file was moved to, if there was one.
    pub(super) set_aside: Option<PathBuf>,
}

/// Opens the file. For an intact file this reads its first page, or all pages with [`Care::Keep`];
/// any other file is settled.
pub(super) fn open(path: &Path, care: Care) -> Result<OpenedDatabase, StoreError> {
    match open_current(path, care).map(|found| configure(path, found, care)) {
        Some(Ok(opened)) => Ok(opened),
        // Damage in the rest of the first page shows only when the tables are read.
        Some(Err(_)) | None => prepare(path, care),
    }
}

/// Holds the shared lock, because another process may be settling the file: SQLite finds the WAL by
/// name, and could combine the old file's WAL with the new file, or the reverse.
fn open_current(path: &Path, care: Care) -> Option<Versioned> {
    let _lock = file::lock_shared(path).ok()?;
    let found = connect(path).ok().filter(|value| value.version == schema::CURRENT)?;
    let is_current = care == Care::Rebuild
        || (is_intact(&found.connection, care) == Ok(true)
            && witness::compare(path, &found.connection) == Ok(WitnessMatch::Same));
    is_current.then_some(found)
}

/// Creates, migrates or replaces the file. If that fails, opens the existing file read-only.
pub(super) fn prepare(path: &Path, care: Care) -> Result<OpenedDatabase, StoreError> {
    prepare_locked(path, care).or_else(|error| read_only(path, care).ok_or(error))
}

/// Whether SQLite reports that the file is corrupt.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Settles under an exclusive lock, and checks everything again: another process may have settled
/// the file before.
fn prepare_locked(path: &Path, care: Care) -> Result<OpenedDatabase, StoreError> {
    let create_error = |cause| failed(format!("cannot create `{}`", path.display()), cause);
    file::create_folder(path).map_err(create_error)?;
    let _lock = file::lock(path).map_err(create_error)?;
    let set_aside = if !is_damaged(path, care) {
        None
    } else if care == Care::Keep {
        return Err(damage_error(path));
    } else {
        Some(file::set_aside(path).map_err(|cause| {
            failed(format!("`{}` is damaged and cannot be moved aside", path.display()), cause)
        })?)
    };
    // A new file would approve at first sight what was quarantined in the old one.
    if care == Care::Keep && !path.exists() && witness::exists(path) {
        return Err(witness::missing_error(path));
    }
    file::create_private(path).map_err(create_error)?;
    let mut found = connect(path).map_err(|cause| open_error(path, cause))?;
    if found.version > schema::CURRENT {
        return Err(newer_version_error(path, found.version));
    }
    schema::migrate(&mut found.connection).map_err(|cause| open_error(path, cause))?;
    if care == Care::Keep {
        witness::settle(path, &found.connection)?;
    }
    Ok(OpenedDatabase { set_aside, ..configure(path, found, care)? })
}

/// Opens the file as immutable: in a folder that is not writable, SQLite cannot create the files
/// that it shares between processes.
fn read_only(path: &Path, care: Care) -> Option<OpenedDatabase> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = with_version(Connection::open_with_flags(immutable_uri(path), flags)).ok()?;
    let is_usable = found.version == schema::CURRENT
        && (care == Care::Rebuild
            || (is_intact(&found.connection, care) == Ok(true)
                && witness::compare(path, &found.connection) != Ok(WitnessMatch::Other)));
    is_usable.then(|| OpenedDatabase {
        connection: found.connection,
        file: file::identity(path),
        set_aside: None,
    })
}

fn is_damaged(path: &Path, care: Care) -> bool {
    match connect(path).and_then(|value| is_intact(&value.connection, care)) {
        Ok(intact) => !intact,
        Err(cause) => is_damage(&cause),
    }
}

/// Checks every page, unlike an ordinary open; with [`Care::Keep`], also whether indexes and tables
/// agree.
fn is_intact(connection: &Connection, care: Care) -> rusqlite::Result<bool> {
    let pragma = match care {
        Care::Rebuild => "PRAGMA quick_check(1)",
        Care::Keep => "PRAGMA integrity_check(1)",
    };
    connection.query_row(pragma, [], |row| row.get::<_, String>(0)).map(|answer| answer == "ok")
}

/// A readable file and its schema version.
struct Versioned {
    connection: Connection,
    version: i64,
}

fn connect(path: &Path) -> rusqlite::Result<Versioned> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    with_version(Connection::open_with_flags(path, flags))
}

/// SQLite reads nothing before the first query; this query reveals a damaged file.
fn with_version(opened: rusqlite::Result<Connection>) -> rusqlite::Result<Versioned> {
    let connection = opened?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let version = schema::version(&connection)?;
    Ok(Versioned { connection, version })
}

/// The path as a URI with which SQLite expects no writers.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(*byte as char),
            byte if byte.is_ascii_alphanumeric() => uri.push(*byte as char),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?immutable=1"
}

fn configure(path: &Path, found: Versioned, care: Care) -> Result<OpenedDatabase, StoreError> {
    let connection = found.connection;
    let synchronous = match care {
        // After a power cut the last writes may be missing, but the file stays consistent.
        Care::Rebuild => "normal",
        Care::Keep => "full",
    };
    connection
        .pragma_update(None, "synchronous", synchronous)
        .map_err(|cause| open_error(path, cause))?;
    Ok(OpenedDatabase { connection, file: file::identity(path), set_aside: None })
}

/// The error for a damaged file that must be kept. Copies the file first, so that moving it away
/// loses nothing.
pub(super) fn damage_error(path: &Path) -> StoreError {
    let copy_note = match file::copy_aside(path) {
        Ok(copy) => format!("a copy is `{}`", copy.display()),
        Err(cause) => format!("it could not be copied: {cause}"),
    };
    let what = format!(
        "`{}` is damaged, so its approvals do not count; {copy_note}; {RECOVERY_HINT}",
        path.display(),
    );
    StoreError { what, cause: None }
}

/// The error for a value without a valid seal.
pub(super) fn invalid_seal(path: &Path, key: &str) -> StoreError {
    let what = format!(
        "`{}` was changed by something other than toolscout, at `{}`, or the `key` beside it was replaced; its approvals do not count until you approve again with `toolscout review accept SERVER`",
        path.display(),
        key.escape_debug(),
    );
    StoreError { what, cause: None }
}

const RECOVERY_HINT: &str =
    "run `toolscout trust reset`, then approve again with `toolscout review accept SERVER`";

fn newer_version_error(path: &Path, found: i64) -> StoreError {
    let what = format!(
        "`{}` was written by a newer toolscout (schema version {found}; this version supports up to {}); \
         update toolscout, or point TOOLSCOUT_STATE_DIR at another folder",
        path.display(),
        schema::CURRENT
    );
    StoreError { what, cause: None }
}

fn open_error(path: &Path, cause: rusqlite::Error) -> StoreError {
    failed(format!("cannot open `{}`", path.display()), cause)
}

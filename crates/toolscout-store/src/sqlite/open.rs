//! From a path to a connection that can be used, whatever state the file is in.

use super::{failed, file, schema};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::StoreError;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// Where the file that was here before went, if it was damaged.
    pub(super) set_aside: Option<PathBuf>,
}

/// Opens the file. One that is as it should be costs a look at its first page; any other is settled.
pub(super) fn open(path: &Path) -> Result<Opened, StoreError> {
    match open_settled(path).map(|found| ready(path, found, None)) {
        Some(Ok(opened)) => Ok(opened),
        // Damage in the rest of the first page shows only when the tables are looked at.
        Some(Err(_)) | None => settle(path),
    }
}

/// Not while another settles: SQLite finds the files beside this one by name, and would take the old file's for the new
/// one's, or the reverse.
fn open_settled(path: &Path) -> Option<Versioned> {
    let _undisturbed = file::lock_shared(path).ok()?;
    connect(path).ok().filter(|it| it.version == schema::CURRENT)
}

/// Makes, migrates or replaces the file. Where that cannot be done, gives what is there to read.
pub(super) fn settle(path: &Path) -> Result<Opened, StoreError> {
    settle_alone(path).or_else(|error| read_only(path).ok_or(error))
}

/// Whether SQLite says that the file's content makes no sense.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// One process at a time, and from the beginning: while waiting for our turn, another may have done it all.
fn settle_alone(path: &Path) -> Result<Opened, StoreError> {
    let cannot_make = |cause| failed(format!("cannot make `{}`", path.display()), cause);
    file::make_folder(path).map_err(cannot_make)?;
    let _alone = file::lock(path).map_err(cannot_make)?;
    let set_aside = match is_damaged(path) {
        false => None,
        true => Some(
            file::set_aside(path)
                .map_err(|cause| failed(format!("`{}` is damaged and cannot be set aside", path.display()), cause))?,
        ),
    };
    file::make(path).map_err(cannot_make)?;
    let mut found = connect(path).map_err(|cause| cannot_open(path, cause))?;
    if found.version > schema::CURRENT {
        return Err(newer(path, found.version));
    }
    schema::migrate(&mut found.connection).map_err(|cause| cannot_open(path, cause))?;
    ready(path, found, set_aside)
}

/// A folder that cannot be written has no place for the files SQLite shares between processes; it can be read as if
/// nobody wrote.
fn read_only(path: &Path) -> Option<Opened> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = look(Connection::open_with_flags(immutable(path), flags)).ok()?;
    (found.version == schema::CURRENT).then_some(Opened { connection: found.connection, set_aside: None })
}

/// Looks at every page, unlike an ordinary opening.
fn is_damaged(path: &Path) -> bool {
    let check = |it: Connection| it.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match connect(path).and_then(|it| check(it.connection)) {
        Ok(verdict) => verdict != "ok",
        Err(cause) => is_damage(&cause),
    }
}

/// A file that could be read, and how far its tables are.
struct Versioned {
    connection: Connection,
    version: i64,
}

fn connect(path: &Path) -> rusqlite::Result<Versioned> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    look(Connection::open_with_flags(path, flags))
}

/// SQLite reads nothing before the first question; this one shows what is wrong with the file.
fn look(opened: rusqlite::Result<Connection>) -> rusqlite::Result<Versioned> {
    let connection = opened?;
    connection.busy_timeout(PATIENCE)?;
    let version = schema::version(&connection)?;
    Ok(Versioned { connection, version })
}

/// The path as a URI that tells SQLite not to expect writers.
fn immutable(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(*byte as char),
            it if it.is_ascii_alphanumeric() => uri.push(*it as char),
            it => uri.push_str(&format!("%{it:02x}")),
        }
    }
    uri + "?immutable=1"
}

fn ready(path: &Path, found: Versioned, set_aside: Option<PathBuf>) -> Result<Opened, StoreError> {
    let connection = found.connection;
    // After a power cut the last writes may be missing; the file is whole all the same.
    connection.pragma_update(None, "synchronous", "normal").map_err(|cause| cannot_open(path, cause))?;
    Ok(Opened { connection, set_aside })
}

fn newer(path: &Path, found: i64) -> StoreError {
    let what = format!(
        "`{}` was written by a newer toolscout (version {found}, this one knows {}); \
         update toolscout, or point TOOLSCOUT_STATE_DIR at another folder",
        path.display(),
        schema::CURRENT
    );
    StoreError { what, cause: None }
}

fn cannot_open(path: &Path, cause: rusqlite::Error) -> StoreError {
    failed(format!("cannot open `{}`", path.display()), cause)
}

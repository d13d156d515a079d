//! The guarantees of the store.
//!
//! 1. A written value is visible to the next reader: [`basics`].
//! 2. Several threads and processes lose nothing: [`sharing`].
//! 3. Damaged, newer and read-only files are handled: [`damage`].
//! 4. The folders are at their conventional paths: [`dirs`].
//! 5. Of several concurrent swaps with the same expected value, one succeeds: [`swapping`].
//! 6. A lease has one holder and ends with its process: [`leases`].
//! 7. All processes share one secret key: [`secrets`].
//! 8. Precious data is never recreated, and foreign writes to it are rejected: [`precious`].
//! 9. Large values are private files, written atomically and limited in number: [`bulky`].

mod basics;
mod bulky;
mod damage;
mod dirs;
mod leases;
mod precious;
mod secrets;
mod sharing;
mod swapping;

use crate::SqliteStore;
use std::path::{Path, PathBuf};
use std::process::Command;

fn open(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir).expect("the store opens")
}

/// The variable with the folder of a child process; a test that finds it set is that child.
pub(crate) const CHILD: &str = "TOOLSCOUT_STORE_TEST_CHILD";

/// The program of these tests.
pub(crate) fn myself() -> PathBuf {
    std::env::current_exe().expect("the path of the test executable")
}

/// The folder, if [`again`] started this process.
pub(crate) fn child() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// A command that runs the same test in another process.
pub(crate) fn again(program: &Path, test: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(CHILD, dir);
    command
}

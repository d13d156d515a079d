//! What the store promises.
//!
//! 1. What is written is there for the next reader: [`keeping`].
//! 2. Several threads and processes lose nothing: [`sharing`].
//! 3. A damaged, newer or read-only file is met with sense: [`trouble`].
//! 4. The folders are where people expect them: [`places`].
//! 5. Of several who change one thing from the same sight, one succeeds: [`swapping`].
//! 6. A right belongs to one at a time and ends with its process: [`leases`].
//! 7. The secret is one for all: [`secrets`].
//! 8. What is precious is never begun anew, nor believed when somebody else wrote it: [`precious`].
//! 9. What is large is in files of its own, whole, bounded, and for nobody else's eyes: [`bulky`].

mod bulky;
mod keeping;
mod leases;
mod places;
mod precious;
mod secrets;
mod sharing;
mod swapping;
mod trouble;

use crate::SqliteStore;
use std::path::{Path, PathBuf};
use std::process::Command;

fn open(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir).expect("the store opens")
}

/// Names the folder a child works in; a test that finds it set is that child.
pub(crate) const CHILD: &str = "TOOLSCOUT_STORE_TEST_CHILD";

/// The program these tests are.
pub(crate) fn myself() -> PathBuf {
    std::env::current_exe().expect("tests have a program")
}

/// The folder, where this process was started by [`again`].
pub(crate) fn child() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// The same test once more, in a process of its own.
pub(crate) fn again(program: &Path, test: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(CHILD, dir);
    command
}

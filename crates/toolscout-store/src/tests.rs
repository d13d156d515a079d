//! What the store promises.
//!
//! 1. What is written is there for the next reader: [`keeping`].
//! 2. Several threads and processes lose nothing: [`sharing`].
//! 3. A damaged, newer or read-only file is met with sense: [`trouble`].
//! 4. The folders are where people expect them: [`places`].

mod keeping;
mod places;
mod sharing;
mod trouble;

use crate::SqliteStore;
use std::path::{Path, PathBuf};
use std::process::Command;

fn open(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir).expect("the store opens")
}

/// Names the folder a child works in; a test that finds it set is that child.
const CHILD: &str = "TOOLSCOUT_STORE_TEST_CHILD";

/// The program these tests are.
fn myself() -> PathBuf {
    std::env::current_exe().expect("tests have a program")
}

/// The same test once more, in a process of its own.
fn again(program: &Path, test: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(CHILD, dir);
    command
}

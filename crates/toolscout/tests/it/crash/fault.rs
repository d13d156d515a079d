//! The library that causes faults, and copies of a world to start from.

use crate::world::{Outcome, World};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What happens at the chosen change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultMode {
    /// SIGKILL before the change.
    Kill,
    /// SIGKILL after the first half of a write.
    Torn,
    /// The change and all later ones fail, as on a full disk.
    Full,
}

impl FaultMode {
    pub(super) const ALL: [Self; 3] = [Self::Kill, Self::Torn, Self::Full];

    fn as_str(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Torn => "torn",
            Self::Full => "full",
        }
    }
}

/// The compiled library.
pub(super) struct FaultLibrary(TempDir);

impl FaultLibrary {
    pub(super) fn build() -> Self {
        let library = Self(tempfile::tempdir().expect("a temporary folder"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/crash/fault.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]);
        let status = compiler.arg(library.path()).arg(source).arg("-ldl").status();
        assert!(status.expect("the compiler starts").success());
        library
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("fault.so")
    }

    /// Runs the command without a fault; returns its changes of files, `w` for each write.
    pub(super) fn changes(&self, world: &World, args: &[&str]) -> Vec<u8> {
        let log = self.0.path().join("changes");
        let outcome = Outcome::run(self.command(world, args).env("FAULT_LOG", &log));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        fs::read(log).expect("the log")
    }

    /// Runs the command with a fault at this change.
    pub(super) fn run(&self, world: &World, args: &[&str], mode: FaultMode, at: usize) -> Outcome {
        let mut command = self.command(world, args);
        command.env("FAULT_AT", at.to_string()).env("FAULT_MODE", mode.as_str());
        Outcome::run(&mut command)
    }

    fn command(&self, world: &World, args: &[&str]) -> Command {
        let mut command = world.command(args);
        let under = world.temp_dir().canonicalize().expect("the real path");
        command.env("LD_PRELOAD", self.path()).env("FAULT_UNDER", under);
        command
    }
}

/// A copy of all files of a world.
pub(super) struct WorldCopy(TempDir);

impl WorldCopy {
    pub(super) fn of(world: &World) -> Self {
        let copy = Self(tempfile::tempdir().expect("a temporary folder"));
        copy_folder(world.temp_dir(), copy.0.path());
        copy
    }

    /// Makes the world as it was when it was copied.
    pub(super) fn restore(&self, world: &World) {
        for entry in fs::read_dir(world.temp_dir()).expect("read a folder") {
            let path = entry.expect("an entry").path();
            let removed =
                if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.expect("remove it");
        }
        copy_folder(self.0.path(), world.temp_dir());
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("read a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        let kind = entry.file_type().expect("its type");
        if kind.is_dir() {
            fs::create_dir(&target).expect("make a folder");
            let mode = entry.metadata().expect("its mode").permissions();
            fs::set_permissions(&target, mode).expect("set its mode");
            copy_folder(&entry.path(), &target);
        } else if kind.is_file() {
            fs::copy(entry.path(), &target).expect("copy a file");
        }
    }
}

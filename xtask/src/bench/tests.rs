//! Proves that
//! 1. a tree has the size that was asked for, and is made of valid files,
//! 2. every group measures something, with a tiny world and a stand-in for toolscout,
//! 3. a program that fails is no figure.

use super::clock::sample;
use super::table::{Row, markdown};
use super::world::World;
use super::{Bench, GROUPS, memory, silent, tree};
use crate::repo;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[test]
fn a_planted_tree_has_the_asked_size_and_every_kind_of_file() {
    let top = tempfile::tempdir().unwrap();
    tree::plant(top.path(), 60).unwrap();
    let files = repo::files(&top.path().join("tools")).unwrap();
    let ending = |end: &str| files.iter().filter(|it| it.to_string_lossy().ends_with(end)).cloned().collect::<Vec<_>>();
    assert_eq!(files.len(), 60 + 1);
    assert_eq!([ending(".tool.toml").len(), ending(".tool.json").len(), ending(".sh").len()], [48, 6, 6]);
    for path in ending(".tool.toml") {
        fs::read_to_string(path).unwrap().parse::<toml::Table>().unwrap();
    }
    for path in ending(".tool.json") {
        serde_json::from_slice::<serde_json::Value>(&fs::read(path).unwrap()).unwrap();
    }
}

/// Answers as toolscout would, as far as the benchmark looks.
fn stand_in(folder: &Path) -> PathBuf {
    let program = folder.join("stand-in");
    fs::write(&program, "#!/bin/sh\nfor n in 0 1 2; do echo \"\\\"tool-0000$n\\\"\"; done\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Another test may have started a child while the file was open for writing; until that child is off, it is busy.
    while silent(&program).output().is_err_and(|it| it.kind() == ErrorKind::ExecutableFileBusy) {}
    program
}

#[test]
fn every_group_measures_a_tiny_world() {
    let top = tempfile::tempdir().unwrap();
    let bench = Bench { program: stand_in(top.path()), many: 3, some: 2, rounds: 1 };
    for (name, group) in GROUPS {
        assert!(!group(&bench).unwrap().is_empty(), "{name} measured nothing");
    }
}

#[test]
fn a_listing_that_lacks_a_tool_is_not_measured() {
    let top = tempfile::tempdir().unwrap();
    let world = World::new(&stand_in(top.path()), 4).unwrap();
    assert!(world.expect_all().unwrap_err().to_string().contains("tool-00003"));
}

#[test]
fn a_program_that_fails_is_no_sample() {
    assert!(sample(1, || Ok(silent("false"))).is_err());
    assert!(sample(1, || Ok(silent("true"))).is_ok());
}

#[test]
fn the_high_water_mark_is_read_in_bytes() {
    assert_eq!(memory::high_water("VmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2048 * 1024));
    assert_eq!(memory::high_water("State: Z (zombie)\n"), None);
}

#[test]
fn the_table_holds_each_figure_beside_its_goal() {
    let rows =
        [Row::memory("memory", vec![30_000_000, 10_000_000, 12_345_678]).goal(20.0), Row::unknown("more", "later")];
    let table = "\
| what | best | median | goal | |
|---|---:|---:|---:|---|
| memory | 10.0 MB | 12.3 MB | ≤ 20 MB | met |
| more |  |  |  | later |
";
    assert_eq!(markdown(&rows), table);
}

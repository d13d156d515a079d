//! Helpers for tests: a temporary folder for programs, a check for remaining
//! processes, and the corpora of fuzz targets.

#![cfg(unix)]

pub mod corpus;
pub mod pgbouncer;
pub mod postgres;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder that is removed after the test.
pub struct World(TempDir);

impl World {
    #[allow(
        clippy::new_without_default,
        reason = "creates a folder, which `Default` should not do"
    )]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// The real path: on some systems the temporary folder is behind a link.
    pub fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("the folder exists")
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("the path has a parent"))
            .expect("folders can be made");
        std::fs::write(&path, text).expect("files can be written");
        path
    }

    /// An executable file.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name, text);
        set_mode(&path, 0o755);
        path
    }

    /// An executable shell script.
    pub fn sh(&self, name: &str, body: &str) -> PathBuf {
        self.script(name, &format!("#!/bin/sh\n{body}\n"))
    }
}

pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .expect("modes can be changed");
}

/// Reads a number from a file as soon as it is written.
pub async fn number_in(file: &Path) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n')
            && let Ok(number) = text.trim().parse()
        {
            return number;
        }
        assert!(Instant::now() < deadline, "no number in {} after ten seconds", file.display());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits up to five seconds until no process of this group is alive.
pub async fn assert_gone(group: i32) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !members(group).is_empty() {
        assert!(Instant::now() < deadline, "still alive: {:?}", members(group));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The living members of a process group. A zombie does not count: it holds and does nothing.
pub fn members(group: i32) -> Vec<i32> {
    let Ok(proc_dir) = std::fs::read_dir("/proc") else { return members_by_ps(group) };
    let pids = proc_dir.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| group_of(*pid) == Some(group)).collect()
}

fn group_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(1)?.parse().ok()
}

fn members_by_ps(group: i32) -> Vec<i32> {
    let output = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=,pgid=,stat="])
        .output()
        .expect("`ps` is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.len() == 3 && row[1] == group.to_string() && !row[2].starts_with('Z'))
        .filter_map(|row| row[0].parse().ok())
        .collect()
}

//! Resource limits of a confined process.

use super::super::ProcessLimits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;

/// The limits to set in the child.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResourceLimits([Option<(Resource, u64)>; 6]);

impl ResourceLimits {
    /// `has_group`: whether a control group limits the processes.
    pub(super) fn new(limits: &ProcessLimits, has_group: bool) -> Self {
        let limit = |resource, value: Option<u64>| value.map(|value| (resource, value));
        // The kernel counts all processes of the user, wherever they run, and exempts root.
        let processes = limits.processes.filter(|_| !has_group).and_then(|more| {
            (!rustix::process::getuid().is_root()).then(|| tasks_of_user().saturating_add(more))
        });
        Self([
            limit(Resource::Core, Some(0)),
            limit(Resource::Data, limits.memory),
            limit(Resource::Nproc, processes),
            limit(Resource::Nofile, limits.files),
            limit(Resource::Fsize, limits.file_size),
            limit(Resource::Cpu, limits.cpu_seconds),
        ])
    }

    /// Sets the limits of the calling process; never above the present ones.
    pub(super) fn apply(&self) -> io::Result<()> {
        for (resource, value) in self.0.iter().flatten() {
            let present = getrlimit(*resource);
            let value = present.maximum.map_or(*value, |maximum| maximum.min(*value));
            setrlimit(*resource, Rlimit { current: Some(value), maximum: Some(value) })?;
        }
        Ok(())
    }
}

/// The number of processes and threads of this user.
fn tasks_of_user() -> u64 {
    let user = rustix::process::getuid().as_raw();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let is_own = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|meta| meta.uid() == user);
    let threads = |entry: fs::DirEntry| {
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse::<u64>().ok())
    };
    processes.flatten().filter(is_own).filter_map(threads).sum()
}

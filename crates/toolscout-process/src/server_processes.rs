//! The processes of one server, which end on drop.

use super::{guard, orphans, starter};
use crate::sandbox::SandboxPlan;
use crate::spawn::ProcessGroup;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::process::Child;

/// The processes of one server. Dropping it kills them all.
#[derive(Debug)]
pub struct ServerProcesses {
    group: ProcessGroup,
    group_id: Option<i32>,
    /// The run mark in the environment of all of them, including those that have left the group.
    run: String,
    is_killed: AtomicBool,
    /// Its private folders are removed with the last process.
    sandbox: Option<Arc<SandboxPlan>>,
}

impl ServerProcesses {
    pub fn new(child: &Child, run: String, sandbox: Option<Arc<SandboxPlan>>) -> Self {
        let group = ProcessGroup::new(child);
        let group_id = group.id();
        if let Some(group_id) = group_id {
            guard::watch(group_id);
        }
        Self { group, group_id, run, is_killed: AtomicBool::new(false), sandbox }
    }

    pub fn terminate(&self) {
        self.group.terminate();
    }

    pub fn kill(&self) {
        self.group.kill();
    }

    pub fn leader_reaped(&self) {
        self.group.leader_reaped();
    }

    /// Kills all remaining processes. Later calls do nothing.
    pub fn kill_all(&self) {
        if let Some(run) = self.kill_group() {
            let sandbox = self.sandbox.clone();
            starter::queue(move || {
                orphans::kill_run(&run);
                drop(sandbox);
            });
        }
    }

    /// Like [`Self::kill_all`], and waits until processes that left the group are killed as well.
    pub async fn kill_all_and_wait(&self) {
        if let Some(run) = self.kill_group() {
            starter::run(move || orphans::kill_run(&run)).await;
        }
    }

    fn kill_group(&self) -> Option<String> {
        if self.is_killed.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.group.kill();
        if let Some(group_id) = self.group_id {
            guard::forget(group_id);
        }
        Some(self.run.clone())
    }
}

impl Drop for ServerProcesses {
    fn drop(&mut self) {
        self.kill_all();
    }
}

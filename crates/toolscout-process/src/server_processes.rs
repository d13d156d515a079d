//! The processes of one server, which end on drop.

use super::{guard, orphans, starter};
use crate::spawn::ProcessGroup;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::process::Child;

/// The processes of one server. Dropping it kills them all.
#[derive(Debug)]
pub struct ServerProcesses {
    group: ProcessGroup,
    number: Option<i32>,
    /// The run mark in the environment of all of them, including those that have left the group.
    run: String,
    is_over: AtomicBool,
}

impl ServerProcesses {
    pub fn new(child: &Child, run: String) -> Self {
        let group = ProcessGroup::of(child);
        let number = group.number();
        if let Some(number) = number {
            guard::watch(number);
        }
        Self { group, number, run, is_over: AtomicBool::new(false) }
    }

    pub fn terminate(&self) {
        self.group.terminate();
    }

    pub fn kill(&self) {
        self.group.kill();
    }

    pub fn leader_is_gone(&self) {
        self.group.leader_is_gone();
    }

    /// Kills all remaining processes. Later calls do nothing.
    pub fn end(&self) {
        if let Some(run) = self.end_group() {
            starter::later(move || orphans::end_run(&run));
        }
    }

    /// Like [`Self::end`], and waits until processes that left the group are killed as well.
    pub async fn end_wholly(&self) {
        if let Some(run) = self.end_group() {
            starter::ask(move || orphans::end_run(&run)).await;
        }
    }

    fn end_group(&self) -> Option<String> {
        if self.is_over.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.group.kill();
        if let Some(number) = self.number {
            guard::forget(number);
        }
        Some(self.run.clone())
    }
}

impl Drop for ServerProcesses {
    fn drop(&mut self) {
        self.end();
    }
}

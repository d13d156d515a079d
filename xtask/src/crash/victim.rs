//! A command that is killed while it runs.

use super::moment::{KillMoment, Waited};
use super::operation::CrashCommand;
use super::place::{CommandResult, CrashProject, wait_until};
use super::remains::{self, Process};
use anyhow::ensure;
use std::process::Child;
use std::time::{Duration, Instant};

/// The maximum time until a command reports that it is ready.
const READY: Duration = Duration::from_secs(10);

/// The result of a killed command.
pub(super) struct Victim {
    pub(super) ended: CommandResult,
    /// Whether it was still running.
    pub(super) is_midway: bool,
    /// The time from its start to its end.
    pub(super) took: Duration,
    /// The number of signs until then, if they were counted.
    pub(super) signs: usize,
    /// Its child processes that were still running.
    pub(super) children: Vec<Process>,
}

/// Starts the command and kills it at that moment, if it still runs: only the process, not its
/// group.
pub(super) fn strike(
    place: &CrashProject,
    operation: &CrashCommand,
    moment: &KillMoment,
) -> anyhow::Result<Victim> {
    let started = Instant::now();
    let mut child = place.start(&operation.words, "victim")?;
    let beside = match &operation.beside {
        Some((ready, words)) if is_ready(place, &mut child, ready)? => {
            Some(place.start(words, "beside")?)
        }
        _ => None,
    };
    let Waited { mut code, signs } = moment.wait(place, &mut child)?;
    let mut children = Vec::new();
    let mut is_midway = false;
    if code.is_none() {
        children = remains::children(child.id());
        child.kill()?;
        // It may have ended at the last moment.
        code = child.wait()?.code();
        is_midway = code.is_none();
    }
    let took = started.elapsed();
    if let Some(mut beside) = beside {
        beside.wait()?;
    }
    Ok(Victim { ended: place.said("victim", code)?, is_midway, took, signs, children })
}

/// Waits until the command prints `ready`; it may end instead.
fn is_ready(place: &CrashProject, child: &mut Child, ready: &str) -> anyhow::Result<bool> {
    let end = Instant::now() + READY;
    while !place.said("victim", None)?.err.contains(ready) {
        if wait_until(child, Instant::now() + Duration::from_millis(1))?.is_some() {
            return Ok(false);
        }
        ensure!(
            Instant::now() < end,
            "it is not ready after {READY:?}: {}",
            place.said("victim", None)?.said()
        );
    }
    Ok(true)
}

impl Victim {
    /// Whether it has acknowledged its change, by its message or its exit code.
    pub(super) fn has_acknowledged(&self, operation: &CrashCommand) -> bool {
        let said = operation.acknowledges;
        self.ended.code == Some(operation.code)
            || (!said.is_empty()
                && [&self.ended.err, &self.ended.out].iter().any(|text| text.contains(said)))
    }

    /// The servers whose tools it has reported, with their numbers.
    pub(super) fn counted(&self) -> Vec<(String, u64)> {
        let counted = |line: &str| {
            let (server, rest) = line.split_once(": ")?;
            let (count, word) = rest.split_once(' ')?;
            Some((server.to_owned(), count.parse().ok().filter(|_| word.starts_with("tool"))?))
        };
        self.ended.out.lines().filter_map(counted).collect()
    }
}

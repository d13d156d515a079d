//! A command that is killed in the middle of its work.

use super::moment::{KillMoment, Waited};
use super::operation::CrashCommand;
use super::place::{CommandResult, CrashProject, wait_until};
use super::remains::{self, Process};
use anyhow::ensure;
use std::process::Child;
use std::time::{Duration, Instant};

/// How long a command may take until it says that it is ready.
const READY: Duration = Duration::from_secs(10);

/// What is left of it.
pub(super) struct Victim {
    pub(super) ended: CommandResult,
    /// It was still at it.
    pub(super) is_midway: bool,
    /// From its start to its end, whichever that was.
    pub(super) took: Duration,
    /// How many signs it gave until then, where they were looked for.
    pub(super) signs: usize,
    /// What it had started itself, and was still there.
    pub(super) children: Vec<Process>,
}

/// Starts the command and kills it at that moment, if it is still there: the process alone, not its group.
pub(super) fn strike(place: &CrashProject, operation: &CrashCommand, moment: &KillMoment) -> anyhow::Result<Victim> {
    let started = Instant::now();
    let mut child = place.start(&operation.words, "victim")?;
    let beside = match &operation.beside {
        Some((ready, words)) if is_ready(place, &mut child, ready)? => Some(place.start(words, "beside")?),
        _ => None,
    };
    let Waited { mut code, signs } = moment.wait(place, &mut child)?;
    let mut children = Vec::new();
    let mut is_midway = false;
    if code.is_none() {
        children = remains::children(child.id());
        child.kill()?;
        // It may have come to its end in the last moment.
        code = child.wait()?.code();
        is_midway = code.is_none();
    }
    let took = started.elapsed();
    if let Some(mut beside) = beside {
        beside.wait()?;
    }
    Ok(Victim { ended: place.said("victim", code)?, is_midway, took, signs, children })
}

/// Waits until the command has said so; it may come to its end instead.
fn is_ready(place: &CrashProject, child: &mut Child, ready: &str) -> anyhow::Result<bool> {
    let end = Instant::now() + READY;
    while !place.said("victim", None)?.err.contains(ready) {
        if wait_until(child, Instant::now() + Duration::from_millis(1))?.is_some() {
            return Ok(false);
        }
        ensure!(Instant::now() < end, "it is not ready after {READY:?}: {}", place.said("victim", None)?.said());
    }
    Ok(true)
}

impl Victim {
    /// Whether it has said, in one way or the other, that what it was asked for is done.
    pub(super) fn has_acknowledged(&self, operation: &CrashCommand) -> bool {
        let said = operation.acknowledges;
        self.ended.code == Some(operation.code) || (!said.is_empty() && self.ended.err.contains(said))
    }

    /// Servers that it has said to know the tools of, and how many those are.
    pub(super) fn counted(&self) -> Vec<(String, u64)> {
        let counted = |line: &str| {
            let (server, rest) = line.split_once(": ")?;
            let (count, word) = rest.split_once(' ')?;
            Some((server.to_owned(), count.parse().ok().filter(|_| word.starts_with("tool"))?))
        };
        self.ended.out.lines().filter_map(counted).collect()
    }
}

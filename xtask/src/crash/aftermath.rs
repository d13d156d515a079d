//! What must be true after a crash.

use super::operation::CrashCommand;
use super::place::CrashProject;
use super::shadow::{Shadow, answered};
use super::victim::Victim;
use super::world::CrashWorld;
use super::{CrashFinding, CrashFindingKind, remains, sound};
use anyhow::Context;
use std::fs::File;
use std::time::{Duration, SystemTime};

/// How long processes of a killed toolscout may still be there.
const GRACE: Duration = Duration::from_secs(6);

/// The configuration is the old text or the new one, to the byte. One that is neither is put back, so that later rounds
/// have something of their own to tell.
pub(super) fn mend(place: &CrashProject, [before, done]: [&Shadow; 2]) -> anyhow::Result<Option<CrashFinding>> {
    let text = place.config().unwrap_or_default();
    if text == before.config || text == done.config {
        return Ok(None);
    }
    place.write_config(&before.config)?;
    let what = format!("toolscout.toml: neither as before nor as after: {} bytes, {text:?}", text.len());
    Ok(Some(CrashFinding::new(CrashFindingKind::Corrupt, what)))
}

/// Nobody is left, the store is whole, everything can be seen, and work goes on. Gives what is wrong, and what is seen.
pub(super) fn look(
    world: &CrashWorld,
    place: &CrashProject,
    victim: &Victim,
) -> anyhow::Result<(Vec<CrashFinding>, Option<Shadow>)> {
    // A process that was to work on in the background is not left over, but it has to come to its end.
    let projects = [place, &world.twin].map(|it| it.project().display().to_string());
    let marks = [&world.mark, &projects[0], &projects[1]].map(String::as_str);
    let left = remains::left(&marks, &victim.children, GRACE);
    let mut faults: Vec<CrashFinding> =
        left.into_iter().map(|it| CrashFinding::new(CrashFindingKind::Survivor, it)).collect();
    // First, because whoever opens the store also tidies it up.
    faults.extend(sound::check(place)?.map(|it| CrashFinding::new(CrashFindingKind::Corrupt, it)));
    match Shadow::observe(place) {
        Ok(shadow) => {
            faults.extend(goes_on(place, &shadow).err());
            Ok((faults, Some(shadow)))
        }
        Err(fault) => {
            faults.push(fault);
            Ok((faults, None))
        }
    }
}

/// Servers can be asked, whoever was just asking them, and tools run.
fn goes_on(place: &CrashProject, shadow: &Shadow) -> Result<(), CrashFinding> {
    let servers = shadow.servers();
    let healthy = servers.iter().filter(|(id, enabled)| **enabled && *id != "stuck").map(|(id, _)| id.as_str());
    answered(place, &["server", "refresh"].into_iter().chain(healthy).collect::<Vec<_>>())?;
    let echoed = answered(place, &["run", "calm/echo", "--text", "on"])?;
    match echoed.out.trim() {
        "on" => Ok(()),
        other => Err(CrashFinding::new(CrashFindingKind::Stuck, format!("`calm/echo` says `{other}`"))),
    }
}

/// Everything is as it was before, or as it is when the command is done; and the latter, if the command said it was.
pub(super) fn compare(
    operation: &CrashCommand,
    victim: &Victim,
    [before, done, after]: [&Shadow; 3],
) -> Vec<CrashFinding> {
    let is_acknowledged = victim.has_acknowledged(operation);
    let mut faults = Vec::new();
    let mut judge = |what: &str, is_old: bool, is_done: bool| match (is_old, is_done) {
        (_, true) => {}
        (true, false) if !is_acknowledged => {}
        (true, false) => faults
            .push(CrashFinding::new(CrashFindingKind::Lost, format!("{what}: it was acknowledged, and is not there"))),
        (false, false) => {
            faults.push(CrashFinding::new(CrashFindingKind::Corrupt, format!("{what}: neither as before nor as after")))
        }
    };
    judge("toolscout.toml", after.config == before.config, after.config == done.config);
    judge("toolscout.lock", after.lock == before.lock, after.lock == done.lock);
    judge("trusted folders", after.is_trusted == before.is_trusted, after.is_trusted == done.is_trusted);
    judge("held tools", after.held == before.held, after.held == done.held);
    judge("policies", after.policy == before.policy, after.policy == done.policy);
    faults.extend(forgotten(victim, before, after));
    faults.extend(odd_end(operation, victim));
    faults
}

/// Tools that were known before, or said to be, and are not now. A server that is off, or gone, may be forgotten.
fn forgotten(victim: &Victim, before: &Shadow, after: &Shadow) -> Vec<CrashFinding> {
    let known = before.tools.keys().filter_map(|it| Some((it.clone(), before.known(it)?)));
    let claimed = known.chain(victim.counted());
    let enabled = after.servers();
    let lost = claimed.filter(|(id, count)| enabled.get(id) == Some(&true) && after.known(id) != Some(*count));
    let fault = |(id, count)| {
        CrashFinding::new(CrashFindingKind::Lost, format!("{count} tools of `{id}`, now {:?}", after.tools.get(&id)))
    };
    lost.map(fault).collect()
}

/// A command that came to its end must have come to the usual one.
fn odd_end(operation: &CrashCommand, victim: &Victim) -> Option<CrashFinding> {
    let is_odd = !victim.is_midway && victim.ended.code != Some(operation.code);
    is_odd.then(|| CrashFinding::new(CrashFindingKind::Stuck, format!("it ended by itself: {}", victim.ended.said())))
}

/// How many temporary files of killed commands are still there after they have become old and other commands have written
/// the same files.
pub(super) fn litter_that_stays(place: &CrashProject) -> anyhow::Result<usize> {
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    for path in place.litter()? {
        let file = File::options().append(true).open(&path).with_context(|| format!("open {}", path.display()))?;
        file.set_modified(hour_ago)?;
    }
    place.run_plain(&["policy", "set", "calm/sleep", "ask"])?;
    place.run_plain(&["lock"])?;
    Ok(place.litter()?.len())
}

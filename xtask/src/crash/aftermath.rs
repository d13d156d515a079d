//! The conditions that must hold after a crash.

use super::operation::CrashCommand;
use super::place::CrashProject;
use super::shadow::{Shadow, answered};
use super::victim::Victim;
use super::world::CrashWorld;
use super::{CrashFinding, CrashFindingKind, remains, sound};
use anyhow::Context;
use std::fs::File;
use std::time::{Duration, SystemTime};

/// The time that processes of a killed toolscout may take to end.
const GRACE: Duration = Duration::from_secs(6);

/// Checks that the configuration is the old text or the new one, byte for byte. Any other text is
/// restored, so that later rounds start from a valid state.
pub(super) fn mend(
    place: &CrashProject,
    [before, done]: [&Shadow; 2],
) -> anyhow::Result<Option<CrashFinding>> {
    let text = place.config().unwrap_or_default();
    if text == before.config || text == done.config {
        return Ok(None);
    }
    place.write_config(&before.config)?;
    let what =
        format!("toolscout.toml: neither as before nor as after: {} bytes, {text:?}", text.len());
    Ok(Some(CrashFinding::new(CrashFindingKind::Corrupt, what)))
}

/// Checks that no process is left, the store is valid, the state can be observed, and commands
/// work. Returns the findings, and the observed state.
pub(super) fn look(
    world: &CrashWorld,
    place: &CrashProject,
    victim: &Victim,
) -> anyhow::Result<(Vec<CrashFinding>, Option<Shadow>)> {
    // A background process is not a survivor, but it must end.
    let projects = [place, &world.twin].map(|value| value.project().display().to_string());
    let marks = [&world.mark, &projects[0], &projects[1]].map(String::as_str);
    let left = remains::left(&marks, &victim.children, GRACE);
    let mut faults: Vec<CrashFinding> =
        left.into_iter().map(|item| CrashFinding::new(CrashFindingKind::Survivor, item)).collect();
    // First, because opening the store also repairs it.
    faults.extend(
        sound::check(place)?.map(|value| CrashFinding::new(CrashFindingKind::Corrupt, value)),
    );
    match Shadow::observe(place) {
        Ok(shadow) => {
            faults.extend(goes_on(place, &shadow).err());
            faults.extend(stays_denied(place, &shadow)?);
            Ok((faults, Some(shadow)))
        }
        Err(fault) => {
            faults.push(fault);
            Ok((faults, None))
        }
    }
}

/// Checks that no denied or quarantined tool can be called.
fn stays_denied(place: &CrashProject, shadow: &Shadow) -> anyhow::Result<Vec<CrashFinding>> {
    let is_denied = shadow.policy == "deny";
    let denied = is_denied.then_some("calm/add").into_iter();
    let mut findings = Vec::new();
    for tool in denied.chain(shadow.held.iter().map(String::as_str)) {
        let ended = place.run_plain(&["run", tool, "--input", r#"{"a":1,"b":2,"text":"x"}"#])?;
        if ended.code == Some(0) {
            let what = format!("`{tool}` is denied, and ran: {}", ended.said());
            findings.push(CrashFinding::new(CrashFindingKind::Lost, what));
        }
    }
    Ok(findings)
}

/// Checks that servers can be queried, even if the killed command was querying them, and that tools
/// run.
fn goes_on(place: &CrashProject, shadow: &Shadow) -> Result<(), CrashFinding> {
    let servers = shadow.servers();
    let healthy = servers
        .iter()
        .filter(|(id, enabled)| **enabled && *id != "stuck")
        .map(|(id, _)| id.as_str());
    answered(place, &["server", "refresh"].into_iter().chain(healthy).collect::<Vec<_>>())?;
    let echoed = answered(place, &["run", "calm/echo", "--text", "on"])?;
    match echoed.out.trim() {
        "on" => Ok(()),
        other => Err(CrashFinding::new(
            CrashFindingKind::Stuck,
            format!("`calm/echo` returned `{other}`"),
        )),
    }
}

/// Checks that the state is the old or the new one; and the new one, if the command acknowledged
/// it.
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
        (true, false) => faults.push(CrashFinding::new(
            CrashFindingKind::Lost,
            format!("{what}: it was acknowledged, and is not there"),
        )),
        (false, false) => faults.push(CrashFinding::new(
            CrashFindingKind::Corrupt,
            format!("{what}: neither as before nor as after"),
        )),
    };
    judge("toolscout.toml", after.config == before.config, after.config == done.config);
    judge("toolscout.lock", after.lock == before.lock, after.lock == done.lock);
    judge(
        "trusted folders",
        after.is_trusted == before.is_trusted,
        after.is_trusted == done.is_trusted,
    );
    judge("quarantined tools", after.held == before.held, after.held == done.held);
    judge("tokens", after.tokens == before.tokens, after.tokens == done.tokens);
    judge("policies", after.policy == before.policy, after.policy == done.policy);
    faults.extend(forgotten(victim, before, after));
    faults.extend(odd_end(operation, victim));
    faults
}

/// Tools that were cached before, or reported as such, and are not now. The tools of a disabled or
/// removed server may be dropped.
fn forgotten(victim: &Victim, before: &Shadow, after: &Shadow) -> Vec<CrashFinding> {
    let known = before.tools.keys().filter_map(|key| Some((key.clone(), before.known(key)?)));
    let claimed = known.chain(victim.counted());
    let enabled = after.servers();
    let lost = claimed
        .filter(|(id, count)| enabled.get(id) == Some(&true) && after.known(id) != Some(*count));
    let fault = |(id, count)| {
        CrashFinding::new(
            CrashFindingKind::Lost,
            format!("{count} tools of `{id}`, now {:?}", after.tools.get(&id)),
        )
    };
    lost.map(fault).collect()
}

/// A command that completed must have its usual exit code.
fn odd_end(operation: &CrashCommand, victim: &Victim) -> Option<CrashFinding> {
    let is_odd = !victim.is_midway && victim.ended.code != Some(operation.code);
    is_odd.then(|| {
        CrashFinding::new(
            CrashFindingKind::Stuck,
            format!("it ended by itself: {}", victim.ended.said()),
        )
    })
}

/// The number of temporary files of killed commands that remain after they became old and other
/// commands have written the same files.
pub(super) fn litter_that_stays(place: &CrashProject) -> anyhow::Result<usize> {
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    for path in place.litter()? {
        let file = File::options()
            .append(true)
            .open(&path)
            .with_context(|| format!("open {}", path.display()))?;
        file.set_modified(hour_ago)?;
    }
    place.run_plain(&["policy", "set", "calm/sleep", "ask"])?;
    place.run_plain(&["lock"])?;
    Ok(place.litter()?.len())
}

//! Kills `toolscout` at random moments, and checks the state it leaves behind.
//!
//! A round starts one command, kills it with SIGKILL at some [`moment`], and checks the conditions
//! in [`aftermath`]. A [`shadow::Shadow`] records the state before the command, and another the
//! state after its completion; any other state is a fault. The commands are listed in
//! [`operation`].

mod aftermath;
mod moment;
mod operation;
mod place;
mod remains;
mod shadow;
mod sound;
mod table;
#[cfg(test)]
mod tests;
mod usual;
mod victim;
mod world;

use crate::hostile::{HostilePrograms, build};
use crate::random::SplitMix64;
use anyhow::{Context, bail, ensure};
use moment::KillMoment;
use operation::{CommandKind, CrashCommand, KINDS};
use place::CrashProject;
use shadow::Shadow;
use std::time::SystemTime;
use table::CrashTally;
use usual::Usual;
use victim::Victim;
use world::{CrashWorld, CrashWorldSize};

/// The parameters of a campaign.
pub(crate) struct CrashPlan {
    /// Selects the commands and the moments; the same seed makes the same choices for the same
    /// outcomes.
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    is_debug: bool,
}

/// A violated condition.
struct CrashFinding {
    sort: CrashFindingKind,
    what: String,
}

/// The columns of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CrashFindingKind {
    /// A process that is still running.
    Survivor,
    /// An acknowledged change that is lost.
    Lost,
    /// A file or a store that is neither in its old nor in its new state.
    Corrupt,
    /// An operation that worked before and no longer does.
    Stuck,
}

impl CrashFinding {
    fn new(sort: CrashFindingKind, what: impl Into<String>) -> Self {
        Self { sort, what: what.into() }
    }
}

/// Arguments are `--seed N`, `--rounds N`, and `--debug` for a debug build.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = CrashPlan::parse(words)?;
    let programs = build::programs(plan.is_debug)?;
    println!("seed {}, {} rounds\n", plan.seed, plan.rounds);
    let tally = ruin(&programs, &plan, &CrashWorldSize::WHOLE)?;
    print!("{}", tally.markdown());
    ensure!(
        tally.faults() == 0,
        "{} things went wrong; the same choices again: --seed {}",
        tally.faults(),
        plan.seed
    );
    Ok(())
}

/// Runs all rounds in sequence in the same world.
fn ruin(
    programs: &HostilePrograms,
    plan: &CrashPlan,
    size: &CrashWorldSize,
) -> anyhow::Result<CrashTally> {
    let world = CrashWorld::new(programs, size)?;
    let mut usual = Usual::measure(&world)?;
    let mut before =
        Shadow::observe(&world.real).map_err(|error| anyhow::anyhow!("{}", error.what))?;
    let mut tally = CrashTally::default();
    for number in 0..plan.rounds {
        let mut chance = SplitMix64::of_round(plan.seed, number);
        let (kind, operation) = choose(&world, &before, &tally, &mut chance)?;
        let moment = usual.moment(kind, &mut chance);
        let round = if operation.is_first {
            let (place, nothing) = world.fresh()?;
            play(&world, &place, &operation, &nothing, &moment)?
        } else {
            play(&world, &world.real, &operation, &before, &moment)?
        };
        for CrashFinding { sort, what } in &round.faults {
            eprintln!(
                "round {number}, `{}` killed {moment}: {sort:?}: {what}",
                operation.words.join(" ")
            );
        }
        usual.learn(kind, &moment, &round.victim);
        tally.add(kind, round.victim.is_midway, &round.faults);
        before = round.after.filter(|_| !operation.is_first).unwrap_or(before);
    }
    tally.litter = world.real.litter()?.len();
    tally.litter_stays = aftermath::litter_that_stays(&world.real)?;
    Ok(tally)
}

/// Chooses a command that is possible in the current state and has run less often than others.
fn choose(
    world: &CrashWorld,
    before: &Shadow,
    tally: &CrashTally,
    chance: &mut SplitMix64,
) -> anyhow::Result<(&'static CommandKind, CrashCommand)> {
    let mut possible = Vec::new();
    for kind in KINDS {
        let luck = chance.below(KINDS.len());
        possible.extend(
            (kind.make)(before, world, chance).map(|value| (tally.turns(kind), luck, kind, value)),
        );
    }
    let chosen = possible.into_iter().min_by_key(|(turns, luck, ..)| (*turns, *luck));
    chosen.map(|(.., kind, operation)| (kind, operation)).context("no operation is possible")
}

/// The result of one round.
struct Round {
    victim: Victim,
    faults: Vec<CrashFinding>,
    /// The current state, if it can be observed.
    after: Option<Shadow>,
}

/// Runs one round in this project.
fn play(
    world: &CrashWorld,
    place: &CrashProject,
    operation: &CrashCommand,
    before: &Shadow,
    moment: &KillMoment,
) -> anyhow::Result<Round> {
    let done = operation.rehearse(world, before)?;
    let litter = place.litter()?.len();
    let victim = victim::strike(place, operation, moment)?;
    let more = place.litter()?.len().saturating_sub(litter);
    let torn = aftermath::mend(place, [before, &done])?;
    let (mut faults, after) = aftermath::look(world, place, &victim)?;
    faults.extend(torn);
    if let Some(after) = &after {
        faults.extend(aftermath::compare(operation, &victim, [before, &done, after]));
    }
    if more > usize::from(victim.is_midway) {
        faults.push(CrashFinding::new(
            CrashFindingKind::Corrupt,
            format!("{more} temporary files are left behind by one command"),
        ));
    }
    Ok(Round { victim, faults, after })
}

impl CrashPlan {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut plan = Self { seed: since.as_secs(), rounds: 200, is_debug: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || -> anyhow::Result<u64> {
                let given = words.next().with_context(|| format!("`{word}` needs a number"))?;
                given.parse().with_context(|| format!("`{word}` needs a number, not `{given}`"))
            };
            match word.as_str() {
                "--seed" => plan.seed = number()?,
                "--rounds" => plan.rounds = usize::try_from(number()?)?,
                "--debug" => plan.is_debug = true,
                _ => bail!("`{word}` is not an option of `crash`"),
            }
        }
        Ok(plan)
    }
}

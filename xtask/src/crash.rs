//! Kills `toolscout` at random moments of its work, and looks at what it leaves behind.
//!
//! A round starts one command, kills it with SIGKILL somewhere within the time it usually takes, and asks what then must
//! be true: [`aftermath`] holds all of it. What was there before, and what would be there had the command come to its end,
//! is known from a [`shadow::Shadow`] each; nothing in between is right. The commands are the list in [`operation`].

mod aftermath;
mod chance;
mod operation;
mod place;
mod remains;
mod shadow;
mod sound;
mod table;
#[cfg(test)]
mod tests;
mod victim;
mod world;

use crate::hostile::{Programs, build};
use anyhow::{Context, bail, ensure};
use chance::Chance;
use operation::{KINDS, Kind, Lasts, Operation};
use place::Place;
use shadow::Shadow;
use std::time::{Duration, Instant, SystemTime};
use table::Tally;
use world::{Size, World};

/// What is done, and how often.
pub(crate) struct Plan {
    /// Decides what is done and when it ends; the same seed makes the same choices on the same outcomes.
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    is_debug: bool,
}

/// What came of one round.
struct Round {
    kind: &'static str,
    /// Whether the command was still at it when it was killed.
    is_midway: bool,
    faults: Vec<Fault>,
}

/// Something that must not be.
struct Fault {
    sort: Sort,
    what: String,
}

/// The columns of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    /// A process that is still there.
    Survivor,
    /// A change that was acknowledged, and is gone.
    Lost,
    /// A file or a store that is neither what it was nor what it should become.
    Corrupt,
    /// Something that worked before and does not any more.
    Stuck,
}

impl Fault {
    fn new(sort: Sort, what: impl Into<String>) -> Self {
        Self { sort, what: what.into() }
    }
}

/// Words are `--seed N`, `--rounds N`, and `--debug` for a build that is quick to make.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = Plan::parse(words)?;
    let programs = build::programs(plan.is_debug)?;
    println!("seed {}, {} rounds\n", plan.seed, plan.rounds);
    let tally = ruin(&programs, &plan, &Size::WHOLE)?;
    print!("{}", tally.markdown());
    ensure!(tally.faults() == 0, "{} things went wrong; the same choices again: --seed {}", tally.faults(), plan.seed);
    Ok(())
}

/// All rounds, one after the other, in one world that has to bear them all.
fn ruin(programs: &Programs, plan: &Plan, size: &Size) -> anyhow::Result<Tally> {
    let world = World::new(programs, size)?;
    let usual = measure(&world)?;
    let mut before = Shadow::observe(&world.real).map_err(|it| anyhow::anyhow!("{}", it.what))?;
    let mut tally = Tally::default();
    for number in 0..plan.rounds {
        let mut chance = Chance::of_round(plan.seed, number);
        let (kind, operation) = choose(&world, &before, &mut chance)?;
        let longest = usual.iter().find(|(name, _)| *name == kind.name).map_or(Duration::ZERO, |(_, time)| *time);
        let delay = chance.within(longest);
        let (round, after) = play(&world, kind, &operation, &before, delay)?;
        for fault in &round.faults {
            let (words, sort, what) = (operation.words.join(" "), fault.sort, &fault.what);
            eprintln!("round {number}, `{words}` killed after {delay:?}: {sort:?}: {what}");
        }
        tally.add(round, world.real.litter()?.len());
        before = after;
    }
    tally.litter_stays = aftermath::litter_that_stays(&world.real)?;
    Ok(tally)
}

/// How long each kind of command takes when nobody kills it. The twin has to bear that.
fn measure(world: &World) -> anyhow::Result<Vec<(&'static str, Duration)>> {
    let mut times = Vec::new();
    for kind in KINDS {
        let shadow = Shadow::observe(&world.twin).map_err(|it| anyhow::anyhow!("{}", it.what))?;
        let operation = (kind.make)(&shadow, world, &mut Chance::of_round(0, 0));
        let operation = operation.with_context(|| format!("`{}` cannot be tried out", kind.name))?;
        let time = match kind.lasts {
            Lasts::For(time) => time,
            Lasts::UntilDone => {
                let fresh = operation.is_first.then(|| world.fresh()).transpose()?;
                let started = Instant::now();
                let ended = fresh.as_ref().unwrap_or(&world.twin).run(&operation.words)?;
                ensure!(ended.code == Some(operation.code), "`{}` does not work: {}", kind.name, ended.said());
                started.elapsed()
            }
        };
        times.push((kind.name, time));
    }
    Ok(times)
}

/// Something that can be done as things are.
fn choose(world: &World, before: &Shadow, chance: &mut Chance) -> anyhow::Result<(&'static Kind, Operation)> {
    for _ in 0..1_000 {
        let kind = &KINDS[chance.below(KINDS.len())];
        if let Some(operation) = (kind.make)(before, world, chance) {
            return Ok((kind, operation));
        }
    }
    bail!("nothing can be done any more")
}

/// One round; gives what it came to, and how things are now.
fn play(
    world: &World,
    kind: &'static Kind,
    operation: &Operation,
    before: &Shadow,
    delay: Duration,
) -> anyhow::Result<(Round, Shadow)> {
    let fresh = operation.is_first.then(|| world.fresh()).transpose()?;
    let place: &Place = fresh.as_ref().unwrap_or(&world.real);
    let before = if operation.is_first { &before.without_memory() } else { before };
    let done = world.rehearse(operation, before)?;
    let litter = place.litter()?.len();
    let victim = victim::strike(place, operation, delay)?;
    let seen = aftermath::look(world, place, &victim)?;
    let mut faults = seen.faults;
    let after = seen.shadow.unwrap_or_else(|| before.clone());
    faults.extend(aftermath::compare(operation, &victim, [before, &done, &after]));
    let more = place.litter()?.len().saturating_sub(litter);
    if more > usize::from(victim.is_midway) {
        faults.push(Fault::new(Sort::Corrupt, format!("{more} temporary files are left behind by one command")));
    }
    Ok((Round { kind: kind.name, is_midway: victim.is_midway, faults }, after))
}

impl Plan {
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

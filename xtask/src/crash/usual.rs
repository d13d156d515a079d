//! The duration of each kind of command when it is not killed, and the number of its writes.

use super::moment::KillMoment;
use super::operation::{CommandKind, KINDS, Lasts};
use super::shadow::Shadow;
use super::victim::Victim;
use super::world::CrashWorld;
use crate::random::SplitMix64;
use anyhow::{Context, ensure};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The factor by which the assumed duration grows after each killed command: a kind that never
/// completes gives no other measurement.
const STRETCH: f64 = 1.1;

/// The assumed number of signs until a command has completed while they were counted.
const SIGNS: usize = 6;

/// The measurements of a kind of command.
#[derive(Clone, Copy)]
struct CommandTiming {
    time: Duration,
    signs: usize,
}

pub(super) struct Usual(BTreeMap<&'static str, CommandTiming>);

impl Usual {
    /// Runs every kind to completion once, in the twin.
    pub(super) fn measure(world: &CrashWorld) -> anyhow::Result<Self> {
        let mut shadow =
            Shadow::observe(&world.twin).map_err(|error| anyhow::anyhow!("{}", error.what))?;
        let measure = |kind: &CommandKind| {
            Ok((
                kind.name,
                CommandTiming { time: measure(kind, world, &mut shadow)?, signs: SIGNS },
            ))
        };
        KINDS.iter().map(measure).collect::<anyhow::Result<_>>().map(Self)
    }

    /// A moment to kill a command of this kind.
    pub(super) fn moment(&self, kind: &CommandKind, chance: &mut SplitMix64) -> KillMoment {
        let known = self
            .0
            .get(kind.name)
            .copied()
            .unwrap_or(CommandTiming { time: Duration::ZERO, signs: SIGNS });
        KillMoment::within(known.time, known.signs, chance)
    }

    /// Updates the measurements: the machine is shared, so durations change.
    pub(super) fn learn(&mut self, kind: &CommandKind, moment: &KillMoment, victim: &Victim) {
        let Some(known) = self.0.get_mut(kind.name) else { return };
        match moment {
            KillMoment::Sign(number, _) if victim.signs < *number => known.signs = victim.signs,
            KillMoment::Sign(..) => known.signs += 1,
            KillMoment::After(_) if victim.is_midway && !matches!(kind.lasts, Lasts::For(_)) => {
                known.time = known.time.mul_f64(STRETCH);
            }
            KillMoment::After(_) => {}
        }
        if !victim.is_midway {
            known.time = victim.took;
        }
    }
}

fn measure(
    kind: &CommandKind,
    world: &CrashWorld,
    shadow: &mut Shadow,
) -> anyhow::Result<Duration> {
    if let Lasts::For(time) = kind.lasts {
        return Ok(time);
    }
    let operation = (kind.make)(shadow, world, &mut SplitMix64::of_round(0, 0));
    let operation = operation.with_context(|| format!("`{}` cannot be tried out", kind.name))?;
    let fresh = operation.is_first.then(|| world.fresh()).transpose()?;
    let started = Instant::now();
    let ended = fresh.as_ref().map_or(&world.twin, |(place, _)| place).run(&operation.words)?;
    let took = started.elapsed();
    ensure!(ended.code == Some(operation.code), "`{}` does not work: {}", kind.name, ended.said());
    *shadow = shadow.after(&operation.change, world.twin.config()?);
    Ok(took)
}

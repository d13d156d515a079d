//! How long each kind of command takes when nobody kills it.

use super::chance::Chance;
use super::moment::Moment;
use super::operation::{KINDS, Kind, Lasts};
use super::shadow::Shadow;
use super::victim::Victim;
use super::world::World;
use anyhow::{Context, ensure};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// By how much a time is taken to be longer after each command that was killed: one that never comes to its end tells
/// nothing else.
const STRETCH: f64 = 1.1;

pub(super) struct Usual(BTreeMap<&'static str, Duration>);

impl Usual {
    /// Lets every kind come to its end once. The twin has to bear that.
    pub(super) fn measure(world: &World) -> anyhow::Result<Self> {
        let mut shadow = Shadow::observe(&world.twin).map_err(|it| anyhow::anyhow!("{}", it.what))?;
        let measure = |kind: &Kind| Ok((kind.name, measure(kind, world, &mut shadow)?));
        KINDS.iter().map(measure).collect::<anyhow::Result<_>>().map(Self)
    }

    pub(super) fn time(&self, kind: &Kind) -> Duration {
        self.0.get(kind.name).copied().unwrap_or_default()
    }

    /// The machine is shared, and what takes long now may be quick later.
    pub(super) fn learn(&mut self, kind: &Kind, moment: &Moment, victim: &Victim) {
        let (Lasts::UntilDone, Some(time)) = (&kind.lasts, self.0.get_mut(kind.name)) else { return };
        match moment {
            _ if !victim.is_midway => *time = victim.took,
            Moment::After(_) => *time = time.mul_f64(STRETCH),
            Moment::Sign(..) => {}
        }
    }
}

fn measure(kind: &Kind, world: &World, shadow: &mut Shadow) -> anyhow::Result<Duration> {
    if let Lasts::For(time) = kind.lasts {
        return Ok(time);
    }
    let operation = (kind.make)(shadow, world, &mut Chance::of_round(0, 0));
    let operation = operation.with_context(|| format!("`{}` cannot be tried out", kind.name))?;
    let fresh = operation.is_first.then(|| world.fresh()).transpose()?;
    let started = Instant::now();
    let ended = fresh.as_ref().map_or(&world.twin, |(place, _)| place).run(&operation.words)?;
    let took = started.elapsed();
    ensure!(ended.code == Some(operation.code), "`{}` does not work: {}", kind.name, ended.said());
    *shadow = shadow.after(&operation.change, world.twin.config()?);
    Ok(took)
}

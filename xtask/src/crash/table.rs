//! Counts of what happened, as a markdown table.

use super::operation::{KINDS, Kind};
use super::{Fault, Sort};
use std::collections::BTreeMap;

const SORTS: [Sort; 4] = [Sort::Survivor, Sort::Lost, Sort::Corrupt, Sort::Stuck];

/// All rounds so far.
#[derive(Default)]
pub(super) struct Tally {
    rows: BTreeMap<&'static str, Row>,
    /// Temporary files that lay about in the end.
    pub(super) litter: usize,
    /// Of those, the ones that later commands did not remove.
    pub(super) litter_stays: usize,
}

#[derive(Default, Clone, Copy)]
struct Row {
    kills: usize,
    midway: usize,
    faults: [usize; 4],
}

impl Tally {
    pub(super) fn add(&mut self, kind: &Kind, is_midway: bool, faults: &[Fault]) {
        let row = self.rows.entry(kind.name).or_default();
        row.kills += 1;
        row.midway += usize::from(is_midway);
        for (count, sort) in row.faults.iter_mut().zip(SORTS) {
            *count += faults.iter().filter(|it| it.sort == sort).count();
        }
    }

    /// How often it was this kind's turn, for one that should have as many turns as the others.
    pub(super) fn turns(&self, kind: &Kind) -> usize {
        self.rows.get(kind.name).map_or(0, |it| it.kills / kind.weight)
    }

    pub(super) fn faults(&self) -> usize {
        self.all().faults.iter().sum::<usize>() + self.litter_stays
    }

    #[cfg(test)]
    pub(super) fn midway(&self) -> usize {
        self.all().midway
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::from(
            "| operation | kills | died midway | surviving children | lost changes | corrupt | stuck | verdict |\n\
             |---|---:|---:|---:|---:|---:|---:|---|\n",
        );
        for (name, row) in KINDS.iter().filter_map(|it| self.rows.get_key_value(it.name)) {
            text += &line(&format!("`{name}`"), row);
        }
        text += &line("all", &self.all());
        text + &format!("\n{} temporary files left behind; {} of them for good.\n", self.litter, self.litter_stays)
    }

    fn all(&self) -> Row {
        self.rows.values().fold(Row::default(), |sum, row| Row {
            kills: sum.kills + row.kills,
            midway: sum.midway + row.midway,
            faults: std::array::from_fn(|it| sum.faults[it] + row.faults[it]),
        })
    }
}

fn line(name: &str, row: &Row) -> String {
    let [survivors, lost, corrupt, stuck] = row.faults;
    let verdict = if row.faults == [0; 4] { "holds" } else { "**fails**" };
    let Row { kills, midway, .. } = row;
    format!("| {name} | {kills} | {midway} | {survivors} | {lost} | {corrupt} | {stuck} | {verdict} |\n")
}

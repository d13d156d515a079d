//! The results of a campaign, as a Markdown table.

use super::operation::{CommandKind, KINDS};
use super::{CrashFinding, CrashFindingKind};
use std::collections::BTreeMap;

const SORTS: [CrashFindingKind; 4] = [
    CrashFindingKind::Survivor,
    CrashFindingKind::Lost,
    CrashFindingKind::Corrupt,
    CrashFindingKind::Stuck,
];

/// All rounds so far.
#[derive(Default)]
pub(super) struct CrashTally {
    rows: BTreeMap<&'static str, CrashRow>,
    /// Temporary files that remained at the end.
    pub(super) litter: usize,
    /// Those of them that later commands did not remove.
    pub(super) litter_stays: usize,
}

#[derive(Default, Clone, Copy)]
struct CrashRow {
    kills: usize,
    midway: usize,
    faults: [usize; 4],
}

impl CrashTally {
    pub(super) fn add(&mut self, kind: &CommandKind, is_midway: bool, faults: &[CrashFinding]) {
        let row = self.rows.entry(kind.name).or_default();
        row.kills += 1;
        row.midway += usize::from(is_midway);
        for (count, sort) in row.faults.iter_mut().zip(SORTS) {
            *count += faults.iter().filter(|fault| fault.sort == sort).count();
        }
    }

    /// How often this kind was chosen, divided by its weight.
    pub(super) fn turns(&self, kind: &CommandKind) -> usize {
        self.rows.get(kind.name).map_or(0, |row| row.kills / kind.weight)
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
            "| operation | kills | killed midway | surviving processes | lost changes | corrupt | stuck | verdict |\n\
             |---|---:|---:|---:|---:|---:|---:|---|\n",
        );
        for (name, row) in KINDS.iter().filter_map(|kind| self.rows.get_key_value(kind.name)) {
            text += &line(&format!("`{name}`"), row);
        }
        text += &line("all", &self.all());
        text + &format!(
            "\n{} temporary files left behind, {} of them permanently.\n",
            self.litter, self.litter_stays
        )
    }

    fn all(&self) -> CrashRow {
        self.rows.values().fold(CrashRow::default(), |sum, row| CrashRow {
            kills: sum.kills + row.kills,
            midway: sum.midway + row.midway,
            faults: std::array::from_fn(|value| sum.faults[value] + row.faults[value]),
        })
    }
}

fn line(name: &str, row: &CrashRow) -> String {
    let [survivors, lost, corrupt, stuck] = row.faults;
    let verdict = if row.faults == [0; 4] { "pass" } else { "**fail**" };
    let CrashRow { kills, midway, .. } = row;
    format!(
        "| {name} | {kills} | {midway} | {survivors} | {lost} | {corrupt} | {stuck} | {verdict} |\n"
    )
}

//! The results of a campaign, as a Markdown table.

use super::task::TenantTask;
use super::vault::Seen;
use std::collections::BTreeMap;

/// The fault of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TenantFault {
    /// It contains the canary of another tenant.
    Foreign,
    /// It does not contain the tenant's own canary.
    Missing,
    /// It should have been refused, and was not.
    Granted,
}

/// All calls so far.
#[derive(Debug, Default)]
pub(super) struct TenantTally {
    rows: BTreeMap<TenantTask, TenantRow>,
    /// The findings of the upstream HTTP server.
    pub(super) upstream: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct TenantRow {
    legacy: usize,
    modern: usize,
    foreign: usize,
    missing: usize,
    granted: usize,
}

impl TenantTally {
    pub(super) fn count(&mut self, task: TenantTask, is_modern: bool, fault: Option<TenantFault>) {
        let row = self.rows.entry(task).or_default();
        *if is_modern { &mut row.modern } else { &mut row.legacy } += 1;
        match fault {
            None => {}
            Some(TenantFault::Foreign) => row.foreign += 1,
            Some(TenantFault::Missing) => row.missing += 1,
            Some(TenantFault::Granted) => row.granted += 1,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (task, row) in other.rows {
            self.rows.entry(task).or_default().add(&row);
        }
        self.upstream.extend(other.upstream);
    }

    /// Checks that every token reached the server, none in a session of another tenant, and nothing
    /// else.
    pub(super) fn look_into(&mut self, seen: &Seen, tenants: usize) {
        let foreign: Vec<_> =
            seen.tokens.keys().filter(|key| !key.starts_with("Bearer secret-of-canary-")).collect();
        let mut wrong =
            |is_wrong: bool, what: String| self.upstream.extend(is_wrong.then_some(what));
        wrong(seen.mixed > 0, format!("{} requests in the session of another token", seen.mixed));
        wrong(
            !seen.passed_on.is_empty(),
            format!("headers that were passed on: {:?}", seen.passed_on),
        );
        wrong(
            !foreign.is_empty(),
            format!("{} requests without a token of a tenant", foreign.len()),
        );
        wrong(
            seen.tokens.len() > tenants,
            format!("{} tokens of {tenants} tenants", seen.tokens.len()),
        );
    }

    pub(super) fn foreign(&self) -> usize {
        self.all().foreign
    }

    pub(super) fn calls(&self) -> usize {
        let all = self.all();
        all.legacy + all.modern
    }

    pub(super) fn faults(&self) -> usize {
        let all = self.all();
        all.foreign + all.missing + all.granted + self.upstream.len()
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = String::from(
            "| request | legacy | modern | another tenant's canary | own canary missing | wrongly allowed |\n\
             |---|---:|---:|---:|---:|---:|\n",
        );
        for task in TenantTask::ALL {
            text += &line(task.word(), self.rows.get(&task).unwrap_or(&TenantRow::default()));
        }
        text += &line("all", &self.all());
        self.upstream
            .iter()
            .for_each(|upstream| text += &format!("\nThe upstream server received {upstream}.\n"));
        text
    }

    fn all(&self) -> TenantRow {
        let mut all = TenantRow::default();
        self.rows.values().for_each(|row| all.add(row));
        all
    }
}

impl TenantRow {
    fn add(&mut self, other: &Self) {
        self.legacy += other.legacy;
        self.modern += other.modern;
        self.foreign += other.foreign;
        self.missing += other.missing;
        self.granted += other.granted;
    }
}

fn line(name: &str, row: &TenantRow) -> String {
    let TenantRow { legacy, modern, foreign, missing, granted } = row;
    format!("| {name} | {legacy} | {modern} | {foreign} | {missing} | {granted} |\n")
}

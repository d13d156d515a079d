//! The audit logs of all replicas in the database: nothing vanishes unnoticed.

use super::fixture::Fleet;
use crate::{AuditShipper, COPY_FOLDER, FleetStore, FleetVerification, ShippedQuery};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Moment, Namespace, RowNote, Store};
use toolscout_store::journal::{DEFAULT_LIMIT, Journal, JournalRecord};

/// A replica that records and ships.
struct Machine {
    store: Arc<FleetStore>,
    state: PathBuf,
    shipper: AuditShipper,
}

impl Machine {
    fn start(fleet: &Fleet, name: &str) -> Self {
        let store = Arc::new(fleet.replica(name));
        let state = fleet.folder(name).join(COPY_FOLDER);
        let shipper = AuditShipper::new(store.clone(), &state);
        Self { store, state, shipper }
    }

    /// Records calls with these numbers, and ships them.
    fn record(&mut self, numbers: impl IntoIterator<Item = u64>) -> usize {
        write(&self.state, self.store.clone(), numbers);
        self.shipper.ship().expect("the database answers")
    }

    fn breaks(&self) -> Vec<String> {
        let found = self.store.verify_audit().expect("the database answers");
        found
            .breaks
            .iter()
            .map(|item| format!("{} {}: {}", item.chain, item.n, item.reason))
            .collect()
    }

    fn verified(&self) -> (u64, u64) {
        let FleetVerification { records, chains, breaks } =
            self.store.verify_audit().expect("the database answers");
        assert!(breaks.is_empty(), "{breaks:?}");
        (records, chains)
    }
}

fn write(state: &Path, store: Arc<dyn Store>, numbers: impl IntoIterator<Item = u64>) {
    let failed = |error: &std::io::Error| panic!("cannot write: {error}");
    let journal = Journal::new(state, store, DEFAULT_LIMIT, Box::new(failed));
    for number in numbers {
        let body = format!(r#"{{"value":{number}}}"#);
        journal.write(JournalRecord { at: Moment(1_700_000_000_000 + number), kind: "call", body });
    }
}

/// Two replicas with three lines each, two decisions, and a link over them.
fn linked() -> Option<(Fleet, Machine, Machine)> {
    let fleet = Fleet::start()?;
    let (mut one, mut two) = (Machine::start(&fleet, "one"), Machine::start(&fleet, "two"));
    assert_eq!((one.record(1..=3), two.record(11..=13)), (3, 3));
    one.store.write(Namespace::Pending, "shop/1", b"waits").expect("a write");
    let note = RowNote { subject: "mail/send", action: "used", by: "client c" };
    let used = two.store.swap_noted(Namespace::Pending, "shop/1", Some(b"waits"), None, &note);
    assert!(used.expect("a swap"));
    assert!(one.store.link_chains().expect("a link"));
    assert!(!two.store.link_chains().expect("no link"), "nothing has changed");
    one.store.remember_last_link().expect("the last link");
    Some((fleet, one, two))
}

#[test]
fn lines_of_all_replicas_are_read_and_verified() {
    let Some((_fleet, mut one, two)) = linked() else { return };
    // Six records, two decisions, one link.
    assert_eq!(two.verified(), (9, 2));
    let query = ShippedQuery { kinds: vec!["call".to_owned()], ..ShippedQuery::default() };
    let page = one.store.shipped_lines(&query, 4).expect("lines");
    let replicas: Vec<_> = page.iter().map(|line| line.replica.as_str()).collect();
    assert_eq!(replicas, ["two", "two", "two", "one"]);
    let before = Some(page[3].arrival);
    let rest = one.store.shipped_lines(&ShippedQuery { before, ..query }, 10).expect("lines");
    assert_eq!(rest.len(), 2);
    assert_eq!(one.shipper.ship().expect("nothing to ship"), 0);
    assert_eq!(one.record([4]), 1);
}

#[test]
fn a_decision_names_its_maker_and_its_row() {
    let Some((fleet, ..)) = linked() else { return };
    let line = fleet.sql("SELECT line FROM toolscout.decision ORDER BY n DESC LIMIT 1");
    for part in [
        r#""subject":"mail/send""#,
        r#""decision":"used""#,
        r#""by":"client c""#,
        r#""replica":"two""#,
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
}

#[test]
fn every_kind_of_tampering_is_found() {
    let cases: [(&str, &str); 9] = [
        (
            "UPDATE toolscout.journal SET line = replace(line, '\"value\":2', '\"value\":7') WHERE n = 2",
            "one 2: record 2 was changed",
        ),
        (
            "DELETE FROM toolscout.journal WHERE n = 2 AND line LIKE '%\"value\":2,%'",
            "one 3: records 2 to 2 are missing",
        ),
        (
            "DELETE FROM toolscout.journal WHERE n = 3 AND line LIKE '%\"value\":3,%'; UPDATE toolscout.chain SET n = 2 WHERE name = 'one'",
            "one 3: a link names this record",
        ),
        (
            "DELETE FROM toolscout.journal j USING toolscout.chain c WHERE c.id = j.chain AND c.name = 'two'; DELETE FROM toolscout.chain WHERE name = 'two'",
            ": a link names this record",
        ),
        (
            "DELETE FROM toolscout.decision WHERE n = 2; UPDATE toolscout.head SET n = 1 WHERE chain = 'decision'",
            "decisions 2: a link names this record",
        ),
        (
            "UPDATE toolscout.decision SET line = replace(line, 'client c', 'client d') WHERE n = 2",
            "decisions 2: record 2 was changed",
        ),
        ("DELETE FROM toolscout.link", "links 1: this replica has seen a link"),
        (
            "UPDATE toolscout.record SET value = 'old' WHERE namespace = 'pending'",
            "decisions 2: the row `pending/shop/1` is not the one",
        ),
        (
            "DELETE FROM toolscout.decision; DELETE FROM toolscout.link; UPDATE toolscout.head SET n = 0",
            "links 1: this replica has seen a link",
        ),
    ];
    for (tampering, expected) in cases {
        let Some((fleet, one, _two)) = linked() else { return };
        fleet.sql(tampering);
        let breaks = one.breaks();
        assert!(breaks.iter().any(|item| item.contains(expected)), "{tampering}: {breaks:?}");
    }
}

#[test]
fn a_journal_that_starts_again_is_another_chain() {
    let Some((_fleet, mut one, _two)) = linked() else { return };
    std::fs::remove_file(toolscout_store::journal::dir(&one.state).join("head")).expect("the head");
    std::fs::remove_file(toolscout_store::journal::dir(&one.state).join("000001.jsonl"))
        .expect("it");
    one.shipper = AuditShipper::new(one.store.clone(), &one.state);
    assert_eq!(one.record(21..=25), 5);
    let (records, chains) = one.verified();
    assert_eq!((records, chains), (14, 3));
}

#[test]
fn concurrent_decisions_of_all_replicas_make_one_chain() {
    let Some(fleet) = Fleet::start() else { return };
    let machines: Vec<_> = ["one", "two", "three"].map(|name| fleet.replica(name)).into();
    std::thread::scope(|scope| {
        for (number, machine) in machines.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..20 {
                    let key = format!("{number}/{round}");
                    machine.write(Namespace::Approval, &key, b"yes").expect("a write");
                }
            });
        }
    });
    let found = machines[0].verify_audit().expect("the database answers");
    assert_eq!((found.records, found.breaks.len()), (60, 0), "{found:?}");
}

//! What one replica writes, the others read.

use super::fixture::{Fleet, block_on, server, wait_until};
use crate::{
    FleetError, FleetKey, FleetKeys, FleetRoles, InForce, Migration, ReplicaState, migrate, status,
};
use toolscout_core::{Namespace, Store};

#[test]
fn a_write_of_one_replica_reaches_the_others() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.write(Namespace::Approval, "shop/files", b"approved\0").expect("a write");
    assert_eq!(
        one.read(Namespace::Approval, "shop/files").expect("a read").as_deref(),
        Some(&b"approved\0"[..]),
        "a replica reads its own write at once"
    );
    let reads = || two.read(Namespace::Approval, "shop/files").expect("a read");
    wait_until("the other replica has it", || reads().is_some());
    assert_eq!(reads().as_deref(), Some(&b"approved\0"[..]));
    assert!(two.remove(Namespace::Approval, "shop/files").expect("a removal"));
    wait_until("the first replica has the removal", || {
        one.keys(Namespace::Approval).expect("keys").is_empty()
    });
    assert!(!two.remove(Namespace::Approval, "shop/files").expect("nothing to remove"));
}

#[test]
fn local_namespaces_stay_on_their_machine() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.write(Namespace::Trust, "/srv/shop", b"trusted").expect("a write");
    one.write(Namespace::Approval, "after", b"").expect("a write");
    wait_until("the other replica is current", || {
        two.read(Namespace::Approval, "after").expect("a read").is_some()
    });
    assert_eq!(two.read(Namespace::Trust, "/srv/shop").expect("a read"), None);
}

#[test]
fn of_concurrent_swaps_one_succeeds() {
    let Some(fleet) = Fleet::start() else { return };
    let replicas: Vec<_> = (0..4).map(|number| fleet.replica(&number.to_string())).collect();
    for round in 0..20 {
        let key = format!("call/{round}");
        replicas[0].write(Namespace::Pending, &key, b"approved").expect("a write");
        wait_until("all replicas see the approval", || {
            replicas
                .iter()
                .all(|replica| replica.read(Namespace::Pending, &key).expect("a read").is_some())
        });
        let taken: usize = std::thread::scope(|scope| {
            let takers: Vec<_> = replicas
                .iter()
                .map(|replica| {
                    scope.spawn(|| replica.swap(Namespace::Pending, &key, Some(b"approved"), None))
                })
                .collect();
            let results = takers.into_iter().map(|taker| taker.join().expect("no panic"));
            results.filter(|result| *result.as_ref().expect("an answer")).count()
        });
        assert_eq!(taken, 1, "an approval is used once");
    }
}

#[test]
fn the_caller_of_a_failed_swap_reads_the_value_that_was_there() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.write(Namespace::Name, "shop", b"1").expect("a write");
    assert!(!two.swap(Namespace::Name, "shop", None, Some(b"2")).expect("an answer"));
    assert_eq!(two.read(Namespace::Name, "shop").expect("a read").as_deref(), Some(&b"1"[..]));
    assert!(two.swap(Namespace::Name, "shop", Some(b"1"), Some(b"2")).expect("an answer"));
}

#[test]
fn revisions_change_with_writes_of_other_replicas() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let before = two.revision(Namespace::AccessToken);
    one.write(Namespace::AccessToken, "desk", b"hash").expect("a write");
    wait_until("the revision changes", || two.revision(Namespace::AccessToken) != before);
}

#[test]
fn a_replica_that_was_away_for_long_learns_of_removed_rows() {
    let Some(fleet) = Fleet::start() else { return };
    let one = fleet.replica("one");
    one.write(Namespace::AccessToken, "desk", b"hash").expect("a write");
    drop(fleet.replica("two"));
    one.remove(Namespace::AccessToken, "desk").expect("a removal");
    fleet.sql(
        "UPDATE toolscout.record SET written = now() - interval '2 hours';
         SELECT toolscout.sweep();",
    );
    assert_eq!(fleet.sql("SELECT count(*) FROM toolscout.record"), "0");
    let two = fleet.replica("two");
    assert!(two.keys(Namespace::AccessToken).expect("keys").is_empty(), "a revoked token stays");
}

#[test]
fn rows_that_no_replica_wrote_are_refused() {
    let Some(fleet) = Fleet::start() else { return };
    let one = fleet.replica("one");
    one.write(Namespace::Approval, "shop/files", b"approved").expect("a write");
    fleet.sql(
        "UPDATE toolscout.record SET value = value || 'x'::bytea, revision = revision + 1;
         UPDATE toolscout.revision SET n = n + 1;",
    );
    wait_until("the change is noticed", || one.read(Namespace::Approval, "shop/files").is_err());
}

#[test]
fn a_migration_runs_once_and_concurrently_with_itself() {
    let Some(server) = server() else { return };
    let fleet = Fleet::unprepared(server.database());
    let unprepared = fleet.open("one", fleet.settings.clone()).expect_err("no tables");
    assert!(matches!(unprepared, FleetError::NotMigrated), "{unprepared}");
    assert_eq!(unprepared.hint(), Some("run `toolscout fleet migrate` once"));
    let all = std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| block_on(migrate(&fleet.settings, &FleetRoles::default()))))
            .collect();
        let results = jobs.into_iter().map(|job| job.join().expect("no panic").expect("tables"));
        results.collect::<Vec<_>>()
    });
    assert_eq!(all.iter().filter(|migration| migration.from == 0).count(), 1, "{all:?}");
    let again = block_on(migrate(&fleet.settings, &FleetRoles::default())).expect("nothing to do");
    assert_eq!(again, Migration { from: 1, to: 1, missing_roles: Vec::new() });
}

#[test]
fn another_key_and_a_newer_database_are_refused() {
    let Some(fleet) = Fleet::start() else { return };
    let other = FleetKey::generate().expect("a key");
    let mut settings = fleet.settings.clone();
    settings.keys = FleetKeys { current: other.clone(), other: None };
    let wrong = fleet.open("one", settings.clone()).expect_err("a wrong key");
    assert!(matches!(wrong, FleetError::WrongKey), "{wrong}");
    // While keys rotate, either will do.
    settings.keys.other = Some(fleet.settings.keys.current.clone());
    drop(fleet.open("one", settings).expect("the other key"));
    fleet.sql("UPDATE toolscout.meta SET min_reader = 99, version = 99");
    let new = fleet.open("two", fleet.settings.clone()).expect_err("a newer database");
    assert!(matches!(new, FleetError::TooNew { found: 99, supported: 1 }), "{new}");
}

#[test]
fn a_replica_that_becomes_too_old_is_disconnected() {
    let Some(fleet) = Fleet::start() else { return };
    let one = fleet.replica("one");
    one.join(None, Vec::new());
    fleet.sql("UPDATE toolscout.meta SET min_reader = 99, version = 99");
    wait_until("it has no connection", || {
        matches!(one.contact(), Err(FleetError::TooNew { found: 99, supported: 1 }))
    });
    assert!(one.write(Namespace::Approval, "shop/files", b"approved").is_err());
}

#[test]
fn a_change_is_in_force_when_all_replicas_have_applied_it() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.write(Namespace::Approval, "shop/files", b"approved").expect("a write");
    let in_force = || one.wait_until_in_force(Namespace::Approval).expect("the database answers");
    assert_eq!(in_force(), InForce { on: 0, behind: Vec::new() }, "no replica serves");
    one.join(None, Vec::new());
    two.join(None, Vec::new());
    assert_eq!(in_force(), InForce { on: 2, behind: Vec::new() });
    let follower = two.follow(Namespace::Approval);
    one.remove(Namespace::Approval, "shop/files").expect("a removal");
    assert_eq!(in_force(), InForce { on: 1, behind: vec!["two".to_owned()] });
    let revision = block_on(follower.next());
    follower.applied(revision);
    assert_eq!(in_force(), InForce { on: 2, behind: Vec::new() });
    // Its row expires, as if it had lost the database: it may still serve.
    one.write(Namespace::Approval, "shop/files", b"approved").expect("a write");
    two.leave();
    follower.applied(block_on(follower.next()));
    assert_eq!(in_force(), InForce { on: 1, behind: Vec::new() }, "it has ended");
    fleet.sql("UPDATE toolscout.replica SET state = 'ready' WHERE name = 'two'");
    assert_eq!(in_force(), InForce { on: 1, behind: vec!["two".to_owned()] });
}

#[test]
fn the_status_lists_replicas_that_serve() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.join(Some("127.0.0.1:7421".to_owned()), vec!["browser".to_owned()]);
    let states = || {
        let status = block_on(status(&fleet.settings)).expect("the status");
        let all = status.replicas.into_iter().map(|replica| (replica.name, replica.state));
        all.collect::<Vec<_>>()
    };
    assert_eq!(states(), [("one".to_owned(), ReplicaState::Ready)]);
    two.join(None, Vec::new());
    one.set_state(ReplicaState::Draining);
    let draining =
        [("one".to_owned(), ReplicaState::Draining), ("two".to_owned(), ReplicaState::Ready)];
    wait_until("the others see it", || states() == draining);
    drop(one);
    assert_eq!(
        states(),
        [("two".to_owned(), ReplicaState::Ready), ("one".to_owned(), ReplicaState::Gone)]
    );
}

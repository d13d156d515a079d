//! Leases of the fleet.

use super::fixture::{Fleet, report_missing, wait_until};
use toolscout_core::{FencedLease, FencedLeaseAttempt, Store};
use toolscout_test_support::postgres::PostgresServer;

#[test]
fn one_replica_at_a_time_holds_a_lease() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let held = one.lease("discovery/shop/files").expect("an answer").expect("it is free");
    assert!(two.lease("discovery/shop/files").expect("an answer").is_none());
    assert!(two.is_leased("discovery/shop/files").expect("an answer"));
    assert!(two.lease("discovery/shop/mail").expect("an answer").is_some());
    drop(held);
    wait_until("the lease is free", || {
        two.lease("discovery/shop/files").expect("an answer").is_some()
    });
}

#[test]
fn other_leases_are_those_of_a_machine() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let _host = one.lease("host/shop").expect("an answer").expect("it is free");
    assert!(two.lease("host/shop").expect("an answer").is_some());
}

/// The generation of a lease grows with every holder, so that a late write of an earlier holder can
/// be refused.
#[test]
fn the_lease_of_a_replica_that_is_gone_is_free() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let held = one.lease("discovery/shop/files").expect("an answer").expect("it is free");
    // As if the process had been killed: no release, no heartbeat.
    std::mem::forget(held);
    fleet.sql("UPDATE toolscout.replica SET expires = now()");
    let taken = two.lease("discovery/shop/files").expect("an answer");
    assert!(taken.is_some());
    assert_eq!(fleet.sql("SELECT generation FROM toolscout.lease"), "2");
}

fn taken(replica: &impl Store) -> Option<FencedLease> {
    match replica.fenced_lease("run/shop/files").expect("an answer") {
        FencedLeaseAttempt::Taken(lease) => Some(lease),
        FencedLeaseAttempt::HeldBy(_) => None,
    }
}

#[test]
fn a_fenced_lease_names_its_holder_and_counts_its_holders() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let first = taken(&one).expect("it is free");
    assert!(!first.remaining().is_zero());
    let attempt = two.fenced_lease("run/shop/files").expect("an answer");
    let FencedLeaseAttempt::HeldBy(holder) = attempt else { panic!("two holders") };
    assert_eq!(holder, Some(one.id()));
    let generation = first.generation();
    drop(first);
    wait_until("the lease is free", || taken(&two).is_some_and(|it| it.generation() > generation));
}

/// Y-58.
#[test]
fn a_fenced_lease_is_lost_before_another_replica_can_take_it() {
    let Some(mut server) = PostgresServer::start() else { return report_missing() };
    let fleet = Fleet::on(&server);
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let lease = taken(&one).expect("it is free");
    server.kill();
    wait_until("it is lost", || lease.remaining().is_zero());
    assert!(two.fenced_lease("run/shop/files").is_err(), "nothing is taken without the database");
    assert!(one.fenced_lease("run/shop/files").is_err());
}

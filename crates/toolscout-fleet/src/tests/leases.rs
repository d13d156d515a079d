//! Leases of the fleet.

use super::fixture::{Fleet, wait_until};
use toolscout_core::Store;

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

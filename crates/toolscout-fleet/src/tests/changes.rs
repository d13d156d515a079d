//! A replica notices what others change, and who serves.

use super::fixture::{Fleet, wait_until};
use crate::clock::DatabaseClock;
use crate::{LiveReplica, ReplicaState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use toolscout_core::{Moment, Namespace, Store};

#[test]
fn a_listener_is_called_for_writes_of_others_to_its_namespace() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let count = move || {
        counted.fetch_add(1, Ordering::SeqCst);
    };
    let subscription = two.on_change(Namespace::Pending, Box::new(count));
    assert!(two.on_change(Namespace::Scan, Box::new(|| ())).is_none(), "a local namespace");
    one.write(Namespace::Approval, "shop/files", b"1").expect("a write");
    wait_until("the other write is there", || {
        two.read(Namespace::Approval, "shop/files").expect("a read").is_some()
    });
    assert_eq!(calls.load(Ordering::SeqCst), 0, "another namespace");
    one.write(Namespace::Pending, "shop/1", b"1").expect("a write");
    wait_until("the listener is called", || calls.load(Ordering::SeqCst) == 1);
    drop(subscription);
    one.write(Namespace::Pending, "shop/2", b"1").expect("a write");
    wait_until("the write is there", || {
        two.read(Namespace::Pending, "shop/2").expect("a read").is_some()
    });
    assert_eq!(calls.load(Ordering::SeqCst), 1, "after the end of the subscription");
}

#[test]
fn another_process_with_the_same_copy_is_noticed() {
    let Some(fleet) = Fleet::start() else { return };
    let (serving, command) = (fleet.replica("one"), fleet.replica("one"));
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let count = move || {
        counted.fetch_add(1, Ordering::SeqCst);
    };
    let _subscription = serving.on_change(Namespace::Pending, Box::new(count));
    command.write(Namespace::Pending, "shop/1", b"1").expect("a write");
    wait_until("the listener is called", || calls.load(Ordering::SeqCst) == 1);
}

#[test]
fn what_another_replica_dated_is_not_in_the_future() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    for number in 0..20 {
        let (from, to) = if number % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let key = format!("shop/{number}");
        from.write(Namespace::Pending, &key, &from.now().0.to_le_bytes()).expect("a write");
        let read = || to.read(Namespace::Pending, &key).expect("a read");
        wait_until("the write is there", || read().is_some());
        let dated = read().expect("a value").try_into().expect("a number");
        assert!(u64::from_le_bytes(dated) <= to.now().0);
    }
}

#[test]
fn the_clock_keeps_the_fastest_of_recent_samples() {
    let clock = DatabaseClock::default();
    clock.record(Moment(1_000_000));
    clock.record(Moment(500_000));
    assert!((1_000_000..1_060_000).contains(&clock.now().0), "a late sample changes nothing");
    clock.record(Moment(2_000_000));
    assert!(clock.now() >= Moment(2_000_000));
}

#[test]
fn replicas_that_serve_are_known_until_they_leave() {
    let Some(fleet) = Fleet::start() else { return };
    let (one, two) = (fleet.replica("one"), fleet.replica("two"));
    one.join(Some("127.0.0.1:1".to_owned()), Vec::new());
    two.join(None, Vec::new());
    one.refresh_replicas().expect("the database answers");
    let replica = |address: Option<&str>, id: String, is_draining| LiveReplica {
        id,
        address: address.map(str::to_owned),
        is_draining,
        labels: Vec::new(),
    };
    let mut both = [replica(Some("127.0.0.1:1"), one.id(), false), replica(None, two.id(), false)];
    both.sort_by(|one, other| one.id.cmp(&other.id));
    assert_eq!(one.live_replicas(), both);
    two.set_state(ReplicaState::Draining);
    wait_until("the state is known", || {
        one.refresh_replicas().expect("the database answers");
        one.live_replicas().contains(&replica(None, two.id(), true))
    });
    two.leave();
    one.refresh_replicas().expect("the database answers");
    assert_eq!(one.live_replicas(), [replica(Some("127.0.0.1:1"), one.id(), false)]);
}

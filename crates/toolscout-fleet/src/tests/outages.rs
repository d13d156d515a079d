//! The database is away.

use super::fixture::{Fleet, report_missing, wait_until};
use crate::FleetError;
use std::time::{Duration, Instant};
use toolscout_core::{Namespace, Store};
use toolscout_test_support::postgres::PostgresServer;

#[test]
fn without_the_database_reads_go_on_and_writes_fail() {
    let Some(mut server) = PostgresServer::start() else { return report_missing() };
    let fleet = Fleet::on(&server);
    let one = fleet.replica("one");
    one.write(Namespace::Approval, "shop/files", b"approved").expect("a write");
    server.kill();
    wait_until("the loss is noticed", || one.contact().is_err());
    let read = |store: &dyn Store| store.read(Namespace::Approval, "shop/files").expect("a read");
    assert_eq!(read(&one).as_deref(), Some(&b"approved"[..]));
    let error = one.write(Namespace::Approval, "shop/mail", b"approved").expect_err("no database");
    assert!(error.what.starts_with("cannot reach the database of the fleet"), "{error}");
    // A lease falls back to this machine, so that a server can be discovered.
    assert!(one.lease("discovery/shop/files").expect("an answer").is_some());
    drop(one);
    let restarted = fleet.replica("one");
    assert_eq!(read(&restarted).as_deref(), Some(&b"approved"[..]), "a start without the database");
    let empty = fleet.open("two", fleet.settings.clone()).expect_err("there is no copy");
    assert!(matches!(empty, FleetError::Unreachable(_)), "{empty}");
    server.resume();
    wait_until("the replica is connected again", || restarted.contact().is_ok());
    restarted.write(Namespace::Approval, "shop/mail", b"approved").expect("a write");
    assert_eq!(read(&restarted).as_deref(), Some(&b"approved"[..]), "a crash loses nothing");
}

/// A server that accepts connections and never answers.
#[test]
fn a_database_that_does_not_answer_delays_a_caller_for_two_seconds_at_most() {
    let Some(server) = PostgresServer::start() else { return report_missing() };
    let fleet = Fleet::on(&server);
    let one = fleet.replica("one");
    let paused = server.pause();
    let begun = Instant::now();
    assert!(one.write(Namespace::Approval, "shop/files", b"approved").is_err());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // The connection is given up, so the next caller does not wait.
    let begun = Instant::now();
    assert!(one.write(Namespace::Approval, "shop/files", b"approved").is_err());
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    drop(paused);
}

use super::{FairShares, ShareKey, SharePermit};
use futures_util::FutureExt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

fn key(principal: &str, client: &str) -> ShareKey {
    ShareKey { principal: Some(principal.into()), client: Some(client.into()) }
}

fn take_all(shares: &Arc<FairShares>, key: &ShareKey) -> Vec<SharePermit> {
    std::iter::from_fn(|| shares.try_acquire(key)).collect()
}

/// V-70.
#[test]
fn a_greedy_client_leaves_places_for_others_of_its_principal_and_for_other_principals() {
    let shares = FairShares::new(256, 128);
    let greedy = take_all(&shares, &key("ada", "greedy"));
    assert_eq!(greedy.len(), 64);
    let same = take_all(&shares, &key("ada", "honest"));
    assert_eq!(same.len(), 32, "another client with the same token gets half of the rest");
    let other = take_all(&shares, &key("bob", "honest"));
    assert_eq!(other.len(), 64, "another principal is not affected");
    drop((greedy, same, other));
    assert_eq!((shares.held(), shares.state.lock().principals.len()), (0, 0));
}

/// V-70.
#[test]
fn there_is_a_place_for_everyone_until_there_are_more_clients_than_places() {
    let shares = FairShares::new(64, 64);
    let mut held = Vec::new();
    for number in 0..6 {
        let all = take_all(&shares, &key(&format!("greedy-{number}"), "x"));
        assert!(!all.is_empty(), "{number}");
        held.push(all);
    }
    assert!(shares.try_acquire(&key("honest", "x")).is_some());
    let one = FairShares::new(1, 1);
    assert_eq!(take_all(&one, &key("ada", "x")).len(), 1);
}

/// V-71.
#[test]
fn waiting_principals_take_turns_however_many_places_each_waits_for() {
    let shares = FairShares::new(1, 1);
    let (greedy, honest) = (key("ada", "x"), key("bob", "x"));
    let first = shares.try_acquire(&greedy).expect("a free slot");
    let mut turns: Vec<_> = (0..16).map(|_| Box::pin(shares.acquire(&greedy))).collect();
    let mut cx = Context::from_waker(Waker::noop());
    for turn in &mut turns {
        assert!(Pin::new(turn).poll(&mut cx).is_pending());
    }
    let mut late = Box::pin(shares.acquire(&honest));
    assert!(Pin::new(&mut late).poll(&mut cx).is_pending());
    drop(first);
    assert!(late.now_or_never().is_some(), "a client without a slot is next");
    let mut turns = turns.into_iter();
    assert!(turns.next().expect("16 requests wait").now_or_never().is_some());
    // Waiting futures that are dropped give up their turn, also after it was granted.
    drop(turns);
    assert_eq!((shares.held(), shares.state.lock().principals.len()), (0, 0));
}

#[test]
fn a_waiting_principal_is_not_overtaken_by_each_new_one() {
    let shares = FairShares::new(1, 1);
    let ada = key("ada", "x");
    let mut held = shares.try_acquire(&ada).expect("a free place");
    let mut waiting = Box::pin(shares.acquire(&ada));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut waiting).poll(&mut cx).is_pending());
    let mut overtakes = 0;
    for number in 0..8 {
        let name = key(&format!("new-{number}"), "x");
        let mut new = Box::pin(shares.acquire(&name));
        assert!(Pin::new(&mut new).poll(&mut cx).is_pending());
        drop(held);
        if Pin::new(&mut waiting).poll(&mut cx).is_ready() {
            break;
        }
        held = new.now_or_never().expect("a place for the new one");
        overtakes += 1;
    }
    assert_eq!(overtakes, 1, "only the one that arrived before the next turn");
}

#[test]
fn equal_clients_are_served_in_the_order_of_their_arrival() {
    let shares = FairShares::new(1, 1);
    let mut cx = Context::from_waker(Waker::noop());
    let mut held = shares.try_acquire(&key("first", "x")).expect("a free place");
    let keys: Vec<_> = (0..8).map(|number| key(&format!("p-{number}"), "x")).collect();
    let mut waiting: Vec<_> = keys.iter().map(|key| Box::pin(shares.acquire(key))).collect();
    for turn in &mut waiting {
        assert!(Pin::new(turn).poll(&mut cx).is_pending());
    }
    for turn in waiting {
        drop(held);
        held = turn.now_or_never().expect("the one that waits longest is next");
    }
}

/// V-74.
#[test]
fn a_permit_that_cannot_grow_keeps_what_it_has() {
    let shares = FairShares::new(100, 100);
    let mut body = shares.empty_permit(&key("ada", "x"));
    assert!(body.grow(40) && !body.grow(40) && body.grow(10));
    assert_eq!(shares.held_by(&key("ada", "x")), 50);
    drop(body);
    assert_eq!(shares.held(), 0);
}

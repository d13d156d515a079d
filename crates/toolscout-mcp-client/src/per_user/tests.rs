//! 1. A user's value is fetched once while it is cached, and again when it has expired.
//! 2. With a negative lifetime nothing is cached or shared; with zero it is shared and not cached.
//! 3. Memory is bounded: the least recently used value is evicted and dropped.
//! 4. Concurrent requests share one fetch, including its error; if the fetching request is dropped,
//!    another takes over.
//! 5. A value that was removed does not come back.

use super::{CacheLifetime, PerUser};
use futures_util::FutureExt;
use futures_util::future::join_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{advance, sleep};

type Cache = PerUser<Arc<String>, String>;

const MINUTE: CacheLifetime = CacheLifetime::For(Duration::from_secs(60));

/// A server that counts its requests, and takes a second for each.
#[derive(Default)]
struct Server {
    fetches: AtomicUsize,
    finished: AtomicUsize,
}

impl Server {
    async fn fetch(&self, user: &str) -> Result<Arc<String>, String> {
        let time = self.fetches.fetch_add(1, SeqCst) + 1;
        sleep(Duration::from_secs(1)).await;
        self.finished.fetch_add(1, SeqCst);
        Ok(Arc::new(format!("{user}'s, {time}")))
    }

    fn fetches(&self) -> usize {
        self.fetches.load(SeqCst)
    }
}

async fn value(cache: &Cache, server: &Server, user: &str) -> String {
    cache.value(user, || server.fetch(user)).await.unwrap().to_string()
}

#[tokio::test(start_paused = true)]
async fn a_value_is_fetched_once_and_again_when_its_time_is_over() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 1");
    advance(Duration::from_secs(60)).await;
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 1");
    advance(Duration::from_millis(1)).await;
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 2");
    assert_eq!(value(&cache, &server, "bob").await, "bob's, 3");
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 2");
}

/// F-13: 200 users and a capacity of five: five values are in memory and all others are dropped;
/// those are fetched again when requested.
#[tokio::test(start_paused = true)]
async fn two_hundred_users_take_the_memory_of_five() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let users: Vec<_> = (0..200).map(|index| format!("user-{index}")).collect();
    let values = join_all(users.iter().map(|user| cache.value(user, || server.fetch(user)))).await;
    let weak: Vec<_> = values.iter().map(|value| Arc::downgrade(value.as_ref().unwrap())).collect();
    drop(values);
    assert_eq!((cache.len(), server.fetches()), (5, 200));
    assert_eq!(weak.iter().filter(|weak| weak.strong_count() > 0).count(), 5);
    assert_eq!(cache.users.lock().flights.len(), 0);
    join_all(users.iter().map(|user| cache.value(user, || server.fetch(user)))).await;
    assert_eq!((cache.len(), server.fetches()), (5, 395));
    cache.clear();
    assert!(cache.is_empty());
    assert!(weak.iter().all(|weak| weak.strong_count() == 0));
}

/// F-13: an expired value is fetched again; with a negative lifetime no value is cached.
#[tokio::test(start_paused = true)]
async fn a_negative_lifetime_neither_caches_nor_shares() {
    assert_eq!(CacheLifetime::seconds(-1), CacheLifetime::Never);
    assert_eq!(CacheLifetime::seconds(i64::MIN), CacheLifetime::Never);
    let (cache, server) = (Cache::new(5, CacheLifetime::seconds(-1)), Server::default());
    let both = join_all([value(&cache, &server, "ann"), value(&cache, &server, "ann")]).await;
    assert_eq!(both, ["ann's, 1", "ann's, 2"]);
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 3");
    assert!(cache.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_zero_lifetime_shares_and_does_not_cache() {
    let (cache, server) = (Cache::new(5, CacheLifetime::seconds(0)), Server::default());
    let both = join_all([value(&cache, &server, "ann"), value(&cache, &server, "ann")]).await;
    assert_eq!(both, ["ann's, 1", "ann's, 1"]);
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 2");
    assert!(cache.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_capacity_of_zero_shares_and_does_not_cache() {
    let (cache, server) = (Cache::new(0, MINUTE), Server::default());
    let both = join_all([value(&cache, &server, "ann"), value(&cache, &server, "ann")]).await;
    assert_eq!(both, ["ann's, 1", "ann's, 1"]);
    assert!(cache.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_time_beyond_all_numbers_does_no_harm() {
    let (cache, server) = (Cache::new(5, CacheLifetime::seconds(i64::MAX)), Server::default());
    value(&cache, &server, "ann").await;
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 1");
}

#[tokio::test(start_paused = true)]
async fn the_longest_unused_makes_room() {
    let (cache, server) = (Cache::new(2, MINUTE), Server::default());
    for user in ["ann", "bob", "ann", "cem"] {
        value(&cache, &server, user).await;
    }
    assert_eq!(server.fetches(), 3);
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 1");
    assert_eq!(value(&cache, &server, "bob").await, "bob's, 4");
}

#[tokio::test(start_paused = true)]
async fn expired_values_are_evicted_first() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let old = Arc::downgrade(&cache.value("old", || server.fetch("old")).await.unwrap());
    advance(Duration::from_secs(61)).await;
    value(&cache, &server, "ann").await;
    assert_eq!((cache.len(), old.strong_count()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_share_one_fetch() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let asks = ["ann", "bob"].repeat(50);
    let values = join_all(asks.iter().map(|ask| value(&cache, &server, ask))).await;
    assert_eq!(server.fetches(), 2);
    assert!(asks.iter().zip(&values).all(|(user, value)| value.starts_with(user)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_threads_share_one_fetch() {
    let shared = Arc::new((Cache::new(5, MINUTE), AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let shared = shared.clone();
        tasks.spawn(async move {
            let fetch = async || {
                tokio::task::yield_now().await;
                Ok(Arc::new(shared.1.fetch_add(1, SeqCst).to_string()))
            };
            shared.0.value("ann", fetch).await.unwrap().to_string()
        });
    }
    assert_eq!(tasks.join_all().await, ["0"; 64]);
}

#[tokio::test(start_paused = true)]
async fn an_error_reaches_all_waiters_and_is_not_cached() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let fail = || async {
        server.fetch("ann").await?;
        Err("not today".to_owned())
    };
    let all = join_all((0..10).map(|_| cache.value("ann", fail))).await;
    assert!(all.iter().all(|item| *item == Err("not today".to_owned())));
    assert_eq!((server.fetches(), cache.len()), (1, 0));
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 2");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_fetch_is_taken_over_by_a_waiter() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let mut first = Box::pin(value(&cache, &server, "ann"));
    let mut others =
        Box::pin(join_all([value(&cache, &server, "ann"), value(&cache, &server, "ann")]));
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut others).now_or_never().is_none());
    assert_eq!(server.fetches(), 1);
    drop(first);
    assert_eq!(others.await, ["ann's, 2", "ann's, 2"]);
    assert_eq!(server.finished.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_waiter_may_be_dropped() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let mut first = Box::pin(value(&cache, &server, "ann"));
    assert!((&mut first).now_or_never().is_none());
    assert!(value(&cache, &server, "ann").now_or_never().is_none());
    assert_eq!(first.await, "ann's, 1");
    assert_eq!(cache.users.lock().flights.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_value_removed_during_its_fetch_is_not_cached() {
    let (cache, server) = (Cache::new(5, MINUTE), Server::default());
    let mut first = Box::pin(value(&cache, &server, "ann"));
    assert!((&mut first).now_or_never().is_none());
    assert!(cache.forget("ann"));
    let mut second = Box::pin(value(&cache, &server, "ann"));
    assert!((&mut second).now_or_never().is_none(), "a later caller does not get the old value");
    assert_eq!(first.await, "ann's, 1", "an earlier caller does");
    assert!(cache.is_empty());
    assert_eq!(second.await, "ann's, 2");
    assert_eq!(value(&cache, &server, "ann").await, "ann's, 2");
    assert!(cache.forget("ann"));
    assert!(!cache.forget("ann"));
}

#[test]
fn nothing_of_a_user_is_shown() {
    let cache = Cache::new(5, MINUTE);
    let _ = cache
        .value("sesame", || std::future::ready(Ok(Arc::new("open".to_owned()))))
        .now_or_never();
    assert_eq!(format!("{cache:?}"), "PerUser { kept: 1, max: 5, .. }");
}

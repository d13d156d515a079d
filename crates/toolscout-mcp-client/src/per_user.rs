//! A cache of values per user: separate for each, bounded, with a time to live.

mod server;
#[cfg(test)]
mod tests;

pub use server::{PerUserServer, check_request_headers, request_headers};

use super::ClientError;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use toolscout_core::BoundedCache;

/// Values by authorization context. One user never sees another's; of many users the latest few are remembered.
///
/// A user's value is fetched once for all who ask for it at the same time; what comes of that, an error too, is told to
/// all of them. Errors are not remembered. Keys are compared whole and never shown: a hash of what authorizes the user
/// is a good one.
pub struct PerUser<V, E = ClientError> {
    max: usize,
    keep: CacheLifetime,
    users: Mutex<Users<V, E>>,
}

/// How long values are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheLifetime {
    /// Not at all: every request fetches.
    Never,
    /// So long; the end is still within it. For no time at all: shared by those who wait for it, and not kept.
    For(Duration),
}

impl CacheLifetime {
    /// As settings say it: below zero is never.
    pub fn seconds(seconds: i64) -> Self {
        u64::try_from(seconds).map_or(Self::Never, |it| Self::For(Duration::from_secs(it)))
    }
}

impl<V: Clone, E: Clone> PerUser<V, E> {
    /// Remembers at most so many values; the one not used for longest makes room.
    pub fn new(max: usize, keep: CacheLifetime) -> Self {
        Self { max, keep, users: Mutex::new(Users::new(max)) }
    }

    /// The user's value: cached, fetched now, or being fetched by another request.
    ///
    /// Cancel-safe: if this is dropped while it fetches, a waiting request fetches instead.
    pub async fn value<F, A>(&self, user: &str, fetch: F) -> Result<V, E>
    where
        F: FnOnce() -> A,
        A: Future<Output = Result<V, E>>,
    {
        let CacheLifetime::For(time) = self.keep else { return fetch().await };
        let flight = loop {
            match self.step(user) {
                FetchStep::Known(value) => return Ok(value),
                FetchStep::Wait(mut news) => {
                    // Nobody to tell it any more means that they gave up.
                    if let Ok(result) = news.wait_for(Option::is_some).await
                        && let Some(result) = &*result
                    {
                        return result.clone();
                    }
                }
                FetchStep::Fetch(flight) => break flight,
            }
        };
        let result = fetch().await;
        flight.land(&result, time);
        result
    }

    /// Removes this user's value, also one that is being fetched; returns whether there was one.
    pub fn forget(&self, user: &str) -> bool {
        let mut users = self.users.lock();
        let flew = users.flights.remove(user).is_some();
        let kept = users.cached.remove(user);
        drop(users);
        flew || kept.is_some()
    }

    /// Removes all values.
    pub fn clear(&self) {
        let forgotten = std::mem::replace(&mut *self.users.lock(), Users::new(self.max));
        drop(forgotten);
    }

    /// How many values are remembered, those whose time is over included.
    pub fn len(&self) -> usize {
        self.users.lock().cached.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn step(&self, user: &str) -> FetchStep<'_, V, E> {
        let now = Instant::now();
        let mut users = self.users.lock();
        if let Some(kept) = users.cached.get(user).filter(|it| it.is_fresh(now)) {
            return FetchStep::Known(kept.value.clone());
        }
        if let Some(news) = users.flights.get(user) {
            return FetchStep::Wait(news.clone());
        }
        let (tell, news) = watch::channel(None);
        let user: Arc<str> = user.into();
        users.flights.insert(user.clone(), news.clone());
        FetchStep::Fetch(Flight { cache: self, user, tell, news })
    }
}

impl<V, E> fmt::Debug for PerUser<V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.users.lock().cached.len();
        f.debug_struct("PerUser").field("kept", &kept).field("max", &self.max).finish_non_exhaustive()
    }
}

type FetchWatch<V, E> = watch::Receiver<Option<Result<V, E>>>;

struct Users<V, E> {
    cached: BoundedCache<Arc<str>, CachedValue<V>>,
    /// Those whose value is being fetched.
    flights: HashMap<Arc<str>, FetchWatch<V, E>>,
}

impl<V, E> Users<V, E> {
    fn new(max: usize) -> Self {
        Self { cached: BoundedCache::new(max), flights: HashMap::new() }
    }
}

struct CachedValue<V> {
    value: V,
    /// None if the time overflows.
    due: Option<Instant>,
}

impl<V> CachedValue<V> {
    fn is_fresh(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| now <= due)
    }
}

enum FetchStep<'a, V, E> {
    Known(V),
    Wait(FetchWatch<V, E>),
    Fetch(Flight<'a, V, E>),
}

/// The right and duty to fetch one user's value; given up when dropped.
struct Flight<'a, V, E> {
    cache: &'a PerUser<V, E>,
    user: Arc<str>,
    tell: watch::Sender<Option<Result<V, E>>>,
    news: FetchWatch<V, E>,
}

impl<V: Clone, E: Clone> Flight<'_, V, E> {
    fn land(self, result: &Result<V, E>, time: Duration) {
        let unused = match result {
            Ok(value) if !time.is_zero() && self.cache.max > 0 => self.keep(value.clone(), time),
            _ => Vec::new(),
        };
        drop(unused);
        self.tell.send_replace(Some(result.clone()));
    }

    /// Remembers the value, unless it was forgotten while it was fetched; gives those that made room, to be dropped where
    /// nobody waits for it.
    fn keep(&self, value: V, time: Duration) -> Vec<CachedValue<V>> {
        let now = Instant::now();
        let mut users = self.cache.users.lock();
        if !self.is_current(&users) {
            return Vec::new();
        }
        let mut gone = users.cached.remove_if(|kept| !kept.is_fresh(now));
        gone.extend(users.cached.insert(self.user.clone(), CachedValue { value, due: now.checked_add(time) }));
        gone
    }
}

impl<V, E> Flight<'_, V, E> {
    fn is_current(&self, users: &Users<V, E>) -> bool {
        users.flights.get(&self.user).is_some_and(|it| it.same_channel(&self.news))
    }
}

impl<V, E> Drop for Flight<'_, V, E> {
    fn drop(&mut self) {
        let mut users = self.cache.users.lock();
        if self.is_current(&users) {
            users.flights.remove(&self.user);
        }
    }
}

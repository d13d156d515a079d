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

/// Values by authorization context. One user never sees another user's value; only the values of
/// the most recent users are cached.
///
/// Concurrent requests for the same user share one fetch and its outcome, including an error.
/// Errors are not cached. Keys are compared as a whole and never shown: a hash of the user's
/// credentials is a good key.
pub struct PerUser<V, E = ClientError> {
    max: usize,
    lifetime: CacheLifetime,
    users: Mutex<Users<V, E>>,
}

/// The lifetime of cached values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheLifetime {
    /// Values are not cached: every request fetches.
    Never,
    /// Values are cached for this long, inclusive. If it is zero, concurrent requests share a
    /// fetch, but the value is not cached.
    For(Duration),
}

impl CacheLifetime {
    /// Converts a setting in seconds: a negative number means [`Self::Never`].
    pub fn seconds(seconds: i64) -> Self {
        u64::try_from(seconds).map_or(Self::Never, |value| Self::For(Duration::from_secs(value)))
    }
}

impl<V: Clone, E: Clone> PerUser<V, E> {
    /// Creates a cache of at most `max` values with LRU eviction.
    pub fn new(max: usize, lifetime: CacheLifetime) -> Self {
        Self { max, lifetime, users: Mutex::new(Users::new(max)) }
    }

    /// The user's value: cached, fetched now, or being fetched by another request.
    ///
    /// Cancel-safe: if this is dropped while it fetches, a waiting request fetches instead.
    pub async fn value<F, A>(&self, user: &str, fetch: F) -> Result<V, E>
    where
        F: FnOnce() -> A,
        A: Future<Output = Result<V, E>>,
    {
        let CacheLifetime::For(lifetime) = self.lifetime else { return fetch().await };
        let flight = loop {
            match self.step(user) {
                FetchStep::Known(value) => return Ok(value),
                FetchStep::Wait(mut receiver) => {
                    // A closed channel means that the fetching request was dropped.
                    if let Ok(result) = receiver.wait_for(Option::is_some).await
                        && let Some(result) = &*result
                    {
                        return result.clone();
                    }
                }
                FetchStep::Fetch(flight) => break flight,
            }
        };
        let result = fetch().await;
        flight.finish(&result, lifetime);
        result
    }

    /// Removes this user's value, including one that is being fetched; returns whether there was
    /// one.
    pub fn forget(&self, user: &str) -> bool {
        let mut users = self.users.lock();
        let was_fetching = users.flights.remove(user).is_some();
        let cached_value = users.cached.remove(user);
        drop(users);
        was_fetching || cached_value.is_some()
    }

    /// Removes all values.
    pub fn clear(&self) {
        let forgotten = std::mem::replace(&mut *self.users.lock(), Users::new(self.max));
        drop(forgotten);
    }

    /// The number of cached values, including expired ones.
    pub fn len(&self) -> usize {
        self.users.lock().cached.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn step(&self, user: &str) -> FetchStep<'_, V, E> {
        let now = Instant::now();
        let mut users = self.users.lock();
        if let Some(cached_value) = users.cached.get(user).filter(|cached| cached.is_fresh(now)) {
            return FetchStep::Known(cached_value.value.clone());
        }
        if let Some(receiver) = users.flights.get(user) {
            return FetchStep::Wait(receiver.clone());
        }
        let (sender, receiver) = watch::channel(None);
        let user: Arc<str> = user.into();
        users.flights.insert(user.clone(), receiver.clone());
        FetchStep::Fetch(Flight { cache: self, user, sender, receiver })
    }
}

impl<V, E> fmt::Debug for PerUser<V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cached = self.users.lock().cached.len();
        f.debug_struct("PerUser")
            .field("kept", &cached)
            .field("max", &self.max)
            .finish_non_exhaustive()
    }
}

type FetchWatch<V, E> = watch::Receiver<Option<Result<V, E>>>;

struct Users<V, E> {
    cached: BoundedCache<Arc<str>, CachedValue<V>>,
    /// The users whose value is being fetched.
    flights: HashMap<Arc<str>, FetchWatch<V, E>>,
}

impl<V, E> Users<V, E> {
    fn new(max: usize) -> Self {
        Self { cached: BoundedCache::new(max), flights: HashMap::new() }
    }
}

struct CachedValue<V> {
    value: V,
    /// `None` if the time overflows.
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

/// The exclusive permission to fetch one user's value; given up on drop.
struct Flight<'a, V, E> {
    cache: &'a PerUser<V, E>,
    user: Arc<str>,
    sender: watch::Sender<Option<Result<V, E>>>,
    receiver: FetchWatch<V, E>,
}

impl<V: Clone, E: Clone> Flight<'_, V, E> {
    fn finish(self, result: &Result<V, E>, lifetime: Duration) {
        let unused = match result {
            Ok(value) if !lifetime.is_zero() && self.cache.max > 0 => {
                self.insert(value.clone(), lifetime)
            }
            _ => Vec::new(),
        };
        drop(unused);
        self.sender.send_replace(Some(result.clone()));
    }

    /// Caches the value, unless it was removed during the fetch. Returns the evicted values, so
    /// that the caller can drop them outside the lock.
    fn insert(&self, value: V, lifetime: Duration) -> Vec<CachedValue<V>> {
        let now = Instant::now();
        let mut users = self.cache.users.lock();
        if !self.is_current(&users) {
            return Vec::new();
        }
        let mut evicted = users.cached.remove_if(|cached_value| !cached_value.is_fresh(now));
        evicted.extend(
            users
                .cached
                .insert(self.user.clone(), CachedValue { value, due: now.checked_add(lifetime) }),
        );
        evicted
    }
}

impl<V, E> Flight<'_, V, E> {
    fn is_current(&self, users: &Users<V, E>) -> bool {
        users.flights.get(&self.user).is_some_and(|flight| flight.same_channel(&self.receiver))
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

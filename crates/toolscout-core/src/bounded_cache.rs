//! The one bounded map of the workspace: if it is full, it evicts the least recently used entry.

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map with a limit on the total weight of its values; by default each weighs 1. The least
/// recently used values are evicted first, but never the newest, however heavy it is.
///
/// Eviction scans the whole map. For the few hundred entries of our caches that is faster than an
/// ordered list; a cache of many thousands needs another structure.
pub struct BoundedCache<K, V> {
    capacity: usize,
    weigh: fn(&V) -> usize,
    entries: HashMap<K, CacheEntry<V>>,
    uses: u64,
}

struct CacheEntry<V> {
    value: V,
    last_use: u64,
}

impl<K: Hash + Eq + Clone, V> BoundedCache<K, V> {
    /// A cache of at most this many values.
    pub fn new(capacity: usize) -> Self {
        Self::weighted(capacity, |_| 1)
    }

    /// A cache of values up to this total weight.
    pub fn weighted(capacity: usize, weigh: fn(&V) -> usize) -> Self {
        Self { capacity, weigh, entries: HashMap::new(), uses: 0 }
    }

    /// The value of this key, marked as used.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let entry = self.entries.get_mut(key)?;
        self.uses += 1;
        entry.last_use = self.uses;
        Some(&mut entry.value)
    }

    /// The value of this key, without marking it as used.
    pub fn peek<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Sets the value of a key. Returns the values that were replaced or evicted, so that the
    /// caller can drop them outside its lock.
    pub fn insert(&mut self, key: K, value: V) -> Vec<V> {
        self.uses += 1;
        let replaced = self.entries.insert(key, CacheEntry { value, last_use: self.uses });
        let mut removed: Vec<V> = replaced.into_iter().map(|entry| entry.value).collect();
        let mut weight: usize = self.values().map(self.weigh).sum();
        while weight > self.capacity && self.len() > 1 {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, entry)| entry.last_use)
                .map(|(key, _)| key.clone());
            let Some(evicted) = oldest.and_then(|key| self.remove(&key)) else { break };
            weight -= (self.weigh)(&evicted);
            removed.push(evicted);
        }
        removed
    }

    /// Removes the value of a key.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.entries.remove(key).map(|entry| entry.value)
    }

    /// Removes and returns all values for which the predicate is true.
    pub fn remove_if(&mut self, mut predicate: impl FnMut(&V) -> bool) -> Vec<V> {
        self.entries
            .extract_if(|_, entry| predicate(&entry.value))
            .map(|(_, entry)| entry.value)
            .collect()
    }

    /// All keys and values, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, entry)| (key, &entry.value))
    }

    /// All values, in no particular order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values().map(|entry| &entry.value)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

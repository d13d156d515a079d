//! Which values are evicted, and when.

use super::*;

#[test]
fn the_least_recently_used_value_is_evicted() {
    let mut cache = BoundedCache::new(2);
    cache.insert("a", 1);
    cache.insert("b", 2);
    cache.get("a");
    assert_eq!(cache.peek("b"), Some(&2), "peeking does not count as a use");
    assert_eq!(cache.insert("c", 3), [2]);
    assert_eq!((cache.len(), cache.peek("a"), cache.peek("b")), (2, Some(&1), None));
}

#[test]
fn replacing_a_value_evicts_nothing_else() {
    let mut cache = BoundedCache::new(2);
    cache.insert("a", 1);
    cache.insert("b", 2);
    assert_eq!(cache.insert("b", 3), [2]);
    assert_eq!(cache.len(), 2);
}

#[test]
fn weights_limit_the_sum_but_never_the_newest_value() {
    let mut cache = BoundedCache::weighted(10, |text: &String| text.len());
    cache.insert(1, "four".to_owned());
    cache.insert(2, "eight ch".to_owned());
    assert_eq!(cache.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [2]);
    cache.insert(3, "more than ten bytes".to_owned());
    assert_eq!(cache.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [3]);
    assert_eq!(cache.remove_if(|text| text.len() > 10).len(), 1);
    assert!(cache.is_empty());
}

//! Secrets that are known by their value, not by their shape or name.
//!
//! Values that a configuration refers to (`env:TOKEN`, `file:key`, `keyring:mail`) are recorded
//! here when they are resolved, for the lifetime of the process and within a limit, so that they
//! can be redacted from everything that is written: an error, an event, a span. The recorded values
//! cannot be listed or shown.

#[cfg(test)]
mod tests;

use super::REDACTED;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shorter values occur in ordinary words, and redacting them would protect nothing.
const SHORTEST: usize = 6;
/// Longer values are documents, which are not written into logs.
const LONGEST: usize = 64 << 10;
/// Minimum length of a line that counts as a secret by itself, and maximum number of lines of such
/// a secret.
const LINE: usize = 16;
const LINES: usize = 64;
/// Maximum number of values from configuration, and of values from requests. The oldest is evicted.
const MOST: usize = 512;

static KNOWN: RwLock<KnownSecrets> = RwLock::new(KnownSecrets::new());
/// The number of known values, so that the common case of none needs no lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct KnownSecrets {
    /// Values that a configuration refers to; the oldest first.
    lasting: VecDeque<Box<str>>,
    /// Values that came with requests. They are separate, so that those of many users do not evict
    /// the shared ones.
    passing: VecDeque<Box<str>>,
}

/// Records a secret, whatever its shape. Ignores values that are too short or too long.
pub fn remember(value: &str) {
    add(value, |known| &mut known.lasting);
}

/// Like [`remember`], for values that came with a request, so that those of many users do not evict
/// the shared ones.
pub fn remember_briefly(value: &str) {
    add(value, |known| &mut known.passing);
}

fn add(value: &str, place: fn(&mut KnownSecrets) -> &mut VecDeque<Box<str>>) {
    let value = value.trim();
    // Check under the read lock first: the same secrets are resolved often, and readers do not
    // block each other.
    let is_known = |it: &str| KNOWN.read().has(it);
    if value.len() < SHORTEST || is_known(value) {
        return;
    }
    let mut known = KNOWN.write();
    known.add(value, place);
    COUNT.store(known.all().count(), Ordering::Release);
}

/// Whether any secret is known by its value.
pub fn knows_values() -> bool {
    COUNT.load(Ordering::Acquire) > 0
}

/// The text with all known secrets redacted.
pub fn values(text: &str) -> Cow<'_, str> {
    if !knows_values() || text.len() < SHORTEST {
        return Cow::Borrowed(text);
    }
    let known = KNOWN.read();
    known.hide(text)
}

impl KnownSecrets {
    const fn new() -> Self {
        Self { lasting: VecDeque::new(), passing: VecDeque::new() }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.lasting.iter().chain(&self.passing).map(|it| &**it)
    }

    fn has(&self, value: &str) -> bool {
        self.all().any(|it| it == value)
    }

    /// Records the whole value, and each line of a multi-line key, since a message may contain
    /// single lines. A document is not a key.
    fn add(&mut self, value: &str, place: fn(&mut Self) -> &mut VecDeque<Box<str>>) {
        let lines = value.lines().map(str::trim).filter(|it| it.len() >= LINE);
        let is_key = (2..=LINES).contains(&value.lines().count());
        for part in std::iter::once(value).chain(lines.filter(|_| is_key)) {
            self.add_one(part, place);
            // The form in JSON, if it differs.
            let written = serde_json::to_string(part).unwrap_or_default();
            self.add_one(
                written.get(1..written.len().saturating_sub(1)).unwrap_or_default(),
                place,
            );
        }
    }

    fn add_one(&mut self, value: &str, place: fn(&mut Self) -> &mut VecDeque<Box<str>>) {
        if !(SHORTEST..=LONGEST).contains(&value.len()) || self.has(value) {
            return;
        }
        let values = place(self);
        if values.len() == MOST {
            values.pop_front();
        }
        values.push_back(value.into());
    }

    fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found: Vec<&str> = self.all().filter(|it| text.contains(it)).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // The longest first, since one secret may be a part of another.
        found.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let hidden = found.iter().fold(text.to_owned(), |text, it| text.replace(it, REDACTED));
        Cow::Owned(hidden)
    }
}

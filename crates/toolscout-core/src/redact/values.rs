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
const MIN_LENGTH: usize = 6;
/// Longer values are documents, which are not written into logs.
const MAX_LENGTH: usize = 64 << 10;
/// Minimum length of a line that counts as a secret by itself, and maximum number of lines of such
/// a secret.
const MIN_LINE_LENGTH: usize = 16;
const MAX_LINES: usize = 64;
/// Maximum number of values from configuration, and of values from requests. The oldest is evicted.
const MAX_VALUES: usize = 512;

static KNOWN: RwLock<KnownSecrets> = RwLock::new(KnownSecrets::new());
/// The number of known values, so that the common case of none needs no lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct KnownSecrets {
    /// Values that a configuration refers to; the oldest first.
    configured: VecDeque<Box<str>>,
    /// Values that came with requests. They are separate, so that those of many users do not evict
    /// the shared ones.
    per_request: VecDeque<Box<str>>,
}

/// Records a secret, whatever its shape. Ignores values that are too short or too long.
pub fn add_secret(value: &str) {
    add(value, |known| &mut known.configured);
}

/// Like [`add_secret`], for values that came with a request, so that those of many users do not
/// evict the shared ones.
pub fn add_request_secret(value: &str) {
    add(value, |known| &mut known.per_request);
}

fn add(value: &str, select: fn(&mut KnownSecrets) -> &mut VecDeque<Box<str>>) {
    let value = value.trim();
    // Check under the read lock first: the same secrets are resolved often, and readers do not
    // block each other.
    let is_known = |text: &str| KNOWN.read().has(text);
    if value.len() < MIN_LENGTH || is_known(value) {
        return;
    }
    let mut known = KNOWN.write();
    known.add(value, select);
    COUNT.store(known.all().count(), Ordering::Release);
}

/// Whether any secret is known by its value.
pub fn has_known_secrets() -> bool {
    COUNT.load(Ordering::Acquire) > 0
}

/// The text with all known secrets redacted.
pub fn known_secrets(text: &str) -> Cow<'_, str> {
    if !has_known_secrets() || text.len() < MIN_LENGTH {
        return Cow::Borrowed(text);
    }
    let known = KNOWN.read();
    known.redact(text)
}

impl KnownSecrets {
    const fn new() -> Self {
        Self { configured: VecDeque::new(), per_request: VecDeque::new() }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.configured.iter().chain(&self.per_request).map(|value| &**value)
    }

    fn has(&self, value: &str) -> bool {
        self.all().any(|known| known == value)
    }

    /// Records the whole value, and each line of a multi-line key, since a message may contain
    /// single lines. A document is not a key.
    fn add(&mut self, value: &str, select: fn(&mut Self) -> &mut VecDeque<Box<str>>) {
        let lines = value.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE_LENGTH);
        let is_key = (2..=MAX_LINES).contains(&value.lines().count());
        for part in std::iter::once(value).chain(lines.filter(|_| is_key)) {
            self.add_one(part, select);
            // The form in JSON, if it differs.
            let json_form = serde_json::to_string(part).unwrap_or_default();
            self.add_one(
                json_form.get(1..json_form.len().saturating_sub(1)).unwrap_or_default(),
                select,
            );
        }
    }

    fn add_one(&mut self, value: &str, select: fn(&mut Self) -> &mut VecDeque<Box<str>>) {
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&value.len()) || self.has(value) {
            return;
        }
        let list = select(self);
        if list.len() == MAX_VALUES {
            list.pop_front();
        }
        list.push_back(value.into());
    }

    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found: Vec<&str> = self.all().filter(|value| text.contains(value)).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // The longest first, since one secret may be a part of another.
        found.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let redacted =
            found.iter().fold(text.to_owned(), |text, value| text.replace(value, REDACTED));
        Cow::Owned(redacted)
    }
}

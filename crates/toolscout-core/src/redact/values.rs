//! Secrets that are known by what they are, and not by how they look or what they are called.
//!
//! What a configuration refers to (`env:TOKEN`, `file:key`, `keyring:mail`) is remembered here when it is looked up, for as long
//! as the process lives and there is room, so that it can be taken out of whatever is written down: an error, an event, a
//! span. Nothing here can be listed or shown.

#[cfg(test)]
mod tests;

use super::REDACTED;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is shorter than this is in every other word, and hiding it would make nothing secret.
const SHORTEST: usize = 6;
/// What is longer is a document, and nobody writes that into a log.
const LONGEST: usize = 64 << 10;
/// A line of a longer secret is one by itself from this length on, and up to so many lines.
const LINE: usize = 16;
const LINES: usize = 64;
/// So many are remembered, and as many of requests; the oldest is forgotten for a new one.
const MOST: usize = 512;

static KNOWN: RwLock<KnownSecrets> = RwLock::new(KnownSecrets::new());
/// How many are known, for who need not even look.
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct KnownSecrets {
    /// What a configuration refers to; the oldest first.
    lasting: VecDeque<Box<str>>,
    /// What came with requests, apart: many users must not push out what belongs to all.
    passing: VecDeque<Box<str>>,
}

/// Remembers that this is a secret, whatever it looks like. What is too short to be one, or too long, is not remembered.
pub fn remember(value: &str) {
    add(value, |known| &mut known.lasting);
}

/// As [`remember`], for what came with a request: so that those of many users do not push out what belongs to all.
pub fn remember_briefly(value: &str) {
    add(value, |known| &mut known.passing);
}

fn add(value: &str, place: fn(&mut KnownSecrets) -> &mut VecDeque<Box<str>>) {
    let value = value.trim();
    // Asked first: the same secrets are looked up again and again, and readers do not keep each other waiting.
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

/// The text without any secret that is known by its value.
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

    /// All of it; and of a key of many lines, which may be said line by line, each. A document is not a key.
    fn add(&mut self, value: &str, place: fn(&mut Self) -> &mut VecDeque<Box<str>>) {
        let lines = value.lines().map(str::trim).filter(|it| it.len() >= LINE);
        let is_key = (2..=LINES).contains(&value.lines().count());
        for part in std::iter::once(value).chain(lines.filter(|_| is_key)) {
            self.add_one(part, place);
            // As it stands in JSON, where that is another.
            let written = serde_json::to_string(part).unwrap_or_default();
            self.add_one(written.get(1..written.len().saturating_sub(1)).unwrap_or_default(), place);
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
        // The longest first: one secret may be a part of another.
        found.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let hidden = found.iter().fold(text.to_owned(), |text, it| text.replace(it, REDACTED));
        Cow::Owned(hidden)
    }
}

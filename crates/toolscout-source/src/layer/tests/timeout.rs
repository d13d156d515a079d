//! 1. Everything in time passes.
//! 2. Listing, loading and calls end at the limit.
//! 3. Tools that were found before are kept.

use super::{Fake, call, list, load, wrap};
use crate::layer::Timeout;
use insta::assert_snapshot;
use std::time::Duration;
use tokio::time::Instant;

const LIMIT: Timeout = Timeout(Duration::from_millis(100));

#[tokio::test(start_paused = true)]
async fn requests_within_the_limit_pass() {
    let (_, source) = wrap(Fake::new("mail", &["send", "read"]).pace(40), &LIMIT);
    assert_snapshot!(list(&*source).await, @"mail/send, mail/read");
    assert_snapshot!(load(&*source, "send").await, @"mail/send");
    assert_snapshot!(call(&*source, "send").await, @"send of mail");
}

#[tokio::test(start_paused = true)]
async fn a_slow_listing_ends_and_keeps_what_it_found() {
    let (_, source) = wrap(Fake::new("mail", &["send", "read", "drop"]).pace(40), &LIMIT);
    let start = Instant::now();
    assert_snapshot!(list(&*source).await, @"mail/send, mail/read, error: source `mail`: listing timed out after 100 ms");
    assert_eq!(start.elapsed(), LIMIT.0);
}

#[tokio::test(start_paused = true)]
async fn a_slow_loading_ends() {
    let (_, source) = wrap(Fake::new("mail", &["send"]).pace(101), &LIMIT);
    assert_snapshot!(load(&*source, "send").await, @"error: source `mail`: loading `send` timed out after 100 ms");
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_ends() {
    let (_, source) = wrap(Fake::new("mail", &["send"]).pace(101), &LIMIT);
    let start = Instant::now();
    assert_snapshot!(call(&*source, "send").await, @"error: source `mail`: `send` timed out after 100 ms");
    assert_eq!(start.elapsed(), LIMIT.0);
}

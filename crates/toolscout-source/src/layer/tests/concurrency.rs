//! 1. There are no more concurrent calls than allowed.
//! 2. A call that waits too long in the queue times out.
//! 3. A dropped call releases its permit.

use super::{Fake, call, call_within, cx, wrap};
use crate::layer::Concurrency;
use futures_util::FutureExt;
use futures_util::future::join_all;
use insta::assert_snapshot;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn no_more_calls_at_once_than_allowed() {
    let (fake, source) = wrap(Fake::new("mail", &["send"]).pace(10), &Concurrency(3));
    let start = Instant::now();
    let answers = join_all((0..9).map(|_| call(&*source, "send"))).await;
    assert_eq!(answers, ["send of mail"; 9]);
    assert_eq!(fake.busiest.load(SeqCst), 3);
    assert_eq!(start.elapsed(), Duration::from_millis(30));
}

#[tokio::test(start_paused = true)]
async fn none_at_once_means_one_at_once() {
    let (fake, source) = wrap(Fake::new("mail", &["send"]).pace(10), &Concurrency(0));
    join_all((0..3).map(|_| call(&*source, "send"))).await;
    assert_eq!(fake.busiest.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_queued_until_its_deadline_times_out() {
    let (fake, source) = wrap(Fake::new("mail", &["send"]).pace(60_000), &Concurrency(1));
    let hurried = call_within(&*source, "send", cx().within(Duration::from_secs(30)));
    let (first, second) = futures_util::future::join(call(&*source, "send"), hurried).await;
    assert_snapshot!(first, @"send of mail");
    assert!(
        second.starts_with("error: source `mail`: waiting to call `send` timed out after 29"),
        "{second}"
    );
    assert_snapshot!(fake.log(), @"call send");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_releases_its_permit() {
    let (_, source) = wrap(Fake::new("mail", &["send"]).pace(10), &Concurrency(1));
    let mut dropped = Box::pin(call(&*source, "send"));
    assert!((&mut dropped).now_or_never().is_none());
    drop(dropped);
    assert_snapshot!(call(&*source, "send").await, @"send of mail");
}

//! 1. Listing and loading are asked again.
//! 2. Calls only where the tool says it does no harm.
//! 3. Waits double, and end with the attempts or the request.
//! 4. Only what may pass by itself is tried again.

use super::{Failure, Fake, call, call_within, cx, list, load, problem, wrap};
use crate::layer::{Retry, Timeout};
use insta::assert_snapshot;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::Layer;

const THRICE: Retry = Retry { attempts: 3, delay: Duration::from_millis(100) };

fn readable() -> Fake {
    Fake::new("mail", &["read"]).annotated(json!({"readOnlyHint": true}))
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_only_reads_is_called_again_after_growing_waits() {
    let (fake, source) = wrap(readable().failing("call", 2, Failure::Unavailable), &THRICE);
    let start = Instant::now();
    assert_snapshot!(call(&*source, "read").await, @"read of mail");
    assert_eq!(start.elapsed(), Duration::from_millis(100 + 200));
    assert_snapshot!(fake.log(), @"call read, load read, call read, load read, call read");
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_said_when_the_attempts_are_used_up() {
    let (fake, source) = wrap(readable().failing("call", 9, Failure::Unavailable), &THRICE);
    assert_snapshot!(call(&*source, "read").await, @"error: source `mail`: out of reach");
    assert_snapshot!(fake.log(), @"call read, load read, call read, load read, call read");
}

#[tokio::test(start_paused = true)]
async fn a_tool_for_which_twice_is_as_once_is_called_again() {
    let fake = Fake::new("mail", &["put"]).annotated(json!({"readOnlyHint": false, "idempotentHint": true}));
    let (_, source) = wrap(fake.failing("call", 1, Failure::Unavailable), &THRICE);
    assert_snapshot!(call(&*source, "put").await, @"put of mail");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_may_do_harm_is_called_once() {
    for annotations in [json!({}), json!({"readOnlyHint": "true"}), json!(null), json!([true])] {
        let fake = Fake::new("mail", &["send"]).annotated(annotations).failing("call", 1, Failure::Unavailable);
        let (fake, source) = wrap(fake, &THRICE);
        assert_eq!(call(&*source, "send").await, "error: source `mail`: out of reach");
        assert_eq!(fake.log(), "call send, load send");
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_by_itself_is_not_tried_again() {
    for failure in [Failure::Refused, Failure::Garbled] {
        let (fake, source) = wrap(readable().failing("call", 1, failure), &THRICE);
        assert!(call(&*source, "read").await.starts_with("error: "));
        assert_eq!(fake.log(), "call read");
        let (fake, source) = wrap(readable().failing("load", 1, failure), &THRICE);
        assert!(load(&*source, "read").await.starts_with("error: "));
        assert_eq!(fake.log(), "load read");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_outlast_the_request_is_not_begun() {
    let (fake, source) = wrap(readable().failing("call", 9, Failure::Unavailable), &THRICE);
    let start = Instant::now();
    let answer = call_within(&*source, "read", cx().within(Duration::from_millis(50))).await;
    assert_snapshot!(answer, @"error: source `mail`: out of reach");
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_snapshot!(fake.log(), @"call read, load read");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_took_too_long_is_tried_again() {
    let (_, source) = wrap(readable().failing("call", 1, Failure::TooSlow), &THRICE);
    assert_snapshot!(call(&*source, "read").await, @"read of mail");
}

#[tokio::test(start_paused = true)]
async fn each_attempt_has_the_whole_time_of_a_limit_inside() {
    let (fake, source) = wrap(readable().pace(11), &Timeout(Duration::from_millis(10)));
    let start = Instant::now();
    let answer = load(&*THRICE.layer(source), "read").await;
    assert_snapshot!(answer, @"error: source `mail`: loading `read` took longer than 10 ms");
    assert_eq!(start.elapsed(), Duration::from_millis(10 + 100 + 10 + 200 + 10));
    assert_snapshot!(fake.log(), @"load read, load read, load read");
}

#[tokio::test(start_paused = true)]
async fn loading_is_always_tried_again() {
    let (_, source) = wrap(Fake::new("mail", &["send"]).failing("load", 2, Failure::Unavailable), &THRICE);
    assert_snapshot!(load(&*source, "send").await, @"mail/send");
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_breaks_off_begins_anew_and_says_its_problems_once() {
    let fake = Fake { problem: Some(problem("a file is broken")), ..Fake::new("mail", &["send", "read"]) };
    let (fake, source) = wrap(fake.failing("list", 1, Failure::Unavailable), &THRICE);
    assert_snapshot!(list(&*source).await, @"problem: a file is broken, mail/send, mail/send, mail/read");
    assert_snapshot!(fake.log(), @"list, list");
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_cannot_be_had_ends_with_its_error() {
    let (fake, source) = wrap(Fake::new("mail", &["send"]).failing("list", 9, Failure::Unavailable), &THRICE);
    assert_snapshot!(list(&*source).await, @"mail/send, mail/send, mail/send, error: source `mail`: out of reach");
    assert_snapshot!(fake.log(), @"list, list, list");
}

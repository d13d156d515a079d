//! 1. Listing and loading are retried.
//! 2. Calls are retried only if the tool is marked as harmless.
//! 3. Waits double, and end with the attempts or the request.
//! 4. Only transient errors are retried.
//! 5. A busy source gets no request for the time it states, or for a long default.
//! 6. Every wait is in the log.

use super::{Failure, Fake, call, call_within, cx, list, load, problem, wrap};
use crate::layer::{Retry, Timeout};
use insta::assert_snapshot;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::Layer;

const THRICE: Retry = Retry { attempts: 3, delay: Duration::from_millis(100), jitter: || 0.0 };

fn readable() -> Fake {
    Fake::new("mail", &["read"]).annotated(json!({"readOnlyHint": true}))
}

#[tokio::test(start_paused = true)]
async fn calls_of_read_only_tools_are_retried_with_backoff() {
    let (fake, source) = wrap(readable().failing("call", 2, Failure::Unavailable), &THRICE);
    let start = Instant::now();
    assert_snapshot!(call(&*source, "read").await, @"read of mail");
    assert_eq!(start.elapsed(), Duration::from_millis(100 + 200));
    assert_snapshot!(fake.log(), @"call read, load read, call read, load read, call read");
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_returned_after_all_attempts() {
    let (fake, source) = wrap(readable().failing("call", 9, Failure::Unavailable), &THRICE);
    assert_snapshot!(call(&*source, "read").await, @"error: source `mail`: out of reach");
    assert_snapshot!(fake.log(), @"call read, load read, call read, load read, call read");
}

#[tokio::test(start_paused = true)]
async fn calls_of_idempotent_tools_are_retried() {
    let fake = Fake::new("mail", &["put"])
        .annotated(json!({"readOnlyHint": false, "idempotentHint": true}));
    let (_, source) = wrap(fake.failing("call", 1, Failure::Unavailable), &THRICE);
    assert_snapshot!(call(&*source, "put").await, @"put of mail");
}

#[tokio::test(start_paused = true)]
async fn calls_of_other_tools_are_not_retried() {
    for annotations in [json!({}), json!({"readOnlyHint": "true"}), json!(null), json!([true])] {
        let fake = Fake::new("mail", &["send"]).annotated(annotations).failing(
            "call",
            1,
            Failure::Unavailable,
        );
        let (fake, source) = wrap(fake, &THRICE);
        assert_eq!(call(&*source, "send").await, "error: source `mail`: out of reach");
        assert_eq!(fake.log(), "call send, load send");
    }
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_not_retried() {
    for failure in [Failure::Refused, Failure::Garbled, Failure::Login, Failure::Answered] {
        let (fake, source) = wrap(readable().failing("call", 1, failure), &THRICE);
        assert!(call(&*source, "read").await.starts_with("error: "));
        assert_eq!(fake.log(), "call read");
        let (fake, source) = wrap(readable().failing("load", 1, failure), &THRICE);
        assert!(load(&*source, "read").await.starts_with("error: "));
        assert_eq!(fake.log(), "load read");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_deadline_is_not_started() {
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
async fn an_inner_time_limit_applies_to_each_attempt() {
    let (fake, source) = wrap(readable().pace(11), &Timeout(Duration::from_millis(10)));
    let start = Instant::now();
    let answer = load(&*THRICE.layer(source), "read").await;
    assert_snapshot!(answer, @"error: source `mail`: loading `read` timed out after 10 ms");
    assert_eq!(start.elapsed(), Duration::from_millis(10 + 100 + 10 + 200 + 10));
    assert_snapshot!(fake.log(), @"load read, load read, load read");
}

#[tokio::test(start_paused = true)]
async fn loading_is_always_tried_again() {
    let (_, source) =
        wrap(Fake::new("mail", &["send"]).failing("load", 2, Failure::Unavailable), &THRICE);
    assert_snapshot!(load(&*source, "send").await, @"mail/send");
}

#[tokio::test(start_paused = true)]
async fn a_restarted_listing_reports_each_diagnostic_once() {
    let fake =
        Fake { problem: Some(problem("a file is broken")), ..Fake::new("mail", &["send", "read"]) };
    let (fake, source) = wrap(fake.failing("list", 1, Failure::Unavailable), &THRICE);
    assert_snapshot!(list(&*source).await, @"problem: a file is broken, mail/send, mail/send, mail/read");
    assert_snapshot!(fake.log(), @"list, list");
}

#[tokio::test(start_paused = true)]
async fn a_failed_listing_ends_with_its_error() {
    let (fake, source) =
        wrap(Fake::new("mail", &["send"]).failing("list", 9, Failure::Unavailable), &THRICE);
    assert_snapshot!(list(&*source).await, @"mail/send, mail/send, mail/send, error: source `mail`: out of reach");
    assert_snapshot!(fake.log(), @"list, list, list");
}

/// O-09: a source that is unavailable twice answers the third time; the waits are in the log, and
/// grow.
#[tokio::test(start_paused = true)]
async fn every_wait_is_in_the_log() {
    let log = Log::default();
    let _listening = log.listen();
    let (_, source) = wrap(
        readable().failing("call", 2, Failure::Unavailable),
        &Retry { jitter: || 0.5, ..THRICE },
    );
    assert_snapshot!(call(&*source, "read").await, @"read of mail");
    assert_snapshot!(log.retries(), @r"
    mail, attempt 2 in 110 ms: source `mail`: out of reach
    mail, attempt 3 in 220 ms: source `mail`: out of reach
    ");
}

/// O-09: a request without a login is not retried, and nothing is logged.
#[tokio::test(start_paused = true)]
async fn a_login_error_is_not_retried() {
    let log = Log::default();
    let _listening = log.listen();
    for what in ["call", "load", "list"] {
        let (fake, source) = wrap(readable().failing(what, 1, Failure::Login), &THRICE);
        let answers = match what {
            "call" => call(&*source, "read").await,
            "load" => load(&*source, "read").await,
            _ => list(&*source).await,
        };
        assert!(answers.ends_with("error: source `mail`: log in first"), "{answers}");
        assert_eq!(fake.log().split(", ").count(), 1);
    }
    assert_snapshot!(log.retries(), @"");
}

/// The total wait for two failures.
async fn waited(retry: &Retry, failure: Failure) -> u128 {
    let (_, source) = wrap(Fake::new("mail", &["send"]).failing("load", 2, failure), retry);
    let start = Instant::now();
    load(&*source, "send").await;
    start.elapsed().as_millis()
}

/// O-09: a source that reports a rate limit gets no request for a long time.
#[tokio::test(start_paused = true)]
async fn a_busy_source_without_a_stated_time_gets_a_long_wait() {
    assert_eq!(waited(&THRICE, Failure::Busy(None)).await, 5_000 + 10_000);
    let slow = Retry { delay: Duration::from_secs(7), ..THRICE };
    assert_eq!(waited(&slow, Failure::Busy(None)).await, 7_000 + 14_000);
}

#[tokio::test(start_paused = true)]
async fn a_busy_source_is_retried_after_the_time_it_states() {
    assert_eq!(waited(&THRICE, Failure::Busy(Some(3))).await, 3_000 + 3_000);
    assert_eq!(waited(&THRICE, Failure::Busy(Some(0))).await, 100 + 200);
    assert_eq!(waited(&THRICE, Failure::Busy(Some(60))).await, 60_000 + 60_000);
    let late = Retry { jitter: || 1.0, ..THRICE };
    assert_eq!(waited(&late, Failure::Busy(Some(3))).await, 3_600 + 3_600);
    assert_eq!(waited(&late, Failure::Busy(Some(60))).await, 60_000 + 60_000);
}

/// Hostile mode http_flap: the source demands a wait of ten years, so the caller gets the error at
/// once.
#[tokio::test(start_paused = true)]
async fn a_source_that_demands_more_than_the_maximum_wait_is_not_retried() {
    for seconds in [61, 3_600, u64::MAX] {
        assert_eq!(waited(&THRICE, Failure::Busy(Some(seconds))).await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn no_wait_for_a_busy_source_exceeds_the_deadline() {
    for failure in [Failure::Busy(Some(30)), Failure::Busy(None)] {
        let (fake, source) = wrap(readable().failing("call", 1, failure), &THRICE);
        let start = Instant::now();
        let answer = call_within(&*source, "read", cx().within(Duration::from_secs(4))).await;
        assert_eq!(answer, "error: source `mail`: too many requests");
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert_eq!(fake.log(), "call read, load read");
    }
}

#[tokio::test(start_paused = true)]
async fn unsafe_calls_of_a_busy_source_are_not_retried() {
    let (fake, source) =
        wrap(Fake::new("mail", &["send"]).failing("call", 1, Failure::Busy(None)), &THRICE);
    assert_snapshot!(call(&*source, "send").await, @"error: source `mail`: too many requests");
    assert_snapshot!(fake.log(), @"call send, load send");
}

#[tokio::test(start_paused = true)]
async fn jitter_adds_at_most_a_fifth() {
    for _ in 0..50 {
        let waited = waited(&Retry::default(), Failure::Unavailable).await;
        assert!((300..=360 + 2).contains(&waited), "{waited}");
    }
    for (jitter, expected) in [((|| -1.0) as fn() -> f64, 300), (|| 9.0, 360), (|| f64::NAN, 300)] {
        assert_eq!(waited(&Retry { jitter, ..THRICE }, Failure::Unavailable).await, expected);
    }
}

/// The log as JSON lines.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log of this thread until the guard is dropped.
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        // With a single subscriber, `tracing` caches whether a callsite is enabled from the first
        // thread that reaches it, which is mostly a thread of another test.
        static SECOND: OnceLock<tracing::Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| tracing_subscriber::fmt().with_writer(io::sink).finish().into());
        let log = self.clone();
        tracing::subscriber::set_default(
            tracing_subscriber::fmt().json().with_writer(move || log.clone()).finish(),
        )
    }

    fn retries(&self) -> String {
        let text = String::from_utf8(self.0.lock().clone()).unwrap();
        let logged =
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["fields"].clone());
        let retries = logged.filter(|value| value["event"] == "retry").map(|value| {
            let word = |key: &str| value[key].as_str().unwrap().to_owned();
            format!(
                "{}, attempt {} in {} ms: {}",
                word("server"),
                value["attempt"],
                value["delay_ms"],
                word("reason")
            )
        });
        retries.collect::<Vec<_>>().join("\n")
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! The deadline of a call while a reverse request is pending.

use super::{Cx, PausableDeadline};
use std::time::Duration;
use tokio::time::Instant;

fn at(seconds: u64, start: Instant) -> Instant {
    start + Duration::from_secs(seconds)
}

/// A call always ends: after its own time limit, plus five minutes for all reverse requests
/// together.
#[test]
fn a_deadline_pauses_for_reverse_requests_up_to_a_limit() {
    let now = Instant::now();
    let mut clock = PausableDeadline {
        due: at(60, now),
        remaining: Cx::REVERSE_REQUEST_LIMIT,
        paused_since: None,
    };
    assert_eq!(clock.current(), at(60, now));
    clock.paused_since = now.checked_sub(Duration::from_secs(200));
    assert_eq!(clock.current(), at(360, now), "the deadline moves during a reverse request");
    clock.resume();
    assert!(
        clock.current() >= at(260, now) && clock.current() < at(262, now),
        "the deadline moves by 200 seconds"
    );
    clock.paused_since = now.checked_sub(Duration::from_secs(4_000));
    clock.resume();
    assert_eq!(clock.current(), at(360, now));
    clock.pause();
    assert_eq!(clock.current(), at(360, now), "the time for reverse requests is used up");
}

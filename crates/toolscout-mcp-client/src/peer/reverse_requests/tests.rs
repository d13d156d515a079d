//! The deadline of a call while a reverse request is pending.

use super::{Cx, PausableDeadline};
use std::time::Duration;
use tokio::time::Instant;

fn at(seconds: u64, begun: Instant) -> Instant {
    begun + Duration::from_secs(seconds)
}

/// A call always ends: after its own time limit, plus five minutes for all reverse requests
/// together.
#[test]
fn a_deadline_waits_for_people_but_not_for_ever() {
    let now = Instant::now();
    let mut clock = PausableDeadline { due: at(60, now), left: Cx::THINKING, since: None };
    assert_eq!(clock.end(), at(60, now));
    clock.since = now.checked_sub(Duration::from_secs(200));
    assert_eq!(clock.end(), at(360, now), "while they think");
    clock.go_on();
    assert!(clock.end() >= at(260, now) && clock.end() < at(262, now), "200 seconds later");
    clock.since = now.checked_sub(Duration::from_secs(4_000));
    clock.go_on();
    assert_eq!(clock.end(), at(360, now));
    clock.stop();
    assert_eq!(clock.end(), at(360, now), "nothing is left");
}

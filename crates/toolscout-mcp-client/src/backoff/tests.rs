use super::*;

/// The number of starts within this time if the server always fails after `up`, having answered
/// `calls`.
fn starts_within(time: Duration, up: Duration, calls: usize) -> usize {
    let mut backoff = Backoff::default();
    let begin = Instant::now();
    let (mut now, mut count) = (begin, 0);
    while now < begin + time {
        count += 1;
        backoff.started(now);
        now += up;
        now = backoff.failed(now, up, calls, 0.5);
    }
    count
}

#[test]
fn a_server_that_dies_at_once_is_started_a_few_times_only() {
    assert!(starts_within(Duration::from_secs(60), Duration::ZERO, 0) <= 7);
    assert!(starts_within(Duration::from_secs(600), Duration::ZERO, 0) <= 13);
    assert!(starts_within(Duration::from_secs(3_600), Duration::ZERO, 0) <= 21);
}

#[test]
fn a_handshake_does_not_make_a_server_healthy() {
    assert!(starts_within(Duration::from_secs(600), Duration::from_millis(20), 0) <= 13);
    assert!(starts_within(Duration::from_secs(600), Duration::from_millis(20), 1) <= 13);
}

#[test]
fn the_first_wait_is_short_and_the_waits_grow() {
    let mut backoff = Backoff::default();
    let now = Instant::now();
    let waits: Vec<_> =
        (0..12).map(|_| backoff.failed(now, Duration::ZERO, 0, 0.0) - now).collect();
    assert_eq!(waits[..4], [500, 1_000, 2_000, 4_000].map(Duration::from_millis));
    assert_eq!(waits[11], LONGEST);
}

#[test]
fn a_healthy_minute_with_a_call_starts_afresh() {
    let mut backoff = Backoff::default();
    let now = Instant::now();
    for _ in 0..8 {
        backoff.failed(now, Duration::ZERO, 0, 0.0);
    }
    assert!(backoff.failed(now, HEALTHY, 0, 0.0) - now > Duration::from_secs(60));
    assert_eq!(backoff.failed(now, HEALTHY, 1, 0.0) - now, FIRST);
}

use super::*;

/// The number of starts within this time if the server always fails after `uptime`, having answered
/// `calls`.
fn starts_within(time: Duration, uptime: Duration, calls: usize) -> usize {
    let mut backoff = Backoff::default();
    let start = Instant::now();
    let (mut now, mut count) = (start, 0);
    while now < start + time {
        count += 1;
        backoff.started(now);
        now += uptime;
        now = backoff.failed(now, uptime, calls, 0.5);
    }
    count
}

#[test]
fn a_server_that_exits_at_once_is_started_only_a_few_times() {
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
fn the_first_delay_is_short_and_delays_grow() {
    let mut backoff = Backoff::default();
    let now = Instant::now();
    let delays: Vec<_> =
        (0..12).map(|_| backoff.failed(now, Duration::ZERO, 0, 0.0) - now).collect();
    assert_eq!(delays[..4], [500, 1_000, 2_000, 4_000].map(Duration::from_millis));
    assert_eq!(delays[11], LONGEST_DELAY);
}

#[test]
fn a_healthy_minute_with_a_call_resets_the_backoff() {
    let mut backoff = Backoff::default();
    let now = Instant::now();
    for _ in 0..8 {
        backoff.failed(now, Duration::ZERO, 0, 0.0);
    }
    assert!(backoff.failed(now, HEALTHY_UPTIME, 0, 0.0) - now > Duration::from_secs(60));
    assert_eq!(backoff.failed(now, HEALTHY_UPTIME, 1, 0.0) - now, FIRST_DELAY);
}

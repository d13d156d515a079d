//! 1. A change and a follow-up change are listed at once.
//! 2. For every timing of changes, a minute of pauses has no more listings than pauses.
//! 3. A server that was quiet is listed at once again.

use super::ListingPace;
use std::time::{Duration, Instant};

const APART: Duration = Duration::from_secs(5);

/// Lists at each of these times (in milliseconds), as soon as permitted; returns the times of the
/// listings.
fn lists(wanted: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let begun = Instant::now();
    let mut pace = ListingPace::new(APART);
    let mut now = begun;
    let mut made = Vec::new();
    for at in wanted {
        now = now.max(begun + Duration::from_millis(at));
        now = pace.due(now).unwrap_or(now);
        pace.listed(now);
        made.push(u64::try_from((now - begun).as_millis()).unwrap_or(u64::MAX));
    }
    made
}

/// The largest number within one minute.
fn most_in_a_minute(made: &[u64]) -> usize {
    made.iter()
        .map(|from| made.iter().filter(|it| (*from..from + 60_000).contains(it)).count())
        .max()
        .unwrap_or(0)
}

#[test]
fn the_first_lists_are_made_at_once_and_the_next_ones_with_pauses() {
    assert_eq!(lists([0, 10, 20, 30, 40, 50]), [0, 10, 20, 5_020, 10_020, 15_020]);
}

#[test]
fn the_early_ones_are_made_up_for_within_a_minute() {
    let made = lists([0; 16]);
    assert_eq!(made[11..], [45_000, 60_000, 60_000, 60_000, 65_000]);
}

#[test]
fn a_server_that_fell_quiet_is_listed_at_once_again() {
    assert_eq!(lists([0, 0, 0, 11_000, 11_000, 11_000]), [0, 0, 0, 11_000, 11_000, 11_000]);
    assert_eq!(lists([0, 30_000, 60_000, 90_000, 120_000]), [0, 30_000, 60_000, 90_000, 120_000]);
}

#[test]
fn no_minute_has_more_than_twelve_lists() {
    for every in [0, 1, 100, 1_000, 2_500, 4_000, 4_900, 5_000, 7_000, 12_000, 16_000] {
        let made = lists((0..400).map(|it| it * every));
        assert!(
            most_in_a_minute(&made) <= 12,
            "every {every} ms: {} in a minute",
            most_in_a_minute(&made)
        );
    }
    // Bursts, with pauses of every length around the one that permits the most listings.
    for pause in (5_000..40_000).step_by(250) {
        let made = lists((0..60).map(|it| it / 3 * pause + it % 3 * 400));
        assert!(
            most_in_a_minute(&made) <= 12,
            "bursts every {pause} ms: {}",
            most_in_a_minute(&made)
        );
    }
}

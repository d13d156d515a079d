//! 1. A change and a follow-up change are listed at once.
//! 2. For every timing of changes, a minute of pauses has no more listings than pauses.
//! 3. A server that was quiet is listed at once again.

use super::ListingPace;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(5);

/// Lists at each of these times (in milliseconds), as soon as permitted; returns the times of the
/// listings.
fn listing_times(requests: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let start = Instant::now();
    let mut pace = ListingPace::new(INTERVAL);
    let mut now = start;
    let mut listings = Vec::new();
    for at in requests {
        now = now.max(start + Duration::from_millis(at));
        now = pace.due(now).unwrap_or(now);
        pace.listed(now);
        listings.push(u64::try_from((now - start).as_millis()).unwrap_or(u64::MAX));
    }
    listings
}

/// The largest number within one minute.
fn max_per_minute(listings: &[u64]) -> usize {
    listings
        .iter()
        .map(|from| listings.iter().filter(|item| (*from..from + 60_000).contains(item)).count())
        .max()
        .unwrap_or(0)
}

#[test]
fn the_first_listings_start_at_once_and_later_ones_after_pauses() {
    assert_eq!(listing_times([0, 10, 20, 30, 40, 50]), [0, 10, 20, 5_020, 10_020, 15_020]);
}

#[test]
fn the_burst_counts_toward_the_limit_per_minute() {
    let listings = listing_times([0; 16]);
    assert_eq!(listings[11..], [45_000, 60_000, 60_000, 60_000, 65_000]);
}

#[test]
fn a_quiet_server_is_listed_at_once_again() {
    assert_eq!(listing_times([0, 0, 0, 11_000, 11_000, 11_000]), [0, 0, 0, 11_000, 11_000, 11_000]);
    assert_eq!(
        listing_times([0, 30_000, 60_000, 90_000, 120_000]),
        [0, 30_000, 60_000, 90_000, 120_000]
    );
}

#[test]
fn no_minute_has_more_than_twelve_listings() {
    for every in [0, 1, 100, 1_000, 2_500, 4_000, 4_900, 5_000, 7_000, 12_000, 16_000] {
        let listings = listing_times((0..400).map(|index| index * every));
        assert!(
            max_per_minute(&listings) <= 12,
            "every {every} ms: {} in a minute",
            max_per_minute(&listings)
        );
    }
    // Bursts, with pauses of every length around the one that permits the most listings.
    for pause in (5_000..40_000).step_by(250) {
        let listings = listing_times((0..60).map(|index| index / 3 * pause + index % 3 * 400));
        assert!(
            max_per_minute(&listings) <= 12,
            "bursts every {pause} ms: {}",
            max_per_minute(&listings)
        );
    }
}

//! Moments as text.

use super::*;

#[test]
fn moments_are_shown_as_rfc_3339() {
    let shown = |seconds: u64| Moment(seconds * 1_000).to_string();
    assert_eq!(Moment(0).to_string(), "1970-01-01T00:00:00.000Z");
    assert_eq!(Moment(951_827_696_789).to_string(), "2000-02-29T12:34:56.789Z");
    assert_eq!(shown(1_709_164_799), "2024-02-28T23:59:59.000Z");
    assert_eq!(shown(1_709_164_800), "2024-02-29T00:00:00.000Z");
    assert_eq!(shown(4_107_542_399), "2100-02-28T23:59:59.000Z");
    assert_eq!(shown(4_107_542_400), "2100-03-01T00:00:00.000Z");
}

#[test]
fn age_is_zero_if_the_clock_was_set_back() {
    let (early, late) = (Moment(1_000), Moment(5_000));
    assert_eq!(early.age(late), Duration::from_secs(4));
    assert_eq!(late.age(early), Duration::ZERO);
}

use super::*;
use std::time::UNIX_EPOCH;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

#[test]
fn seconds_and_dates_are_understood_and_nothing_else() {
    assert_eq!(parse(" 7 ", at(0)), Some(Duration::from_secs(7)));
    assert_eq!(
        parse("Sun, 06 Nov 1994 08:49:37 GMT", at(784_111_777 - 90)),
        Some(Duration::from_secs(90))
    );
    assert_eq!(
        parse("Thu, 29 Feb 2024 00:00:01 GMT", at(1_709_164_800)),
        Some(Duration::from_secs(1))
    );
    for odd in [
        "",
        "-1",
        "soon",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 99 Foo 1994 08:49:37 GMT",
        "a b c d e GMT",
    ] {
        assert_eq!(parse(odd, at(0)), None, "{odd}");
    }
}

#[test]
fn the_retry_delay_is_limited_and_never_negative() {
    assert_eq!(parse("315360000", at(0)), Some(LONGEST));
    assert_eq!(parse("Fri, 31 Dec 9999 23:59:59 GMT", at(0)), Some(LONGEST));
    assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", at(2_000_000_000)), Some(Duration::ZERO));
}

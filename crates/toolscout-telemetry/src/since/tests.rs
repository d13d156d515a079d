//! Ages and times.

use super::*;

fn shown(text: &str) -> Option<String> {
    read(text, Moment(1_000_000_000_000)).ok().map(|value| value.to_string())
}

#[test]
fn ages_and_times_are_parsed() {
    assert_eq!(shown("1s").as_deref(), Some("2001-09-09T01:46:39.000Z"));
    assert_eq!(shown("2h").as_deref(), Some("2001-09-08T23:46:40.000Z"));
    assert_eq!(shown("1w").as_deref(), Some("2001-09-02T01:46:40.000Z"));
    assert_eq!(shown("2026-07-28").as_deref(), Some("2026-07-28T00:00:00.000Z"));
    assert_eq!(shown("2024-02-29T12:34").as_deref(), Some("2024-02-29T12:34:00.000Z"));
    assert_eq!(shown("2000-03-01T00:00:00.5Z").as_deref(), Some("2000-03-01T00:00:00.500Z"));
    assert_eq!(shown("2026-07-28T01:00:00+02:00").as_deref(), Some("2026-07-27T23:00:00.000Z"));
    assert_eq!(shown("2026-07-28 23:00:00-02:30").as_deref(), Some("2026-07-29T01:30:00.000Z"));
}

#[test]
fn invalid_times_are_errors() {
    for wrong in [
        "",
        "h",
        "-1h",
        "yesterday",
        "2026-13-01",
        "2026-7",
        "1969-01-01",
        "2026-07-28T25:00",
        "9é",
        "+1d",
    ] {
        assert_eq!(shown(wrong), None, "{wrong}");
    }
    assert!(shown("99999999999999999999d").is_none());
}

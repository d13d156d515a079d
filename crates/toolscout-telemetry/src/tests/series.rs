//! Usage over time is counted in the right bucket, and in bounded memory.

use super::counting::{STORY, lines};
use crate::stats::series::{SeriesQuery, ServerState, Uptime, UsageSeries, series_of};
use toolscout_core::Moment;

/// The time of second 0 in a story: 2023-11-14T22:13:20Z.
const START: u64 = 1_700_000_000_000;

fn query(from: &str, bucket: &str) -> SeriesQuery {
    SeriesQuery { from: Some(from.to_owned()), to: None, bucket: Some(bucket.to_owned()) }
}

fn series(lines: &[String], query: &SeriesQuery, second: u64) -> UsageSeries {
    let now = Moment(START + second * 1_000);
    series_of(lines.iter().map(String::as_str), query, now).expect("a valid query")
}

#[test]
fn calls_and_searches_are_counted_in_the_bucket_of_their_start() {
    let series = series(&lines(STORY), &query("30m", "10m"), 1_500);
    assert_eq!((series.from.as_str(), series.bucket_seconds), ("2023-11-14T22:00:00.000Z", 600));
    let buckets: Vec<_> = series
        .buckets
        .iter()
        .map(|bucket| (bucket.calls, bucket.failures, bucket.refused, bucket.searches))
        .collect();
    // From 22:00, 22:10, 22:20 and 22:30 to 22:38:20. Second 700 is in 22:25.
    assert_eq!(buckets, [(0, 0, 0, 0), (7, 2, 1, 6), (0, 0, 0, 1), (1, 0, 0, 0)]);
    assert_eq!((series.buckets[0].p50_ms, series.buckets[0].p95_ms), (None, None));
    let p95 = series.buckets[1].p95_ms.expect("durations");
    assert!((p95 / 5_000.0 - 1.0).abs() < 0.1, "{p95}");
    let tools: Vec<_> = series.tools.iter().map(|tool| (tool.tool.as_str(), tool.calls)).collect();
    assert_eq!(tools, [("mail/send", 4), ("files/read", 3), ("mail/read", 1)]);
}

#[test]
fn uptime_is_observed_in_discoveries_and_calls() {
    let mut all = lines(STORY);
    for (at, error) in [("22:01:00", r#","error":"no such file""#), ("22:31:00", "")] {
        all.push(format!(
            r#"{{"n":99,"at":"2023-11-14T{at}.000Z","kind":"discovery","source":"git","tools":1,"cacheMiss":true,"changed":false{error}}}"#
        ));
    }
    let series = series(&all, &query("30m", "10m"), 1_500);
    let server =
        |name: &str| series.servers.iter().find(|server| server.source == name).expect("a server");
    use Uptime::{Down, Mixed, Unknown, Up};
    assert_eq!(server("git").uptime, [Down, Unknown, Unknown, Up]);
    assert_eq!(server("git").state, ServerState::Up);
    assert_eq!(server("git").last_error.as_deref(), Some("no such file"));
    // One call of `mail` timed out between others that succeeded.
    assert_eq!(server("mail").uptime, [Unknown, Mixed, Unknown, Unknown]);
    assert_eq!((server("mail").calls, server("mail").failures), (5, 1));
    assert_eq!(server("mail").latency.len(), 1);
    // A refused call says nothing about the server.
    assert_eq!(server("files").uptime, [Unknown, Up, Unknown, Up]);
    let order: Vec<_> = series.servers.iter().map(|server| server.source.as_str()).collect();
    assert_eq!(order, ["mail", "files", "git"]);
}

/// It did not reach the server: neither its duration nor its end says anything about it.
#[test]
fn a_call_that_waits_for_an_approval_is_neither_latency_nor_uptime() {
    let story = "0 agent one call bank/pay pending 60000";
    let series = series(&lines(story), &query("30m", "10m"), 60);
    let bank = series.servers.iter().find(|server| server.source == "bank").expect("the server");
    assert_eq!((bank.calls, bank.latency.len()), (1, 0));
    assert_eq!(bank.state, ServerState::Unknown);
    assert!(series.buckets.iter().all(|bucket| bucket.p50_ms.is_none()));
}

#[test]
fn savings_count_for_the_day_on_which_a_session_started() {
    let story = "
        0 agent one list 300 of 5000
        7000 agent one search mail: mail/send
        7000 agent one answer 400
        7200 agent two list 300 of 5000
        7300 agent three search mail: mail/send
        7300 agent three answer 100
    ";
    let series = series(&lines(story), &query("3h", "1h"), 8_000);
    let days: Vec<_> = series
        .days
        .iter()
        .map(|day| (day.day.as_str(), day.sessions, day.measured_sessions, day.saved_tokens))
        .collect();
    assert_eq!(days, [("2023-11-14", 1, 1, Some(4_300)), ("2023-11-15", 2, 1, Some(4_700))]);
    assert_eq!((series.savings.tokens, series.savings.unmeasured_sessions), (Some(9_000), 1));
    // A session that started before the range does not count, and a day without one is unknown.
    let late = super::series::series(&lines(story), &query("1m", "1m"), 7_010);
    assert_eq!((late.days.len(), late.days[0].saved_tokens), (1, None));
    assert_eq!(late.buckets.iter().map(|bucket| bucket.searches).sum::<u64>(), 1);
}

#[test]
fn ranges_have_a_default_and_a_limit() {
    let count = |from: &str| {
        let query = SeriesQuery { from: Some(from.to_owned()), ..SeriesQuery::default() };
        let series = series(&[], &query, 0);
        (series.buckets.len(), series.bucket_seconds)
    };
    assert_eq!(count("1h"), (61, 60));
    assert_eq!(count("24h"), (49, 1_800));
    assert_eq!(count("7d"), (57, 10_800));
    assert_eq!(count("90d"), (91, 86_400));
    let invalid = |from: &str, to: Option<&str>, bucket: &str| {
        let query = SeriesQuery { to: to.map(str::to_owned), ..query(from, bucket) };
        series_of(std::iter::empty(), &query, Moment(START)).expect_err("invalid").to_string()
    };
    assert_eq!(invalid("7d", None, "1m"), "the range has 10081 buckets, more than 500");
    assert_eq!(invalid("1h", Some("2h"), "1m"), "the range of time is empty");
    for bucket in ["0s", "2d", "", "1", "-1h"] {
        let expected = format!("`{bucket}` is not the length of a bucket");
        assert_eq!(invalid("1h", None, bucket), expected);
    }
}

/// Clients choose the names in calls, so neither sources nor tools may fill the output.
#[test]
fn made_up_names_do_not_fill_the_output() {
    let story: String =
        (0..3_000).map(|index| format!("0 agent one call s{index}/t succeeded 1\n")).collect();
    let series = series(&lines(&story), &query("1h", "10m"), 60);
    assert_eq!((series.servers.len(), series.tools.len()), (50, 20));
    assert_eq!(series.buckets.iter().map(|bucket| bucket.calls).sum::<u64>(), 3_000);
}

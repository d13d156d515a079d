//! The sums over a handwritten journal are correct.

use super::count;
use crate::stats::{ToolStats, UsageStats};

/// One line per record: second, client, session, details.
pub(super) const STORY: &str = "
    0 agent one list 300 of 5000
    1 agent one search mail: mail/send mail/read
    1 agent one answer 400
    5 agent one call mail/send succeeded 2000
    8 agent one call mail/send succeeded 10
    9 agent one search fax:
    9 agent one answer 20
    20 agent two list 310 of 5000
    21 agent two search post a letter: mail/send post/send
    21 agent two answer 600
    22 agent two call files/read refused 0
    23 agent two call files/read toolError 7
    30 agent two search mail: mail/send
    30 agent two answer 500
    31 agent two call mail/send succeeded 900
    40 other - call mail/read timedOut 5000
    50 cli - search mail: mail/send
    51 cli - call mail/send succeeded 30
    60 agent two search fax:
    60 agent two answer 20
    700 agent one search late: files/read
    700 agent one answer 100
    1400 agent one call files/read succeeded 3
";

/// A sequence of journal records.
pub(super) fn lines(story: &str) -> Vec<String> {
    let steps = story.lines().map(str::trim).filter(|line| !line.is_empty());
    steps.enumerate().map(|(at, item)| line(at as u64 + 1, item)).collect()
}

fn line(n: u64, steps: &str) -> String {
    let mut words = steps.splitn(5, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (second, client, session, what, rest) = (next(), next(), next(), next(), next());
    let at = toolscout_core::Moment(1_700_000_000_000 + second.parse::<u64>().unwrap() * 1_000);
    let who = match client {
        "cli" => r#""caller":"cli","project":"/p""#.to_owned(),
        name => format!(r#""caller":"mcp","client":"{name}","project":"/p""#),
    };
    let session = if session == "-" { String::new() } else { format!(r#","session":"{session}""#) };
    let what = what_of(what, rest);
    format!(r#"{{"n":{n},"at":"{at}",{who}{session},{what},"prev":"00","hash":"00"}}"#)
}

fn what_of(what: &str, rest: &str) -> String {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match what {
        "list" => format!(
            r#""kind":"context","form":"list","tools":3,"tokens":{},"allTools":90,"allTokens":{}"#,
            words[0], words[2]
        ),
        "answer" => format!(r#""kind":"context","form":"search","tools":1,"tokens":{}"#, words[0]),
        "search" => {
            let (query, hits) = rest.split_once(':').unwrap();
            let hits: Vec<_> = hits
                .split_whitespace()
                .map(|word| format!(r#"{{"id":"{word}","score":0.5}}"#))
                .collect();
            format!(
                r#""kind":"search","query":"{query}","profile":"ranked","hits":[{}]"#,
                hits.join(",")
            )
        }
        _ => {
            let outcome = match words[1] {
                kind @ ("refused" | "timedOut") => {
                    format!(r#""outcome":"failed","errorKind":"{kind}","error":"no""#)
                }
                outcome => format!(r#""outcome":"{outcome}""#),
            };
            format!(
                r#""kind":"call","tool":"{}","arguments":{{}},{outcome},"durationMs":{}"#,
                words[0], words[2]
            )
        }
    }
}

fn stats(story: &str) -> UsageStats {
    count(lines(story).iter().map(String::as_str)).stats()
}

#[test]
fn avoided_tokens_are_all_definitions_minus_list_and_search_tokens() {
    let total = stats(STORY).total;
    assert_eq!((total.sessions, total.list_tokens, total.all_tokens), (4, 610, 10_000));
    assert_eq!(total.search_tokens, 400 + 20 + 600 + 500 + 20 + 100);
    // The savings of sessions without a recorded list are unknown, and count as zero.
    assert_eq!(total.saved_tokens, 10_000 - 610 - 1_640);
    // A client that lists again has one list.
    let again = stats("0 agent one list 300 of 5000\n1 agent one list 200 of 4000");
    assert_eq!((again.total.list_tokens, again.total.saved_tokens), (200, 3_800));
    // If searching costs more than it saves, the sum is negative.
    let dear =
        stats("0 agent one list 300 of 400\n1 agent one search x: a/b\n1 agent one answer 900");
    assert_eq!(dear.total.saved_tokens, -800);
}

#[test]
fn searches_count_as_followed_only_if_a_hit_is_called() {
    let total = stats(STORY).total;
    assert_eq!((total.searches, total.followed, total.not_followed, total.empty), (7, 3, 2, 2));
    let unanswered: Vec<_> = stats(STORY)
        .unanswered_queries
        .into_iter()
        .map(|row| (row.query, row.count, row.empty))
        .collect();
    let expected = [("fax", 2, true), ("late", 1, false), ("post a letter", 1, false)];
    let expected = expected.map(|(query, count, empty)| (query.to_owned(), count, empty));
    assert_eq!(unanswered, expected);
    // Both searches found it; the call follows the later one.
    let twice = stats(
        "0 agent one search a: x/y\n1 agent one search b: x/y\n2 agent one call x/y succeeded 1",
    );
    assert_eq!((twice.total.followed, twice.total.not_followed), (1, 1));
    assert_eq!(twice.unanswered_queries[0].query, "a");
    // A call does not follow a search of another session.
    let apart = stats("0 agent one search a: x/y\n1 agent two call x/y succeeded 1");
    assert_eq!((apart.total.followed, apart.total.not_followed), (0, 1));
}

#[test]
fn calls_failures_and_refusals_are_counted_separately() {
    let stats = stats(STORY);
    let total = &stats.total;
    assert_eq!((total.calls, total.failures, total.refused), (8, 2, 1));
    let send = ToolStats {
        tool: "mail/send".to_owned(),
        calls: 4,
        median_ms: Some(900.0),
        found: 4,
        sessions: 3,
        ..ToolStats::default()
    };
    assert_eq!(stats.tools[0], send);
    assert_eq!(
        (stats.tools[1].tool.as_str(), stats.tools[1].failures, stats.tools[1].refused),
        ("files/read", 1, 1)
    );
}

#[test]
fn the_first_use_of_a_session_and_of_a_server_are_timed() {
    let stats = stats(STORY);
    let agent = stats.clients.iter().find(|client| client.client == "agent").unwrap();
    let first = |session: &str| {
        agent
            .recent_sessions
            .iter()
            .find(|recent| recent.session == session)
            .unwrap()
            .cost
            .first_use_ms
    };
    // From the search in second 1 to the end of the call that began in second 5 and took two
    // seconds.
    assert_eq!(first("one"), Some(6_000.0));
    // The calls in between failed.
    assert_eq!(first("two"), Some(10_900.0));
    let mail = stats.sources.iter().find(|source| source.source == "mail").unwrap();
    assert_eq!(
        (mail.calls, mail.first_call_ms, mail.later_call_ms),
        (5, Some(2_000.0), Some(10.0))
    );
}

#[test]
fn clients_and_sessions_have_their_own_totals() {
    let stats = stats(STORY);
    let clients: Vec<_> = stats
        .clients
        .iter()
        .map(|client| (client.client.as_str(), client.cost.sessions, client.cost.calls))
        .collect();
    assert_eq!(clients, [("agent", 2, 6), ("cli", 1, 1), ("other", 1, 1)]);
    let newest: Vec<_> = stats.clients[0]
        .recent_sessions
        .iter()
        .map(|recent| (recent.session.as_str(), recent.cost.saved_tokens))
        .collect();
    assert_eq!(newest, [("one", 5_000 - 300 - 520), ("two", 5_000 - 310 - 1_120)]);
    assert_eq!((stats.records, stats.token_counting.as_str()), (23, "upper-bound"));
    assert_eq!(stats.since.as_deref(), Some("2023-11-14T22:13:20.000Z"));
    assert_eq!(stats.until.as_deref(), Some("2023-11-14T22:36:40.000Z"));
}

#[test]
fn lost_records_are_noted_and_unknown_kinds_skipped() {
    let mut lines = lines("0 agent one call a/b succeeded 1");
    lines
        .push(r#"{"n":2,"at":"2023-11-14T22:13:21.000Z","kind":"dropped","records":3}"#.to_owned());
    lines.push(
        r#"{"n":3,"at":"2023-11-14T22:13:21.000Z","kind":"of a later version","x":1}"#.to_owned(),
    );
    lines.push("no record".to_owned());
    let stats = count(lines.iter().map(String::as_str)).stats();
    assert_eq!((stats.records, stats.total.calls), (2, 1));
    assert_eq!(stats.notes, ["3 records lost: they could not be written"]);
}

/// A journal that an earlier version wrote counts the same.
#[test]
fn earlier_names_of_kinds_fields_and_outcomes_are_read() {
    let earlier = |line: String| {
        let names = [
            (r#""kind":"context","form""#, r#""kind":"shown","what""#),
            (r#""durationMs""#, r#""tookMs""#),
            (r#""outcome":"succeeded""#, r#""outcome":"done""#),
            (r#""outcome":"toolError""#, r#""outcome":"toolFailed""#),
        ];
        names.iter().fold(line, |line, (new, old)| line.replace(new, old))
    };
    let mut old: Vec<_> = lines(STORY).into_iter().map(earlier).collect();
    assert_eq!(count(old.iter().map(String::as_str)).stats(), stats(STORY));
    old.push(r#"{"n":24,"at":"2023-11-14T22:13:21.000Z","kind":"lost","records":3}"#.to_owned());
    let counted = count(old.iter().map(String::as_str)).stats();
    assert_eq!(counted.notes, ["3 records lost: they could not be written"]);
}

/// Only a bounded number of searches per session waits for calls, however many there are.
#[test]
fn a_session_of_thousands_of_searches_is_counted_incrementally() {
    let story: String = (0..5_000)
        .map(|index| {
            format!("{index} agent one search q{index}: a/b\n{index} agent one answer 10\n")
        })
        .collect();
    let stats = stats(&story);
    assert_eq!(
        (stats.total.searches, stats.total.not_followed, stats.total.search_tokens),
        (5_000, 5_000, 50_000)
    );
    assert_eq!(stats.unanswered_queries.len(), 100);
}

/// Requests of a client without sessions are sessions as long as no pause of 30 minutes divides
/// them. The client keeps its tool list over a pause.
#[test]
fn requests_without_a_session_are_grouped_by_origin_and_time() {
    let story = "
        0 agent - list 300 of 5000
        10 agent - search mail: mail/send
        10 agent - answer 400
        1700 agent - call mail/send succeeded 10
        4000 agent - search mail: mail/send
        4000 agent - answer 500
        4001 other - search mail: mail/send
        4001 other - answer 800
    ";
    let stats = stats(story);
    let sessions: Vec<_> = stats.clients[0]
        .recent_sessions
        .iter()
        .map(|recent| (recent.started.get(11..19).unwrap(), recent.cost.saved_tokens))
        .collect();
    assert_eq!(
        sessions,
        [("23:20:00", 5_000 - 300 - 500), ("22:13:20", 5_000 - 300 - 400)],
        "the second session starts at second 4000"
    );
    let savings = &stats.savings;
    assert_eq!((savings.measured_sessions, savings.unmeasured_sessions), (2, 1));
    // The client that never listed tools is left out of all numbers.
    assert_eq!((savings.compared_with, savings.list_tokens), (10_000, 600));
    assert_eq!((savings.search_tokens, savings.tokens), (900, Some(8_500)));
    assert_eq!((savings.percent, &savings.explanation), (Some(85), &None));
}

#[test]
fn savings_are_absent_if_unknown_and_explained_if_negative() {
    let unknown = stats("0 agent one search x: a/b\n0 agent one answer 900").savings;
    assert_eq!((unknown.tokens, unknown.percent, unknown.unmeasured_sessions), (None, None, 1));
    assert!(!unknown.method.is_empty() && unknown.explanation.is_none());
    let searched =
        stats("0 agent one list 300 of 400\n1 agent one search x: a/b\n1 agent one answer 900");
    assert_eq!(searched.savings.tokens, Some(-800));
    assert!(searched.savings.explanation.is_some_and(|text| text.contains("search results took")));
    let listed = stats("0 agent one list 500 of 400").savings;
    assert!(listed.explanation.is_some_and(|text| text.contains("listed tools take as many")));
    // Commands are not models: what they print costs no context.
    assert_eq!(stats("0 cli - search x: a/b").savings.unmeasured_sessions, 0);
}

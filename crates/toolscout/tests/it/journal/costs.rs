//! Costs and savings are computed from recorded agent sessions.

use crate::serve::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

/// An agent that lists, searches three times, and calls the tools that two of the searches found.
fn work(world: &World) {
    let mut agent = Agent::legacy(world, &[]);
    agent.listed();
    for _ in 0..2 {
        agent.call("tool_search", json!({"query": "send a mail", "max_results": 5}));
        let arguments = json!({"to": "a", "subject": "b", "body": "c"});
        agent.call("execute_tool", json!({"name": "local/send_email", "arguments": arguments}));
    }
    agent.call("tool_search", json!({"query": "zzzz qqqq"}));
    assert_eq!(agent.end().0, 0);
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn avoided_tokens_are_all_definitions_minus_shown_tokens() {
    let world = library();
    work(&world);
    let stats = world.run(&["stats", "--json"]).exits(0).json();
    let total = &stats["total"];
    let of = |key: &str| number(total, key);
    assert_eq!((of("sessions"), of("searches"), of("followed"), of("empty")), (1, 3, 2, 1));
    assert_eq!((of("calls"), of("failures"), of("refused")), (2, 0, 0));
    assert!(of("listTokens") > 100 && of("searchTokens") > 100 && of("allTokens") > 100, "{total}");
    assert_eq!(of("savedTokens"), of("allTokens") - of("listTokens") - of("searchTokens"));
    assert!(total["firstUseMs"].as_f64().is_some_and(|first_use_ms| first_use_ms > 0.0));
    assert_eq!(stats["tokenCounting"], "upper-bound");
    assert_eq!(stats["clients"][0]["client"], "test 1");
    assert_eq!(stats["tools"][0]["tool"], "local/send_email");
    assert_eq!(stats["unansweredQueries"][0]["query"], "zzzz qqqq");
    let page = world.run(&["stats", "--since", "1d"]).exits(0).out;
    for part in [
        "3 searches in 1 session: 2 led to a call",
        "test 1: 1 session, 2 calls",
        "zzzz qqqq: once, nothing found",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(
        world.run(&["stats", "--since", "2999-01-01"]).exits(0).out.starts_with("No records yet.")
    );
}

#[test]
fn the_series_has_the_same_sums_as_the_statistics() {
    let world = library();
    work(&world);
    let stats = world.run(&["stats", "--json"]).exits(0).json();
    let args = ["stats", "series", "--from", "1h", "--bucket", "5m", "--json"];
    let series = world.run(&args).exits(0).json();
    let sum = |key: &str| -> i64 {
        let buckets = series["buckets"].as_array().expect("buckets");
        buckets.iter().map(|bucket| number(bucket, key)).sum()
    };
    assert_eq!((sum("calls"), sum("searches"), sum("failures")), (2, 3, 0));
    assert_eq!(series["savings"], stats["savings"]);
    assert_eq!(series["tools"][0]["tool"], "local/send_email");
    let local = &series["servers"][0];
    assert_eq!((local["source"].as_str(), local["state"].as_str()), (Some("local"), Some("up")));
    let page = world.run(&["stats", "series"]).exits(0).out;
    assert!(page.contains("local: 2 calls, 0 failed, p50 "), "{page}");
    let wrong = world.run(&["stats", "series", "--from", "30d", "--bucket", "1m"]).exits(2);
    assert!(wrong.err.contains("buckets, more than 500"), "{wrong:?}");
}

/// The suggested line of configuration works.
#[test]
fn a_suggested_pin_is_listed_once_configured() {
    let world = library();
    assert!(
        world.run(&["suggest", "pins"]).exits(0).out.starts_with("Nothing to pin: in 0 sessions")
    );
    work(&world);
    let pins = world.run(&["suggest", "pins", "--json"]).exits(0).json();
    let pin = &pins["pins"][0];
    assert_eq!((pin["tool"].as_str(), number(pin, "searches")), (Some("local/send_email"), 2));
    assert_eq!(
        number(pin, "savedTokens"),
        number(pin, "searchTokens") - number(pin, "definitionTokens")
    );
    let page = world.run(&["suggest", "pins"]).exits(0).out;
    let line = page.lines().last().expect("a line").trim();
    assert_eq!(line, "listed = [\"local/send_email\"]");
    let world = world.file("toolscout.toml", line);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(agent.listed().contains(&"local__send_email".to_owned()));
    assert!(world.run(&["suggest", "pins"]).exits(0).out.starts_with("Nothing to pin"));
}

//! 1. The log shows the start and the end of a discovery, with counts, names and duration.
//! 2. Secrets that a configuration refers to are in no log line, span or journal, even if a server
//!    repeats them.

use super::otlp::Receiver;
use crate::world::World;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const LOGGED: [&str; 3] = ["--verbose", "--log-format", "json"];

fn logged<'a>(args: &[&'a str]) -> Vec<&'a str> {
    LOGGED.iter().chain(args).copied().collect()
}

/// E-20
#[test]
fn a_discovery_is_logged_with_counts_names_and_duration() {
    let tools = json!([{"name": "send", "inputSchema": {"type": "object"}}, {"name": "read", "inputSchema": {"type": "object"}}]);
    let world = World::trusted().listing("mail", &tools);
    let outcome = world.run(&logged(&["server", "refresh"])).exits(0);
    let [started] = &outcome.events("tools.discovery.started")[..] else { panic!("{outcome:?}") };
    assert_eq!(started["server"], "mail");
    let [done] = &outcome.events("tools.discovery.succeeded")[..] else { panic!("{outcome:?}") };
    assert_eq!((&done["count"], &done["byServer"]), (&json!(2), &json!({"mail": 2})));
    assert_eq!(done["names"], json!(["send", "read"]));
    assert!(
        done["duration_ms"].as_str().is_some_and(|duration_ms| duration_ms.parse::<u64>().is_ok()),
        "{done}"
    );
}

/// E-20
#[test]
fn a_failed_discovery_is_logged_with_its_error() {
    let words = ["sh", "-c", "echo out of order >&2; exit 3"].map(str::to_owned);
    let world = World::trusted().entry("mail", &words, "");
    let outcome = world.run(&logged(&["server", "refresh"])).exits(3);
    let [failed] = &outcome.events("tools.discovery.failed")[..] else { panic!("{outcome:?}") };
    assert_eq!(failed["server"], "mail");
    assert!(failed["error"].as_str().is_some_and(|error| error.contains("out of order")));
    assert!(outcome.events("tools.discovery.succeeded").is_empty(), "{outcome:?}");
}

#[test]
fn registered_tools_are_logged_by_server() {
    let tools = json!([{"name": "send", "inputSchema": {"type": "object"}}]);
    let world = World::trusted().listing("mail", &tools).echo("tools/a.tool.toml", "alpha", "");
    world.run(&["server", "refresh"]).exits(0);
    let outcome = world.run(&logged(&["tools"])).exits(0);
    let [registered] = &outcome.events("tools_registered")[..] else { panic!("{outcome:?}") };
    assert_eq!(
        (&registered["count"], &registered["servers"]),
        (&json!(2), &json!(["local", "mail"]))
    );
    assert_eq!(registered["byServer"], json!({"local": 1, "mail": 1}));
    let [stats] = &outcome.events("tool_registry_stats")[..] else { panic!("{outcome:?}") };
    assert_eq!((&stats["toolCount"], &stats["expired"]), (&json!(2), &json!(false)));
    assert_eq!(stats["byServer"], json!({"local": ["alpha"], "mail": ["send"]}));
    assert!(stats["cacheAge"].as_i64().is_some_and(|cache_age| cache_age >= 0), "{stats}");
}

/// M-16a: before the discovery, after it, and in a search.
#[test]
fn cache_hits_and_misses_are_logged() {
    let tools = json!([{"name": "send", "inputSchema": {"type": "object"}}]);
    let world = World::trusted().listing("mail", &tools);
    let outcome = world.run(&logged(&["tools"])).exits(0);
    let [missed] = &outcome.events("tool_cache_miss")[..] else { panic!("{outcome:?}") };
    assert_eq!((&missed["server"], &missed["reason"]), (&json!("mail"), &json!("never")));
    assert_eq!((&missed["toolCount"], &missed["cacheAge"]), (&json!(0), &json!(-1)));
    assert!(outcome.events("tool_cache_hit").is_empty(), "{outcome:?}");
    world.run(&["server", "refresh"]).exits(0);
    let outcome = world.run(&logged(&["search", "send"])).exits(0);
    let [loaded, searched] = &outcome.events("tool_cache_hit")[..] else { panic!("{outcome:?}") };
    assert_eq!((&loaded["server"], &loaded["toolCount"]), (&json!("mail"), &json!(1)));
    assert_eq!((&searched["server"], &searched["toolCount"]), (&json!(null), &json!(1)));
    assert!(searched["cacheAge"].as_i64().is_some_and(|age| age >= 0), "{searched}");
    assert!(outcome.events("tool_cache_miss").is_empty(), "{outcome:?}");
}

#[test]
fn referenced_secrets_are_not_in_logs_spans_or_journal() {
    // No rule about the shape of secrets detects these.
    let canaries = ["plainwordsecret", "anotherplainword", "thirdplainsecret"];
    let words =
        ["sh", "-c", "echo \"cannot log in as $A with $B and $C\" >&2; exit 3"].map(str::to_owned);
    let world = World::trusted().var("CANARY_A", canaries[0]).var("CANARY_B", canaries[1]);
    let world = world.entry(
        "mail",
        &words,
        "env = { A = \"env:CANARY_A\", B = \"${CANARY_B}\", C = \"file:c.txt\" }",
    );
    let world = world.file("c.txt", "thirdplainsecret\n").echo("tools/a.tool.toml", "alpha", "");
    let receiver = Receiver::start(&[]);
    let world = world.var("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.address());
    let world = world.var("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    let failed = world.run(&logged(&["server", "refresh"])).exits(3);
    // A caller passes the secret in an argument with a neutral name.
    let called = world.run(&logged(&["alpha", "--input", r#"{"note":"it is plainwordsecret"}"#]));
    assert!(!called.events("tool_call").is_empty(), "{called:?}");
    for (outcome, what) in [(&failed, "failed"), (&called, "called")] {
        for canary in canaries.iter().filter(|canary| what == "failed" || **canary == canaries[0]) {
            assert!(!outcome.err.contains(canary), "{canary} when it {what}: {}", outcome.err);
        }
    }
    let spans: Vec<u8> = receiver.requests().into_iter().flat_map(|request| request.body).collect();
    assert!(!spans.is_empty(), "spans were exported");
    for canary in canaries {
        assert!(!holds(&spans, canary), "{canary} in a span");
        for file in files(&world.temp_dir().join("state")) {
            assert!(
                !holds(&fs::read(&file).expect("readable"), canary),
                "{canary} in {}",
                file.display()
            );
        }
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// All files that a run has written: the state and the journal.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").filter_map(Result::ok).map(|entry| entry.path());
    entries
        .flat_map(|entry| if entry.is_dir() { files(&entry) } else { vec![entry] })
        .filter(|item| item.is_file())
        .collect()
}

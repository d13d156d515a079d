//! The journal stores no secrets and no long texts.

use crate::journal::{JournalEntry, JournalNote};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, CatalogSize, ContextUse, DecisionEvent, DiscoveryEvent, DiscoveryStart,
    Event, EventKind, Requester, SearchEvent, Span,
};
use toolscout_core::{Caller, ErrorKind, Moment, SourceId, ToolId, ToolName};

/// Texts shaped like secrets, each in a different way.
const SHAPED: [&str; 5] = [
    "ghp_Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEe",
    "sk-ant-api03-Zk3vQ9mXw2Rt7Ln4Bc8Yd1Fg6Hj5Ps0AaEeZk3vQ9mXw2Rt7Ln4",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ",
    "AKIAIOSFODNN7CANARYX",
    "xoxb-123456789012-123456789012-CanaryCanaryCanaryCanary",
];

fn event(kind: EventKind) -> Event {
    let requester = Requester {
        caller: Caller::Mcp,
        user: None,
        token: None,
        client: Some("some-agent 1.0".into()),
        session: Some("5e55".into()),
        project: Some(Arc::new("/home/ann/project".into())),
    };
    let span = Span { trace: [7; 16], id: [1; 8], parent: Some([2; 8]), is_sampled: true };
    Event {
        at: Moment(1_700_000_000_000),
        took: Duration::from_micros(1_234_567),
        requester,
        span,
        kind,
    }
}

fn tool(name: &str) -> ToolId {
    ToolId::new(SourceId::new("files").unwrap(), ToolName::new(name).unwrap())
}

fn recorded(what: EventKind) -> (&'static str, String) {
    let record =
        JournalNote::from_event(&event(what)).expect("the event is recorded").into_record();
    (record.kind, record.body)
}

fn called(arguments: Value, outcome: CallOutcome) -> EventKind {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    EventKind::Call(CallEvent {
        tool: tool("write"),
        digest: None,
        arguments,
        policy: None,
        outcome,
    })
}

fn arguments(value: Value) -> Value {
    let (_, body) = recorded(called(value, CallOutcome::Succeeded(5)));
    serde_json::from_str::<Value>(&body).unwrap()["arguments"].clone()
}

#[test]
fn a_record_has_requester_details_and_outcome() {
    let (kind, body) = recorded(called(json!({"path": "a.txt"}), CallOutcome::Succeeded(42)));
    assert_eq!(kind, "call");
    let body: Value = serde_json::from_str(&body).unwrap();
    let expected = json!({
        "durationMs": 1234.567, "caller": "mcp", "client": "some-agent 1.0", "session": "5e55", "project": "/home/ann/project",
        "trace": "07070707070707070707070707070707",
        "tool": "files/write", "arguments": {"path": "a.txt"}, "outcome": "succeeded", "bytes": 42,
    });
    assert_eq!(body, expected);
}

/// A record that an earlier version wrote is shown with today's names.
#[test]
fn records_with_earlier_names_are_read() {
    let read = |line: &str| {
        let entry: JournalEntry = serde_json::from_str(line).expect("a record");
        serde_json::to_value(entry).expect("JSON")
    };
    let call = read(
        r#"{"n":1,"at":"2023-11-14T22:13:20.000Z","kind":"call","tookMs":3.0,"tool":"files/write","arguments":{},"outcome":"done"}"#,
    );
    assert_eq!((&call["durationMs"], &call["outcome"]), (&json!(3.0), &json!("succeeded")));
    let decision = read(
        r#"{"n":2,"at":"2023-11-14T22:13:20.000Z","kind":"decision","about":"server","which":"files","decision":"added","by":"ann"}"#,
    );
    assert_eq!(
        (&decision["subjectType"], &decision["subject"]),
        (&json!("server"), &json!("files"))
    );
    let context = read(
        r#"{"n":3,"at":"2023-11-14T22:13:20.000Z","kind":"shown","what":"list","tools":1,"tokens":9}"#,
    );
    assert_eq!((&context["kind"], &context["form"]), (&json!("context"), &json!("list")));
    for (earlier, kind, field) in [("lost", "dropped", "records"), ("mended", "repaired", "reason")]
    {
        let value = if field == "records" { "3" } else { "\"x\"" };
        let line = format!(
            r#"{{"n":4,"at":"2023-11-14T22:13:20.000Z","kind":"{earlier}","{field}":{value}}}"#
        );
        assert_eq!(read(&line)["kind"], kind);
    }
}

/// The readers of the journal can parse every record that is written.
#[test]
fn every_kind_can_be_read_again() {
    let failed = CallOutcome::Failed { kind: ErrorKind::TimedOut, message: "too slow".to_owned() };
    let searched = SearchEvent {
        text: "send".to_owned(),
        profile: "ranked",
        hits: vec![(tool("send"), 0.5)],
        notes: vec!["n".to_owned()],
    };
    let discovered = DiscoveryEvent {
        source: SourceId::new("files").unwrap(),
        names: vec!["a".to_owned()],
        was_uncached: true,
        changed: true,
        error: Some("gone".to_owned()),
    };
    let decided = DecisionEvent {
        kind: "server",
        subject: "files".to_owned(),
        action: "added",
        by: "ann".to_owned(),
    };
    let shown = ContextUse {
        form: "list",
        tools: 2,
        tokens: 300,
        catalog: Some(CatalogSize { tools: 9, tokens: 900 }),
    };
    let all = [
        called(json!({}), failed),
        EventKind::Search(searched),
        EventKind::Discovery(discovered),
        EventKind::Decision(decided),
        EventKind::ContextUse(shown),
    ];
    for what in all {
        let (kind, body) = recorded(what);
        let line = format!(
            r#"{{"n":1,"at":"2023-11-14T22:13:20.000Z","kind":"{kind}",{},"hash":"00"}}"#,
            &body[1..body.len() - 1]
        );
        let entry: JournalEntry =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let again = serde_json::to_value(&entry).unwrap();
        assert_eq!(
            again,
            serde_json::from_str::<Value>(&line).unwrap(),
            "the round trip keeps all fields"
        );
    }
}

#[test]
fn values_of_secret_keys_are_redacted_at_any_depth() {
    let given = json!({
        "password": "canary-one", "a": {"apiKey": "canary-two", "b": [{"X-Auth-Token": ["canary-three"]}]}, "text": "stays",
    });
    let expected = json!({"password": "[REDACTED]", "a": {"apiKey": "[REDACTED]", "b": [{"X-Auth-Token": "[REDACTED]"}]}, "text": "stays"});
    assert_eq!(arguments(given), expected);
}

#[test]
fn secrets_are_redacted_by_shape_anywhere() {
    for secret in SHAPED {
        let inside = format!("before {secret} after");
        let failed = CallOutcome::Failed { kind: ErrorKind::Failed, message: inside.clone() };
        let searched = SearchEvent {
            text: inside.clone(),
            profile: "ranked",
            hits: Vec::new(),
            notes: vec![inside.clone()],
        };
        let discovered = DiscoveryEvent {
            source: SourceId::new("files").unwrap(),
            names: Vec::new(),
            was_uncached: false,
            changed: false,
            error: Some(inside.clone()),
        };
        let decided = DecisionEvent {
            kind: "server",
            subject: inside.clone(),
            action: "added",
            by: inside.clone(),
        };
        let nested = format!(r#"{{"password":"{secret}"}}"#);
        let all = [
            called(json!({"text": inside, "list": [[secret]], "json": nested, secret: 1}), failed),
            EventKind::Search(searched),
            EventKind::Discovery(discovered),
            EventKind::Decision(decided),
        ];
        for what in all {
            let (kind, body) = recorded(what);
            assert!(!body.contains(secret), "{kind}: {body}");
            assert!(body.contains("[REDACTED]") && body.contains("after"), "{kind}: {body}");
        }
    }
}

/// If a secret is cut in two, neither half looks like a secret.
#[test]
fn no_secret_is_cut_in_two() {
    for (secret, pad) in SHAPED.iter().flat_map(|shaped| (0..60).map(move |pad| (shaped, pad))) {
        for length in [450, 2_000, 4_050] {
            let text = format!(
                "{}{secret} {}",
                "word ".repeat(length / 5) + &"x".repeat(pad) + " ",
                "end ".repeat(50)
            );
            let searched = SearchEvent {
                text: text.clone(),
                profile: "ranked",
                hits: Vec::new(),
                notes: Vec::new(),
            };
            for what in
                [EventKind::Search(searched), called(json!({"text": text}), CallOutcome::Cancelled)]
            {
                let (_, body) = recorded(what);
                assert!(!body.contains(&secret[..8]), "{length} {pad}: {body}");
            }
        }
    }
}

#[test]
fn long_values_are_abridged_with_a_note() {
    let long = "x".repeat(1 << 20);
    assert_eq!(
        arguments(json!({"a": 1, "content": long, "b": "stays"})),
        json!({"a": 1, "content": "… 1048576 bytes", "b": "stays"})
    );
    let many: Vec<_> = (0..10_000).collect();
    let kept_of_many = arguments(json!({ "many": many }));
    assert!(
        kept_of_many["many"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_str()
            .unwrap()
            .ends_with("more")
    );
    let wide: serde_json::Map<String, Value> =
        (0..5_000).map(|index| (format!("key{index}"), index.into())).collect();
    assert!(arguments(Value::Object(wide))["…"].as_str().unwrap().ends_with("more"));
    let deep = (0..200).fold(json!("bottom"), |inner, _| json!({ "in": inner }));
    assert!(arguments(json!({ "deep": deep })).to_string().contains(r#""…""#));
    for given in [
        json!({ "many": vec!["é"; 9_999] }),
        json!({ "text": "\u{1}".repeat(2_000) }),
        json!({"text": "word ".repeat(9_999)}),
    ] {
        let (_, body) = recorded(called(given, CallOutcome::Succeeded(1)));
        assert!(body.len() < 15_000, "{}", body.len());
    }
}

#[test]
fn discovery_starts_are_not_recorded() {
    let start = DiscoveryStart { source: SourceId::new("files").unwrap(), installer: None };
    assert!(JournalNote::from_event(&event(EventKind::DiscoveryStarted(start))).is_none());
}

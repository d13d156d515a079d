//! 1. Ids and names accept valid text, and an error suggests a valid one.
//! 2. A digest depends on the value, not on its formatting, and on the source of the tool.
//! 3. Authorization permits exactly what policy, trust and the expected definition allow.
//! 4. Text of third parties cannot move a cursor.

use crate::authorization::{AuthorizationContext, Policy, authorize};
use crate::{
    Arguments, Caller, Cx, Digest, MemoryStore, Namespace, RawJson, SourceId, Status, Store, Tool,
    ToolCall, ToolId, ToolName, ToolOutput, digest, escape, redact,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

fn tool(source: &str, name: &str) -> Tool {
    Tool::new(ToolId::new(SourceId::new(source).unwrap(), ToolName::new(name).unwrap()))
}

#[test]
fn an_invalid_source_id_suggests_a_valid_one() {
    for (input, nearest) in
        [("My Server", "my-server"), ("a__b", "a_b"), ("", "source"), ("-x-", "x"), ("Ü", "source")]
    {
        assert_eq!(SourceId::new(input).unwrap_err().nearest, nearest, "{input}");
        assert!(SourceId::new(nearest).is_ok());
    }
    assert!(SourceId::new(&"a".repeat(32)).is_ok());
    assert!(SourceId::new(&"a".repeat(33)).is_err());
}

#[test]
fn names_like_options_paths_or_shell_syntax_are_invalid_commands() {
    for name in ["", "-rf", "../x", "a/b", "$(id)", "a b", "a\u{1b}[31m", "a;b", ".hidden", "ünï"]
    {
        assert!(ToolName::for_command(name).is_err(), "{name}");
    }
    for name in ["fetch-data", "a", "A.b_c-1", "_x", "9lives"] {
        assert!(ToolName::for_command(name).is_ok(), "{name}");
    }
    assert!(ToolName::for_command(&"a".repeat(129)).is_err());
    assert!(!ToolName::for_command("a\u{1b}b").unwrap_err().to_string().contains('\u{1b}'));
}

#[test]
fn characters_are_escaped_at_any_position_of_a_long_text() {
    for character in (0..=0xffff).filter_map(char::from_u32) {
        for position in [0, 31, 32, 70] {
            let text = format!("{}{character}{}", "a".repeat(position), "b".repeat(70 - position));
            assert_eq!(
                escape::line(&text) != text,
                escape::is_dangerous(character),
                "{character:?} at {position}"
            );
        }
    }
}

#[test]
fn a_digest_covers_the_owner_and_the_canonical_definition() {
    let definition = json!({"b": 1, "a": "x\n\"é\u{7f}"});
    let plain = "\"mail\"\"send\"{\"a\":\"x\\n\\\"é\u{7f}\",\"b\":1}";
    assert_eq!(
        Digest::of_definition(&tool("mail", "send").id, &definition),
        Digest::of_bytes(plain.as_bytes())
    );
}

#[test]
fn canonical_json_escapes_strings_like_serde_json() {
    for character in (0..=0x2fff).filter_map(char::from_u32) {
        let text = format!("a{character}b");
        let mut canonical = String::new();
        digest::canonical(&Value::from(text.as_str()), &mut canonical);
        assert_eq!(canonical, serde_json::to_string(&text).unwrap());
    }
}

#[test]
fn a_digest_depends_on_the_definition_not_on_its_formatting() {
    let mut one = tool("s", "t");
    one.input_schema =
        RawJson::parse(r#"{ "type": "object", "properties": {"b": {}, "a": {}} }"#).unwrap();
    let mut same = tool("s", "t");
    same.input_schema =
        RawJson::parse(r#"{"properties":{"a":{},"b":{}},"type":"object"}"#).unwrap();
    assert_eq!(one.digest(), same.digest());
    assert_ne!(one.digest(), tool("other", "t").digest());
    same.annotations = Some(RawJson::from_value(&json!({"readOnlyHint": false})));
    assert_ne!(one.digest(), same.digest());
    assert_eq!(Digest::from_hex(&one.digest().to_string()), Some(one.digest()));
}

#[test]
fn raw_json_is_stored_byte_for_byte() {
    let text = "{ \"z\" : 1.50, \"a\":[ ] }";
    let raw = RawJson::parse(text).unwrap();
    assert_eq!(serde_json::to_string(&vec![&raw]).unwrap(), format!("[{text}]"));
    assert!(RawJson::parse("{} {}").is_err());
}

#[test]
fn a_result_is_accepted_unchanged_or_refused_with_a_reason() {
    let raw =
        RawJson::parse(r#"{"content":[],"isError":true,"_meta":{"x":1},"vendor":[1]}"#).unwrap();
    let output = ToolOutput::from_raw(raw.clone()).unwrap();
    assert_eq!((output.is_error(), output.raw()), (true, &raw));
    for (text, reason) in
        [("[]", "a result must be a JSON object"), (r#"{"content":1}"#, "`content` must be a list")]
    {
        assert_eq!(ToolOutput::from_raw(RawJson::parse(text).unwrap()).unwrap_err(), reason);
    }
}

#[test]
fn calls_are_authorized_only_if_policy_and_trust_allow_them() {
    let tool = tool("s", "t");
    let is_authorized = |caller, policy, trusted, approved| {
        let call = ToolCall::new(tool.id.clone(), Arguments::new());
        authorize(
            call,
            &tool,
            AuthorizationContext { policy, trusted, approved, ..AuthorizationContext::new(caller) },
        )
        .is_ok()
    };
    for caller in [Caller::Cli, Caller::Mcp, Caller::Http] {
        for approved in [true, false] {
            assert!(is_authorized(caller, Policy::Allow, true, approved));
            assert_eq!(
                is_authorized(caller, Policy::Allow, false, approved),
                caller == Caller::Cli
            );
            assert_eq!(is_authorized(caller, Policy::Ask, true, approved), approved);
            assert_eq!(
                is_authorized(caller, Policy::Ask, false, approved),
                approved && caller == Caller::Cli
            );
            for policy in [Policy::Deny, Policy::Disable] {
                assert!(!is_authorized(caller, policy, true, approved), "{caller:?} {policy:?}");
            }
        }
    }
}

#[test]
fn quarantined_tools_are_refused_for_every_caller_with_the_reason() {
    let mut tool = tool("s", "t");
    tool.status = Status::Quarantined("new, and not approved yet".to_owned());
    for caller in [Caller::Cli, Caller::Mcp, Caller::Http] {
        let call = ToolCall::new(tool.id.clone(), Arguments::new());
        let refused = authorize(
            call,
            &tool,
            AuthorizationContext { approved: true, ..AuthorizationContext::new(caller) },
        );
        let message = refused.unwrap_err().to_string();
        assert_eq!(message, "`s/t` is quarantined: new, and not approved yet");
    }
}

#[test]
fn a_call_is_authorized_only_for_its_own_tool_and_definition() {
    let refused = |call: ToolCall, message: &str| {
        let error =
            authorize(call, &tool("s", "t"), AuthorizationContext::new(Caller::Cli)).unwrap_err();
        assert_eq!(error.to_string(), message);
    };
    let other = ToolCall::new(tool("s", "other").id, Arguments::new());
    refused(other, "the call names `s/other`, but another tool was looked up for it");
    let mut call = ToolCall::new(tool("s", "t").id, Arguments::new());
    call.expect = Some(tool("other", "t").digest());
    refused(call, "the definition of `s/t` has changed since the caller read it");
}

#[test]
fn a_change_in_a_definition_too_deep_to_parse_changes_its_digest() {
    let deep = |text: &str| {
        let mut tool = tool("s", "t");
        let raw = format!("{}\"{text}\"{}", "[".repeat(500), "]".repeat(500));
        tool.output_schema = Some(RawJson::parse(&raw).unwrap());
        tool.digest()
    };
    assert_ne!(deep("one"), deep("other"));
}

#[test]
fn within_never_extends_a_deadline() {
    let cx = Cx::new(Caller::Cli).within(Duration::from_secs(60));
    let longer = cx.clone().within(Duration::from_secs(600));
    assert_eq!(cx.deadline, longer.deadline);
    assert!(cx.clone().within(Duration::from_secs(1)).deadline < cx.deadline);
}

/// O-10: the values of secret keys are redacted in logs, in any spelling and at any depth.
#[test]
fn values_of_secret_keys_are_redacted() {
    let shown = redact::json(
        &json!({"api_token": "a", "x": [{"APIKey": 1, "Pass-Word": 2, "author": "me"}], "url": "u"}),
    );
    assert_eq!(
        shown,
        json!({"api_token": "[REDACTED]", "x": [{"APIKey": "[REDACTED]", "Pass-Word": "[REDACTED]", "author": "me"}], "url": "u"})
    );
}

#[test]
fn the_memory_store_separates_namespaces() {
    let store = MemoryStore::default();
    store.write(Namespace::Scan, "k", b"1").unwrap();
    assert_eq!(store.read(Namespace::Probe, "k").unwrap(), None);
    assert_eq!(store.read(Namespace::Scan, "k").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(store.keys(Namespace::Scan).unwrap(), ["k"]);
    assert_eq!(
        (store.remove(Namespace::Scan, "k").unwrap(), store.remove(Namespace::Scan, "k").unwrap()),
        (true, false)
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let object = prop::collection::hash_map(".{0,4}", inner.clone(), 0..4)
            .prop_map(|hash_map| hash_map.into_iter().collect());
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Value::from), object]
    })
}

proptest! {
    #[test]
    fn canonical_json_is_equivalent_and_unique(value in any_json()) {
        let mut once = String::new();
        digest::canonical(&value, &mut once);
        let again: Value = serde_json::from_str(&once).unwrap();
        prop_assert_eq!(&again, &value);
        let mut twice = String::new();
        digest::canonical(&again, &mut twice);
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn escaped_text_cannot_move_a_cursor(text in any::<String>()) {
        let safe = escape::line(&text);
        let moves_cursor = |it: char| it.is_control() || ('\u{202a}'..='\u{202e}').contains(&it);
        prop_assert!(!safe.chars().any(moves_cursor));
        prop_assert_eq!(escape::line(&safe), safe.clone());
    }
}

#[test]
fn results_are_validated_minimally_and_stored_unchanged() {
    let output = |text: &str| ToolOutput::from_raw(RawJson::parse(text).unwrap());
    let odd = r#"{ "x": 1e999, "content" : [ {"type":"text","text":"\ud800"} ], "isError": true , "_meta": {"a":1,"a":2}}"#;
    let parsed = output(odd).unwrap();
    assert!(parsed.is_error() && !parsed.wants_input());
    assert_eq!(parsed.raw().as_str(), odd);
    assert!(output(r#"{"resultType":"input_required","inputRequests":{}}"#).unwrap().wants_input());
    for broken in [
        "[]",
        "1",
        r#"{"content":null}"#,
        r#"{"content":{}}"#,
        r#"{"isError":null}"#,
        r#"{"isError":"no"}"#,
    ] {
        assert!(output(broken).is_err(), "{broken}");
    }
    assert!(output(r#"{"isError":false,"isError":true}"#).is_err(), "duplicate keys are ambiguous");
}

//! Nested objects as flags, and names that are hard to type.

use super::{call, diagnostics, hinted, names, page, tool, with};
use serde_json::{Value, json};

fn config() -> Value {
    json!({"name": {"type": "string"}, "config": {"type": "object", "properties": {"timeout": {"type": "number"}}}})
}

/// S-01: a nested number arrives as a number at its place.
#[test]
fn a_nested_property_has_a_flag() {
    let got = call(&with(&config()), &["--name", "a", "--config-timeout", "30"]);
    assert_eq!(got, r#"{"name":"a","config":{"timeout":30}}"#);
}

/// S-02: four other separators. S-14: each tool honours its own.
#[test]
fn the_separator_is_the_tools_own() {
    for (separator, flag) in [
        ("-", "config-timeout"),
        (".", "config.timeout"),
        ("_", "config_timeout"),
        ("__", "config__timeout"),
        ("", "configtimeout"),
    ] {
        let tool = hinted(&config(), &json!({"separator": separator}));
        assert_eq!(names(&tool), ["name", flag]);
        assert_eq!(call(&tool, &[&format!("--{flag}=30")]), r#"{"config":{"timeout":30}}"#);
    }
    let odd = hinted(&config(), &json!({"separator": "+"}));
    assert_eq!(names(&odd), ["name", "config-timeout"]);
    assert!(
        diagnostics(&odd)[0]
            .starts_with("Setting: `local/demo` has an invalid `cli.separator`: `+`")
    );
}

/// S-04: reported once, with both paths; the nested one stays reachable.
#[test]
fn two_properties_of_one_flag_are_reported_and_both_reachable() {
    let mut properties = config();
    properties["config-timeout"] = json!({"type": "string"});
    let tool = with(&properties);
    assert_eq!(
        diagnostics(&tool),
        [
            "Collision: `local/demo` has properties with the same flag: config-timeout: config-timeout, config.timeout \
          | `--config-timeout` sets config-timeout; set config.timeout with `--config '{\"timeout\": …}'`"
        ]
    );
    let got = call(&tool, &["--config-timeout", "x", "--config", r#"{"timeout":1}"#]);
    assert_eq!(got, r#"{"config":{"timeout":1},"config-timeout":"x"}"#);
    assert_eq!(names(&tool), ["name", "config-timeout", "config"]);
    let underscore = hinted(&properties, &json!({"separator": "_"}));
    assert_eq!(diagnostics(&underscore), [""; 0]);
    let got = call(&underscore, &["--config-timeout", "x", "--config_timeout", "1"]);
    assert_eq!(got, r#"{"config":{"timeout":1},"config-timeout":"x"}"#);
}

/// S-06: an optional parent makes its children optional; a required one does not.
#[test]
fn a_required_child_of_an_optional_parent_is_optional() {
    let child = json!({"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}, "required": ["host"]});
    let optional = with(&json!({"server": child}));
    assert_eq!(call(&optional, &[]), "{}");
    assert_eq!(call(&optional, &["--server-port", "1"]), r#"{"server":{"port":1}}"#);
    let required =
        tool(&json!({"type": "object", "properties": {"server": child}, "required": ["server"]}));
    assert_eq!(call(&required, &[]), "Missing required option: --server-host");
    assert_eq!(call(&required, &["--server", r#"{"host":"h"}"#]), r#"{"server":{"host":"h"}}"#);
    assert_eq!(call(&required, &["--server", "{}"]), "Missing required option: --server-host");
}

#[test]
fn a_required_object_without_required_members_is_added() {
    let inner = json!({"type": "object", "properties": {"deep": {"type": "boolean"}}});
    let tool =
        tool(&json!({"type": "object", "properties": {"options": inner}, "required": ["options"]}));
    assert_eq!(call(&tool, &[]), r#"{"options":{}}"#);
    assert_eq!(call(&tool, &["--input", r#"{"options":5}"#]), r#"{"options":5}"#);
}

#[test]
fn below_three_levels_a_flag_takes_json() {
    let d = json!({"type": "object", "properties": {"d": {"type": "integer"}}});
    let nest = |name: &str, inner: Value| json!({"type": "object", "properties": {name: inner}});
    let tool = with(&json!({"a": nest("b", nest("c", d))}));
    assert_eq!(names(&tool), ["a-b-c"]);
    assert_eq!(call(&tool, &["--a-b-c", r#"{"d":1}"#]), r#"{"a":{"b":{"c":{"d":1}}}}"#);
    assert!(call(&tool, &["--a-b-c", "5"]).ends_with("is not a JSON object"));
}

/// S-15: names with a special meaning in other languages are plain names here.
#[test]
fn property_names_may_contain_any_characters() {
    let tool = with(&json!({
        "__proto__": {"type": "string"},
        "constructor": {"type": "object", "properties": {"prototype": {"type": "integer"}}},
        "größe 大": {"type": "integer"},
        "--evil=x": {"type": "string"},
        "\u{202e}": {"type": "string"}
    }));
    assert_eq!(
        names(&tool),
        ["__proto__", "constructor-prototype", "größe-大", "evil-x", "property"]
    );
    let line = [
        "--__proto__",
        "a",
        "--constructor-prototype",
        "1",
        "--größe-大=2",
        "--evil-x",
        "b",
        "--property=c",
    ];
    assert_eq!(
        call(&tool, &line),
        "{\"__proto__\":\"a\",\"constructor\":{\"prototype\":1},\"größe 大\":2,\"--evil=x\":\"b\",\"\u{202e}\":\"c\"}"
    );
    assert_eq!(diagnostics(&tool), [""; 0]);
}

#[test]
fn properties_with_equal_flags_are_reported() {
    let tool = with(&json!({"a b": {"type": "string"}, "a-b": {"type": "string"}}));
    assert_eq!(
        diagnostics(&tool),
        ["Collision: `local/demo` has properties with the same flag: a-b: a b, a-b \
          | `--a-b` sets a b; set a-b with `--input '{\"a-b\": …}'`"]
    );
    assert_eq!(
        call(&tool, &["--a-b", "x", "--input", r#"{"a-b":"y"}"#]),
        r#"{"a-b":"y","a b":"x"}"#
    );
}

#[test]
fn the_suggested_alternative_to_a_flag_works() {
    let nested = |inner: Value| json!({"type": "object", "properties": inner});
    let clash =
        json!({"a": nested(json!({"b": nested(json!({"c": {}}))})), "a-b-c": {}, "a-b": {}});
    assert!(diagnostics(&with(&clash))[0].ends_with("set a.b.c with `--a '{\"b\": {\"c\": …}}'`"));
    assert_eq!(call(&with(&clash), &["--a", r#"{"b":{"c":1}}"#]), r#"{"a":{"b":{"c":1}}}"#);
    let without_alternative = with(&json!({"x y": {}, "x-y": {}, "input": {}}));
    assert!(diagnostics(&without_alternative)[0].ends_with("`--x-y` sets x y; rename x-y"));
}

#[test]
fn underscores_may_be_typed_as_dashes() {
    let tool = with(
        &json!({"dry_run": {"type": "boolean"}, "a_b": {"type": "string"}, "a-b": {"type": "string"}}),
    );
    assert_eq!(names(&tool), ["dry_run", "a_b", "a-b"]);
    assert_eq!(call(&tool, &["--dry-run"]), r#"{"dry_run":true}"#);
    assert_eq!(call(&tool, &["--no-dry-run"]), r#"{"dry_run":false}"#);
    assert_eq!(
        call(&tool, &["--a-b", "dash", "--a_b", "under"]),
        r#"{"a_b":"under","a-b":"dash"}"#
    );
    assert!(page(&tool).contains("--[no-]dry_run"));
}

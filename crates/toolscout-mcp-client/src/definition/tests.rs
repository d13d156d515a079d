//! 1. A definition is stored byte for byte, and every field of it reaches the tool.
//! 2. An unusable definition has a reason; one that is only unusual stays.
//! 3. Ambiguous and oversized definitions are refused.
//! 4. Arguments are mirrored as their schema requires, and only where a mark is permitted.

use super::super::limits::Limits;
use super::mirror::{MirroredParameter, headers, mirrored_parameters};
use super::{RawJson, SourceId, ToolDefinition, members};
use serde_json::{Value, json};

fn parse(text: &str) -> Result<ToolDefinition, String> {
    ToolDefinition::parse(RawJson::parse(text).expect("JSON"), &Limits::default())
}

fn parse_value(value: Value) -> Result<ToolDefinition, String> {
    parse(&value.to_string())
}

fn reason(value: Value) -> String {
    parse_value(value.clone()).expect_err(&value.to_string())
}

#[test]
fn every_field_is_stored_as_written() {
    let text = r#"{"x-vendor": 1.0, "name":"t","title":"T","description":"does",
        "inputSchema":{ "type":"object","b":1,"a":2 },"outputSchema":{"type":"object"},
        "annotations":{"readOnlyHint":true},"icons":[{"src":"x"}],"execution":{"k":"v"},"_meta":{"z":1,"a":2}}"#;
    let definition = parse(text).expect("a tool");
    assert_eq!(definition.raw.as_str(), text);
    let tool = definition.tool(&SourceId::new("s").expect("an id"));
    assert_eq!(tool.id.to_string(), "s/t");
    assert_eq!((tool.title.as_deref(), tool.description.as_deref()), (Some("T"), Some("does")));
    assert_eq!(tool.input_schema.as_str(), r#"{ "type":"object","b":1,"a":2 }"#);
    assert_eq!(tool.output_schema.expect("the member is set").as_str(), r#"{"type":"object"}"#);
    assert_eq!(tool.annotations.expect("the member is set").as_str(), r#"{"readOnlyHint":true}"#);
    let extra =
        r#"{"x-vendor":1.0,"icons":[{"src":"x"}],"execution":{"k":"v"},"_meta":{"z":1,"a":2}}"#;
    assert_eq!(tool.extra.expect("the member is set").as_str(), extra);
}

#[test]
fn unusual_fields_do_not_exclude_the_tool() {
    let unusual = json!({"name": "t", "inputSchema": {"$ref": "#/x"}, "title": 7, "outputSchema": true,
        "annotations": "none", "icons": "none", "_meta": "none", "description": null});
    let tool = parse_value(unusual).expect("a tool").tool(&SourceId::local());
    assert_eq!(
        (tool.title, tool.description, tool.output_schema, tool.annotations),
        (None, None, None, None)
    );
    let extra = tool.extra.expect("unknown members are kept").to_value();
    let expected_extra = json!({"title": 7, "outputSchema": true, "annotations": "none", "icons": "none", "_meta": "none",
        "description": null});
    assert_eq!(extra, expected_extra);
}

/// A listed tool equals its definition at the server: every field, and each value byte for byte.
#[test]
fn a_definition_can_be_listed_again_without_a_loss() {
    let written = r#"{"name":"t","x-vendor":1.0,"title":"T","icons":[{"src":"x"}],"description":"does \"it\"",
        "inputSchema":{ "type":"object", "b":1.50, "a":12345678901234567890123 },"annotations":{"readOnlyHint":true},
        "execution":{"taskSupport":"forbidden"},"outputSchema":{"type":"object"},"_meta":{"z":1,"a":2}}"#;
    let unusual = r#"{"name":"t","inputSchema":{},"title":7,"description":null,"annotations":"none","outputSchema":true}"#;
    for written in [written, unusual] {
        let raw = RawJson::parse(written).expect("JSON");
        let tool = ToolDefinition::parse(raw.clone(), &Limits::default())
            .expect("a tool")
            .tool(&SourceId::local());
        let listed = tool.listing("prefix_t");
        let mut expected = raw.to_value();
        expected["name"] = "prefix_t".into();
        assert_eq!(listed.to_value(), expected);
        for (key, value) in
            members(written).expect("an object").iter().filter(|(key, _)| key != "name")
        {
            let same = members(listed.as_str())
                .expect("an object")
                .into_iter()
                .find(|(member, _)| member == key);
            assert_eq!(same.expect("the member is kept").1.get(), value.get(), "{key}");
        }
    }
}

/// T08: each with its own reason.
#[test]
fn an_invalid_definition_has_a_reason() {
    let schema = json!({"type": "object"});
    assert!(reason(json!({"name": 42, "inputSchema": schema})).contains("name is not a string"));
    assert!(reason(json!({"name": null, "inputSchema": schema})).contains("name is not a string"));
    assert!(reason(json!({"name": "", "inputSchema": schema})).contains("name is empty"));
    assert!(reason(json!({"inputSchema": schema})).contains("no name"));
    assert!(reason(json!({"name": "n".repeat(129), "inputSchema": schema})).contains("129 bytes"));
    assert!(reason(json!({"name": "x"})).contains("no input schema"));
    assert!(reason(json!({"NAME": "x", "InputSchema": schema})).contains("no name"));
    for bad in [json!(null), json!("object"), json!(true), json!([])] {
        assert!(reason(json!({"name": "x", "inputSchema": bad})).contains("not a JSON object"));
    }
    for bad in [json!("array"), json!(["object", "null"]), json!(7)] {
        assert!(
            reason(json!({"name": "x", "inputSchema": {"type": bad}}))
                .contains("is not of type `object`")
        );
    }
    assert!(
        reason(json!({"name": "x", "inputSchema": schema, "description": {"a": 1}}))
            .contains("description")
    );
    for bad in ["null", "\"tool\"", "[]", "7"] {
        assert!(parse(bad).expect_err(bad).contains("not a JSON object"));
    }
}

/// T15: names with characters that are invisible or misleading.
#[test]
fn names_with_unseen_characters_are_refused_and_odd_ones_stay() {
    let named = |name: &str| parse_value(json!({"name": name, "inputSchema": {}}));
    for bad in [
        "a\nb",
        "a\tb",
        "a\u{1b}[31m",
        "ec\u{200b}ho",
        "\u{202e}moc",
        "a\u{9b}",
        "a\u{3164}",
        "a\u{e0041}",
    ] {
        assert!(named(bad).is_err(), "{bad:?}");
    }
    for unusual in [
        "../../x",
        "--help",
        "$(id)",
        "name with spaces",
        "\u{1f4a9}",
        "__proto__",
        "caf\u{e9}",
        "\u{435}cho",
    ] {
        assert_eq!(named(unusual).expect(unusual).name.as_str(), unusual);
    }
    assert!(named(&"n".repeat(128)).is_ok());
}

/// T09: a definition that two parsers could read differently is refused.
#[test]
fn ambiguous_definitions_are_refused() {
    let twice = [
        r#"{"name":"a","name":"b","inputSchema":{}}"#,
        r#"{"name":"a","inputSchema":{"properties":{"x":{},"x":{"type":"string"}}}}"#,
        r#"{"name":"a","inputSchema":{"b":1,"\u0062":2}}"#,
        r#"{"name":"a","inputSchema":{"maximum":1e999}}"#,
        r#"{"name":"a","inputSchema":{"default":"\ud800"}}"#,
    ];
    for text in twice {
        let error = parse(text).expect_err(text);
        assert!(error.contains("ambiguous or invalid"), "{error}");
    }
}

/// Limit - 1, limit, limit + 1.
#[test]
fn sizes_are_limited() {
    let limits = Limits { definition: 200, schema: 100, schema_nodes: 10, ..Limits::default() };
    let fits =
        |text: String| ToolDefinition::parse(RawJson::parse(&text).expect("JSON"), &limits).is_ok();
    let described = |size: usize| {
        let frame = r#"{"name":"t","inputSchema":{},"description":""}"#.len();
        format!(r#"{{"name":"t","inputSchema":{{}},"description":"{}"}}"#, "d".repeat(size - frame))
    };
    assert_eq!([199, 200, 201].map(|value| fits(described(value))), [true, true, false]);
    let schema =
        |size: usize| format!(r#"{{"name":"t","inputSchema":{{"x":"{}"}}}}"#, "s".repeat(size - 8));
    assert_eq!([99, 100, 101].map(|value| fits(schema(value))), [true, true, false]);
    let output = |size: usize| {
        format!(
            r#"{{"name":"t","inputSchema":{{}},"outputSchema":{{"x":"{}"}}}}"#,
            "s".repeat(size - 8)
        )
    };
    assert_eq!([99, 100, 101].map(|value| fits(output(value))), [true, true, false]);
    let values = |count: usize| {
        format!(r#"{{"name":"t","inputSchema":{{"enum":[{}0]}}}}"#, "0,".repeat(count - 3))
    };
    assert_eq!([9, 10, 11].map(|value| fits(values(value))), [true, true, false]);
}

fn marked(schema: Value) -> Result<Vec<MirroredParameter>, String> {
    mirrored_parameters(&RawJson::from_value(&schema))
}

fn property(mark: Value, kind: &str) -> Value {
    json!({"type": "object", "properties": {"q": {"type": kind, "x-mcp-header": mark}}})
}

#[test]
fn marked_arguments_are_mirrored() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        "on": {"type": "boolean", "x-mcp-header": "On"},
        "absent": {"type": "string", "x-mcp-header": "Absent"},
        "x-mcp-header": {"type": "string"}, "plain": {"default": {"x-mcp-header": "no mark"}}}});
    let parameters = marked(schema).expect("valid");
    let arguments = json!({"region": "us\r\nX: 1", "deep": {"n": -7}, "on": true, "absent": null, "plain": "p"});
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let mut mirrored = headers(&parameters, &arguments).expect("headers");
    mirrored.sort();
    let pairs: Vec<(&str, &str)> =
        mirrored.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(pairs, [("N", "-7"), ("On", "true"), ("Region", "us\r\nX: 1")]);
}

/// Hostile modes: header_inject.
#[test]
fn invalid_header_names_make_a_tool_unusable() {
    for mark in [
        json!("A\r\nX-Admin: 1"),
        json!(""),
        json!("Authorization "),
        json!("é"),
        json!(7),
        json!(null),
    ] {
        assert!(marked(property(mark.clone(), "string")).is_err(), "{mark}");
    }
    assert!(marked(property(json!("N"), "number")).is_err());
    assert!(marked(property(json!("N"), "object")).is_err());
    let twice = json!({"properties": {
        "a": {"type": "string", "x-mcp-header": "Region"}, "b": {"type": "string", "x-mcp-header": "region"}}});
    assert!(marked(twice).is_err());
    let mark = json!({"type": "string", "x-mcp-header": "I"});
    let unreachable = [
        json!({"properties": {"a": {"type": "array", "items": mark}}}),
        json!({"anyOf": [{"properties": {"a": mark}}]}),
        json!({"$defs": {"a": mark}}),
        json!({"patternProperties": {"a": mark}}),
        json!({"additionalProperties": mark}),
        mark.clone(),
    ];
    for schema in unreachable {
        assert!(marked(schema.clone()).is_err(), "{schema}");
    }
    assert_eq!(marked(property(json!("Region"), "string")).expect("valid").len(), 1);
}

#[test]
fn an_unsafe_integer_is_not_mirrored() {
    let parameters = marked(property(json!("N"), "integer")).expect("valid");
    let with = |value: Value| {
        let Value::Object(arguments) = json!({"q": value}) else { panic!("an object") };
        headers(&parameters, &arguments)
    };
    assert_eq!(with(json!(9_007_199_254_740_991_i64)).expect("the integer is safe").len(), 1);
    assert!(with(json!(9_007_199_254_740_992_i64)).is_err());
    assert!(with(json!(i64::MIN)).is_err());
    assert_eq!(with(json!([1])), Ok(Vec::new()));
}

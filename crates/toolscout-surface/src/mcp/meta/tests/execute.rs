//! 1. A call is understood in every form that models write; well-formed calls are passed on
//!    unchanged.
//! 2. An unknown name, or the name of a meta tool, gets the fixed error text.
//! 3. Invalid arguments get an error with the place, the schema at that place, and a valid call.

use crate::mcp::meta::fixture::{gateway, raw, texts, tool};
use crate::mcp::meta::{ExecuteRequest, failure, not_found};
use serde_json::{Value, json};
use toolscout_core::{Arguments, Digest, Tool, ToolOutput};
use toolscout_gateway::{ArgumentValidator, Error};

const SEND: &str = r#"mail/send_email -- Sends. -- {"type":"object","properties":{"to":{"type":"string","format":"email"},"subject":{"type":"string","minLength":3},"body":{"type":"string"},"copies":{"type":"integer","minimum":1},"urgent":{"type":"boolean"},"from":{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"string"}}},"tags":{"type":"array","items":{"type":"string"}}},"required":["to","subject"],"additionalProperties":false}"#;

fn request(arguments: Value) -> Result<ExecuteRequest, ToolOutput> {
    ExecuteRequest::parse(Some(&raw(arguments)))
}

fn repaired_arguments(arguments: Value) -> Value {
    let request = request(arguments).unwrap();
    assert_eq!(request.name, "send_email");
    Value::Object(request.arguments(&tool(SEND)).unwrap())
}

fn rejected(arguments: Value) -> (Tool, Error) {
    let tool = tool(SEND);
    let Value::Object(arguments) = arguments else { panic!() };
    let error = ArgumentValidator::new(&tool).unwrap().arguments(arguments).unwrap_err();
    (tool, error)
}

/// X-04, X-05, and six mistakes that models make.
#[test]
fn calls_are_accepted_in_every_form_models_write() {
    let expected = json!({"to": "a@b.c", "subject": "Hello"});
    let text = expected.to_string();
    for (mistake, arguments) in [
        ("none", json!({"name": "send_email", "arguments": expected})),
        ("parameters", json!({"name": "send_email", "parameters": expected})),
        ("args", json!({"name": "send_email", "args": expected})),
        ("input", json!({"tool": "send_email", "input": expected})),
        ("a text", json!({"name": "send_email", "arguments": text})),
        ("a text in a text", json!({"name": "send_email", "arguments": json!(text).to_string()})),
        ("nested", json!({"name": "send_email", "arguments": {"arguments": expected}})),
        (
            "nested deeper",
            json!({"name": "send_email", "arguments": {"parameters": {"args": expected}}}),
        ),
        (
            "a whole call inside",
            json!({"name": "send_email", "arguments": {"name": "send_email", "arguments": expected}}),
        ),
        (
            "nothing but a call inside",
            json!({"arguments": {"name": "send_email", "arguments": expected}}),
        ),
        (
            "all of it a text",
            json!(json!({"name": "send_email", "arguments": expected}).to_string()),
        ),
        ("flattened", json!({"name": "send_email", "to": "a@b.c", "subject": "Hello"})),
        (
            "half flattened",
            json!({"name": "send_email", "to": "a@b.c", "arguments": {"subject": "Hello"}}),
        ),
        (
            "flattened, with empty arguments",
            json!({"name": "send_email", "arguments": {}, "to": "a@b.c", "subject": "Hello"}),
        ),
        ("in a list", json!({"name": "send_email", "arguments": [expected]})),
        ("a quoted name", json!({"name": " `send_email`", "arguments": expected})),
    ] {
        assert_eq!(repaired_arguments(arguments), expected, "{mistake}");
    }
}

#[test]
fn values_are_converted_to_the_types_of_the_schema() {
    let given = json!({"to": "a@b.c", "subject": 2026, "copies": "2", "urgent": "TRUE", "tags": "one", "body": null,
        "from.name": "Ada", "from.address": "a@d.a"});
    let expected = json!({"to": "a@b.c", "subject": "2026", "copies": 2, "urgent": true, "tags": ["one"],
        "from": {"name": "Ada", "address": "a@d.a"}});
    assert_eq!(repaired_arguments(json!({"name": "send_email", "arguments": given})), expected);
    let text =
        json!({"to": "a@b.c", "subject": "Hello", "tags": "[\"a\", 5]", "from": "{\"name\": 7}"});
    let expected =
        json!({"to": "a@b.c", "subject": "Hello", "tags": ["a", "5"], "from": {"name": "7"}});
    assert_eq!(repaired_arguments(json!({"name": "send_email", "arguments": text})), expected);
}

#[test]
fn valid_arguments_are_never_changed() {
    let any = tool(r#"s/t -- x -- {"type":"object","properties":{"a":{"type":"string"}}}"#);
    for odd in [
        json!({"arguments": {"a": "1"}}),
        json!({"a.b": "5"}),
        json!({"a": "{\"x\":1}"}),
        json!({"a": "7"}),
        json!({}),
    ] {
        let request = request(json!({"name": "s/t", "arguments": odd})).unwrap();
        assert_eq!(Value::Object(request.arguments(&any).unwrap()), odd);
        assert_eq!(request.plain_arguments().cloned().map(Value::Object), Some(odd));
    }
}

/// A tool whose parameters have the same names as the wrappers.
#[test]
fn parameters_with_the_name_of_a_wrapper_are_parameters() {
    let odd = tool(
        r#"s/t -- x -- {"type":"object","properties":{"input":{"type":"string"},"args":{"type":"array"},"expect":{"type":"string"}},"required":["input"],"additionalProperties":false}"#,
    );
    let arguments = |given: Value| Value::Object(request(given).unwrap().arguments(&odd).unwrap());
    assert_eq!(arguments(json!({"name": "s/t", "input": "hello"})), json!({"input": "hello"}));
    assert_eq!(
        arguments(json!({"name": "s/t", "arguments": {"input": "hello"}})),
        json!({"input": "hello"})
    );
    let flat = json!({"name": "s/t", "input": "hello", "args": [1]});
    assert_eq!(arguments(flat), json!({"input": "hello", "args": [1]}));
}

#[test]
fn plain_arguments_are_only_taken_from_well_formed_calls() {
    let fast = |given: Value| request(given).unwrap().plain_arguments().cloned();
    assert_eq!(
        fast(json!({"name": "t", "arguments": {"a": 1}})),
        json!({"a": 1}).as_object().cloned()
    );
    assert_eq!(fast(json!({"name": "t", "arguments": "{}"})), None);
    assert_eq!(fast(json!({"name": "t", "a": 1})), None);
    assert_eq!(fast(json!({"name": "t", "arguments": {}, "a": 1})), None);
}

#[test]
fn invalid_digests_are_rejected() {
    let digest = Digest::of_bytes(b"x");
    let read =
        request(json!({"name": "t", "arguments": {}, "expect": digest.to_string()})).unwrap();
    assert_eq!(read.expect, Some(digest));
    assert_eq!(request(json!({"name": "t", "arguments": {}, "expect": ""})).unwrap().expect, None);
    let output = request(json!({"name": "t", "arguments": {}, "expect": "abc"})).unwrap_err();
    assert!(output.is_error() && texts(&output)[0].starts_with("`expect` is not a digest"));
}

/// X-06.
#[test]
fn a_call_without_a_name_gets_the_fixed_text() {
    for arguments in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "  "}),
        json!({"name": 5}),
        json!({"name": null}),
        json!([]),
    ] {
        let output = request(arguments).unwrap_err();
        assert!(output.is_error());
        assert_eq!(texts(&output), ["Tool name is required"]);
    }
    assert_eq!(texts(&ExecuteRequest::parse(None).unwrap_err()), ["Tool name is required"]);
}

#[test]
fn meta_tools_cannot_be_executed() {
    for name in ["execute_tool", "tool_search", " `execute_tool`"] {
        let output =
            request(json!({"name": name, "arguments": {"name": "execute_tool"}})).unwrap_err();
        assert!(output.is_error() && texts(&output)[0].starts_with("execute_tool cannot run "));
    }
}

/// X-07.
#[test]
fn an_unknown_tool_gets_the_fixed_text_and_similar_names() {
    let gateway = gateway("mail/send_email -- x\nother/search -- x\nmore/search -- x");
    let output = not_found("nonexistent", &gateway.resolve("nonexistent").unwrap_err());
    assert!(output.is_error());
    assert_eq!(
        texts(&output),
        ["Tool not found: nonexistent. Use tool_search to discover available tools."]
    );
    let output = not_found("send_mail", &gateway.resolve("send_mail").unwrap_err());
    assert_eq!(texts(&output)[1], "Did you mean `mail/send_email`?");
    let output = not_found("search", &gateway.resolve("search").unwrap_err());
    assert!(output.is_error());
    assert!(texts(&output)[0].contains("`more/search` or `other/search`"), "{:?}", texts(&output));
    let odd = format!("\u{1b}[2J{}", "x".repeat(5_000));
    let output = not_found(&odd, &gateway.resolve(&odd).unwrap_err());
    assert!(texts(&output)[0].len() < 400 && !texts(&output)[0].contains('\u{1b}'));
}

/// X-08.
#[test]
fn missing_arguments_are_listed_with_their_schema_and_an_example() {
    let (tool, error) = rejected(json!({"to": "a@b.c"}));
    insta::assert_snapshot!(texts(&failure(&tool, &error))[0], @r#"
    Invalid arguments for `mail/send_email`:
    - `subject` is required and missing (at /subject)
      schema: {"type":"string","minLength":3}
    Example: {"name":"mail/send_email","arguments":{"to":"name@example.com","subject":"text"}}
    "#);
    let (tool, error) = rejected(json!({"to": "a@b.c", "subject": null}));
    insta::assert_snapshot!(texts(&failure(&tool, &error))[0], @r#"
    Invalid arguments for `mail/send_email`:
    - `subject`: the value is not of type "string" (at /subject)
      schema: {"type":"string","minLength":3}
    Example: {"name":"mail/send_email","arguments":{"to":"name@example.com","subject":"text"}}
    "#);
    let (tool, error) = rejected(
        json!({"to": "a@b.c", "subject": "Hello", "copies": 0, "from": {"name": 5}, "x": 1}),
    );
    insta::assert_snapshot!(texts(&failure(&tool, &error))[0], @r#"
    Invalid arguments for `mail/send_email`:
    - `copies`: the value is less than the minimum of 1 (at /copies)
      schema: {"type":"integer","minimum":1}
    - `name`: the value is not of type "string" (at /from/name)
      schema: {"type":"string"}
    - Additional properties are not allowed ('x' was unexpected)
    Example: {"name":"mail/send_email","arguments":{"to":"name@example.com","subject":"text","copies":1,"from":{}}}
    "#);
}

/// X-08, keeping the arguments that were right.
#[test]
fn the_example_keeps_valid_arguments_and_similar_names_are_reported() {
    let request = request(
        json!({"name": "send_email", "arguments": {"to": "a@b.c", "subjct": "Hello", "copies": 0}}),
    )
    .unwrap();
    let tool = tool(SEND);
    let error = ArgumentValidator::new(&tool)
        .unwrap()
        .arguments(request.arguments(&tool).unwrap())
        .unwrap_err();
    let output = request.failure(&tool, &error);
    assert!(output.is_error());
    insta::assert_snapshot!(texts(&output)[0], @r#"
    Invalid arguments for `mail/send_email`:
    - `subject` is required and missing (at /subject); you passed `subjct`
      schema: {"type":"string","minLength":3}
    - `copies`: the value is less than the minimum of 1 (at /copies)
      schema: {"type":"integer","minimum":1}
    - Additional properties are not allowed ('subjct' was unexpected)
    Example: {"name":"mail/send_email","arguments":{"to":"a@b.c","subject":"text","copies":1}}
    "#);
}

#[test]
fn examples_match_the_schema() {
    let schemas = [
        r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number","exclusiveMinimum":3}},"required":["x"]},"minItems":1}},"required":["a"]}"#,
        r##"{"type":"object","$defs":{"d":{"enum":["red","blue"]}},"properties":{"a":{"$ref":"#/$defs/d"},"b":{"const":4},"c":{"type":"string","format":"uuid"}},"required":["a","b","c"]}"##,
        r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer","minimum":7}]},"b":{"type":"string","minLength":20,"maxLength":22},"c":{"type":"string","maxLength":2}},"required":["a","b","c"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"number","maximum":-2},"d":{"type":"string","examples":["x1"],"pattern":"^x\\d$"}},"required":["a","b","d"]}"#,
    ];
    for schema in schemas {
        let tool = tool(&format!("s/t -- x -- {schema}"));
        let validator = ArgumentValidator::new(&tool).unwrap();
        let error = validator.arguments(Arguments::new()).unwrap_err();
        let output = failure(&tool, &error);
        let text = &texts(&output)[0];
        let example: Value =
            serde_json::from_str(text.rsplit("Example: ").next().unwrap()).unwrap();
        let Value::Object(arguments) = example["arguments"].clone() else { panic!("{text}") };
        assert!(validator.arguments(arguments).is_ok(), "{text}");
    }
}

#[test]
fn arguments_that_are_not_an_object_get_an_example() {
    for arguments in [json!(5), json!("hello"), json!([1, 2]), json!(true)] {
        let output = request(json!({"name": "send_email", "arguments": arguments}))
            .unwrap()
            .arguments(&tool(SEND));
        // The key `arguments` may itself be a flattened argument; then the result is invalid
        // arguments.
        match output {
            Ok(nearest) => assert_eq!(Value::Object(nearest), json!({"arguments": arguments})),
            Err(output) => assert!(
                texts(&output)[0].contains("Example: {\"name\":\"mail/send_email\""),
                "{output:?}"
            ),
        }
    }
}

/// X-17: the refusal has the text of the authorization error; the tool stays quarantined.
#[test]
fn a_rejection_has_the_text_and_hint_of_the_gateway() {
    let gateway = gateway("!mail/send_email -- x");
    let tool = gateway.resolve("send_email").unwrap();
    let refused = Error::Refused(toolscout_core::authorization::AuthorizationError::Quarantined {
        tool: tool.id.to_string(),
        reason: "it has changed".to_owned(),
    });
    let output = failure(&tool, &refused);
    assert!(output.is_error());
    let text = &texts(&output)[0];
    assert!(text.starts_with("`mail/send_email` is quarantined: it has changed\nhint: "), "{text}");
}

/// The text that a call without arguments gets for this schema.
fn rejection(schema: Value) -> String {
    let tool = tool(&format!("s/t -- x -- {schema}"));
    let error = ArgumentValidator::new(&tool).unwrap().arguments(Arguments::new()).unwrap_err();
    texts(&failure(&tool, &error)).remove(0)
}

#[test]
fn an_example_of_a_recursive_schema_stays_small() {
    let names: Vec<_> = ('a'..='t').map(String::from).collect();
    let itself: serde_json::Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({"$ref": "#"}))).collect();
    let text = rejection(json!({"type": "object", "properties": itself, "required": names}));
    assert!(text.contains(r#"Example: {"name":"s/t","arguments":{"a":{"#), "{text}");
    assert!(text.len() < 8_000, "{} bytes", text.len());
}

#[test]
fn an_example_of_a_number_above_every_integer_is_an_integer() {
    let property = json!({"type": "integer", "exclusiveMinimum": i64::MAX});
    let text =
        rejection(json!({"type": "object", "properties": {"n": property}, "required": ["n"]}));
    assert!(text.contains(r#""arguments":{"n":9223372036854775807}"#), "{text}");
}

//! Single values, required options, and whole arguments with `--input`.

use super::{call, page, read, tool, with};
use crate::cli::flags::{InputFrom, ToolFlags};
use serde_json::{Value, json};

/// S-11: the choices are listed; they may be of any scalar type.
#[test]
fn a_choice_is_one_of_its_values() {
    for schema in [
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}),
        json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}),
        json!({"enum": ["a", "b", null]}),
    ] {
        let tool = with(&json!({"mode": schema}));
        assert_eq!(
            call(&tool, &["--mode", "c"]),
            r#"Invalid value for --mode: "c" (choose from: a, b)"#
        );
        assert_eq!(call(&tool, &["--mode", "b"]), r#"{"mode":"b"}"#);
        assert!(page(&tool).contains("(choices: a, b)"));
    }
    let numbers = with(&json!({"level": {"enum": [1, 2.5, "three"]}}));
    assert_eq!(call(&numbers, &["--level", "2.5"]), r#"{"level":2.5}"#);
    assert_eq!(call(&numbers, &["--level", "three"]), r#"{"level":"three"}"#);
    assert_eq!(call(&with(&json!({"v": {"const": 2}})), &["--v", "2"]), r#"{"v":2}"#);
}

/// S-12: defaults are shown, not inserted; a given value is passed on, even if it is empty.
#[test]
fn defaults_are_shown_and_empty_values_kept() {
    let tool = with(&json!({
        "format": {"type": "string", "default": "json", "description": "How"},
        "count": {"type": "integer", "default": 5},
        "cache": {"type": "boolean", "default": true},
        "tags": {"type": "array", "items": {"type": "string"}, "default": ["x"]}
    }));
    let page = page(&tool);
    for shown in ["How (default: json)", "(default: 5)", "(default: true)", r#"(default: ["x"])"#] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    assert_eq!(call(&tool, &[]), "{}");
    let line = ["--format=", "--count", "0", "--no-cache", "--tags=[]"];
    assert_eq!(call(&tool, &line), r#"{"format":"","count":0,"cache":false,"tags":[]}"#);
}

/// S-16: an error, not NaN. S-24: booleans both ways.
#[test]
fn values_have_the_types_of_the_schema() {
    let tool = with(&json!({
        "n": {"type": "number"}, "i": {"type": ["integer", "null"]}, "b": {"type": "boolean"}, "s": {"type": "string"}
    }));
    assert_eq!(call(&tool, &["--n", "abc"]), r#"Invalid value for --n: "abc" is not a number"#);
    assert_eq!(
        call(&tool, &["--n", "-5", "--i", "18446744073709551615"]),
        r#"{"n":-5,"i":18446744073709551615}"#
    );
    assert_eq!(call(&tool, &["--n", "1e3", "--b=false"]), r#"{"n":1000.0,"b":false}"#);
    assert_eq!(call(&tool, &["--no-b"]), r#"{"b":false}"#);
    assert_eq!(
        call(&tool, &["--s", "@file", "--i", "1.5"]),
        r#"Invalid value for --i: "1.5" is not an integer"#
    );
    assert_eq!(call(&tool, &["--s", "@file"]), r#"{"s":"@file"}"#);
    assert_eq!(call(&tool, &["--s", "5"]), r#"{"s":"5"}"#);
}

#[test]
fn a_flag_of_several_types_takes_json_or_text() {
    let tool = with(&json!({
        "id": {"type": ["string", "integer"]},
        "on": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        "any": {},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "union": {"anyOf": [{"type": "object"}, {"type": "integer"}]}
    }));
    assert_eq!(call(&tool, &["--id", "5", "--on", "5"]), r#"{"id":5,"on":"5"}"#);
    assert_eq!(call(&tool, &["--id", "x", "--on", "true"]), r#"{"id":"x","on":true}"#);
    assert_eq!(call(&tool, &["--id", r#""5""#, "--any", "null"]), r#"{"id":"5","any":null}"#);
    assert_eq!(
        call(&tool, &["--any", "plain words", "--map", r#"{"k":"v"}"#]),
        r#"{"any":"plain words","map":{"k":"v"}}"#
    );
    assert!(
        call(&tool, &["--any", "{broken"])
            .starts_with(r#"Invalid value for --any: "{broken" is not JSON"#)
    );
    assert!(
        call(&tool, &["--union", "words"])
            .starts_with(r#"Invalid value for --union: "words" is not JSON"#)
    );
    assert_eq!(
        call(&tool, &["--union", "true"]),
        r#"Invalid value for --union: "true" is not JSON"#
    );
}

#[test]
fn references_are_followed() {
    let tool = tool(&json!({
        "$ref": "#/$defs/Args",
        "$defs": {
            "Args": {"type": "object", "properties": {"mode": {"$ref": "#/$defs/Mode", "description": "Here"}, "at": {"allOf": [{"$ref": "#/$defs/Point"}]}}},
            "Mode": {"enum": ["fast", "slow"], "description": "There"},
            "Point": {"type": "object", "properties": {"x": {"type": "integer"}}}
        }
    }));
    assert_eq!(call(&tool, &["--mode", "fast", "--at-x", "3"]), r#"{"mode":"fast","at":{"x":3}}"#);
    assert!(page(&tool).contains("Here (choices: fast, slow)"));
}

fn fetch() -> Value {
    json!({
        "type": "object",
        "properties": {"url": {"type": "string"}, "format": {"type": "string", "default": "json"}, "o": {"type": "object", "properties": {"x": {}, "y": {}}}},
        "required": ["url", "format"]
    })
}

/// S-19: a missing option is reported by its flag; an option with a default is not missing.
#[test]
fn missing_required_flags_are_reported() {
    assert_eq!(call(&tool(&fetch()), &[]), "Missing required option: --url");
    assert!(page(&tool(&fetch())).starts_with("Usage: toolscout demo [OPTIONS] --url TEXT\n"));
    assert!(read(&ToolFlags::new(&tool(&fetch())), &["--help"]).is_ok());
}

#[test]
fn flags_override_the_json_of_input() {
    let tool = tool(&fetch());
    let input = r#"{"url":"u","more":[1],"o":{"x":1,"y":2}}"#;
    assert_eq!(call(&tool, &["--input", input]), input);
    assert_eq!(
        call(&tool, &["--input", input, "--o-x", "9", "--url=v"]),
        r#"{"url":"v","more":[1],"o":{"x":9,"y":2}}"#
    );
    assert_eq!(call(&tool, &["--input", "{}"]), "Missing required option: --url");
    assert_eq!(
        call(&tool, &["--input", "[]"]),
        r#"Invalid value for --input: "[]" is not a JSON object"#
    );
    assert!(
        call(&tool, &["--input", "nonsense"])
            .starts_with(r#"Invalid value for --input: "nonsense" is not a JSON object ("#)
    );
}

#[test]
fn the_caller_reads_files_and_standard_input() {
    let flags = ToolFlags::new(&tool(&fetch()));
    let input_of = |text: &str| {
        let parsed = read(&flags, &["--input", text]).unwrap();
        let got = flags.arguments_with(&parsed, |from| match from {
            InputFrom::File("args.json") => Ok(r#"{"url":"file"}"#.to_owned()),
            InputFrom::Stdin => Ok(r#"{"url":"stdin"}"#.to_owned()),
            _ => Err("no such file".to_owned()),
        });
        got.map_or_else(|error| error.to_string(), |got| Value::Object(got).to_string())
    };
    assert_eq!(input_of("@args.json"), r#"{"url":"file"}"#);
    assert_eq!(input_of("-"), r#"{"url":"stdin"}"#);
    assert_eq!(input_of("@gone"), "Cannot read gone: no such file");
}

#[test]
fn properties_take_precedence_over_built_in_flags() {
    let mine = with(
        &json!({"input": {"type": "string"}, "json": {"type": "string"}, "help": {"type": "boolean"}}),
    );
    assert_eq!(
        call(&mine, &["--input", "x", "--json", "y", "--help"]),
        r#"{"input":"x","json":"y","help":true}"#
    );
    let flags = ToolFlags::new(&mine);
    let parsed = read(&flags, &["--input", "x", "--json=true", "--help"]).unwrap();
    assert!(
        !flags.wants_help(&parsed) && !flags.wants_json(&parsed) && flags.input(&parsed).is_none()
    );
    let flags = ToolFlags::new(&with(&json!({})));
    let parsed = read(&flags, &["--json", "-h"]).unwrap();
    assert!(flags.wants_help(&parsed) && flags.wants_json(&parsed));
}

//! 1. Placeholders are found; braces that contain no name are text.
//! 2. Arguments become argv entries and variables, whole, each in one piece.

use super::{TemplatePart, argv, parts, variables};
use serde_json::{Value, json};
use toolscout_core::Arguments;

fn arguments(value: Value) -> Arguments {
    value.as_object().expect("an object").clone()
}

fn filled(templates: &[&str], value: Value) -> Vec<String> {
    let templates: Vec<_> = templates.iter().map(|template| (*template).to_owned()).collect();
    argv(&templates, &arguments(value)).expect("the template is valid")
}

#[test]
fn placeholders_are_found_and_other_braces_are_text() {
    assert_eq!(
        parts("a{b}c"),
        [TemplatePart::Text("a"), TemplatePart::Placeholder("b"), TemplatePart::Text("c")]
    );
    assert_eq!(
        parts("{a}{b-c.d}"),
        [TemplatePart::Placeholder("a"), TemplatePart::Placeholder("b-c.d")]
    );
    for text in ["", "{", "}", "{}", "{a b}", "{\"a\":1}", "${", "a{"] {
        assert!(parts(text).iter().all(|item| *item == TemplatePart::Text(text)), "{text}");
    }
    assert_eq!(
        parts("{\"q\": {q}}"),
        [TemplatePart::Text("{\"q\": "), TemplatePart::Placeholder("q"), TemplatePart::Text("}")]
    );
}

#[test]
fn a_placeholder_takes_a_whole_value() {
    let value = json!({"url": "http://e/?a=1&b=2", "n": 3, "yes": true, "o": {"k": [1]}});
    let all = filled(&["--url", "{url}", "-n", "{n}", "{yes}", "--o={o}", "{o.k}"], value);
    assert_eq!(all, ["--url", "http://e/?a=1&b=2", "-n", "3", "true", r#"--o={"k":[1]}"#, "1"]);
}

#[test]
fn inserted_values_are_not_expanded_again() {
    assert_eq!(filled(&["{a}"], json!({"a": "{b}", "b": "x"})), ["{b}"]);
}

#[test]
fn an_absent_argument_omits_its_flag() {
    assert_eq!(filled(&["-v", "--url", "{url}", "end"], json!({})), ["-v", "end"]);
    assert_eq!(filled(&["-v", "--url={url}"], json!({"url": null})), ["-v"]);
    assert_eq!(filled(&["--", "{file}"], json!({})), ["--"]);
    assert_eq!(filled(&["get", "{file}"], json!({})), ["get"]);
}

#[test]
fn a_list_repeats_its_flag() {
    let value = json!({"tag": ["a", "b c", 3], "none": []});
    assert_eq!(
        filled(&["--tag", "{tag}"], value.clone()),
        ["--tag", "a", "--tag", "b c", "--tag", "3"]
    );
    assert_eq!(filled(&["--tag={tag}"], value.clone()), ["--tag=a", "--tag=b c", "--tag=3"]);
    assert_eq!(filled(&["--", "{tag}"], value.clone()), ["--", "a", "b c", "3"]);
    assert_eq!(filled(&["--none", "{none}"], value), Vec::<String>::new());
}

#[test]
fn without_templates_each_argument_is_one_flag() {
    let value =
        json!({"url": "-rf", "deep": {"a": 1}, "tags": ["x", "y"], "off": false, "none": null});
    assert_eq!(filled(&[], value), ["--url=-rf", r#"--deep={"a":1}"#, "--tags=x", "--tags=y"]);
}

#[test]
fn a_boolean_is_a_switch_after_its_flag() {
    let templates = ["--verbose", "{verbose}", "--color={color}", "{file}"];
    let value = json!({"verbose": true, "color": true, "file": "a"});
    assert_eq!(filled(&templates, value), ["--verbose", "--color=true", "a"]);
    let value = json!({"verbose": false, "color": false, "file": "a"});
    assert_eq!(filled(&templates, value), ["--color=false", "a"]);
    assert_eq!(filled(&[], json!({"verbose": true, "quiet": false})), ["--verbose"]);
}

/// U-20: a list can also be one entry, with a separator that no item may contain.
#[test]
fn a_joined_list_is_one_entry() {
    let value = json!({"tag": ["a", "b c", 3], "none": []});
    assert_eq!(filled(&["--tags={tag:,}"], value.clone()), ["--tags=a,b c,3"]);
    assert_eq!(filled(&["--tags", "{tag::}"], value.clone()), ["--tags", "a:b c:3"]);
    assert_eq!(filled(&["--x", "{none:,}", "{tag...}"], value), ["a", "b c", "3"]);
    assert_eq!(filled(&["--tags={tag:,}"], json!({})), Vec::<String>::new());
    let value = json!({"tag": ["a", "b"]});
    assert_eq!(filled(&["-x", "--tag", "{tag...}"], value), ["-x", "--tag", "a", "b"]);
    assert_eq!(filled(&["--tag", "{tag...}"], json!({"tag": []})), Vec::<String>::new());
    let err = argv(&["{tag:,}".to_owned()], &arguments(json!({"tag": ["a", "b,c"]})))
        .expect_err("refused");
    let expected = "argument `tag`: `b,c` contains `,`, which separates the items";
    assert_eq!(err.to_string(), expected);
    assert_eq!(parts("{\"a\":,}"), [TemplatePart::Text("{\"a\":,}")]);
}

#[test]
fn variables_are_named_after_their_arguments() {
    let value = json!({"url": "a b", "max-size": 3, "o": {"k": 1}, "none": null});
    let expected = [("TOOL_MAX_SIZE", "3"), ("TOOL_O", r#"{"k":1}"#), ("TOOL_URL", "a b")];
    let expected: Vec<_> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(variables(&arguments(value)).expect("the arguments are valid"), expected);
}

#[test]
fn nul_bytes_and_duplicate_variables_are_refused() {
    let zero = arguments(json!({"a": "x\0y"}));
    assert!(argv(&["{a}".to_owned()], &zero).is_err());
    assert!(argv(&[], &zero).is_err());
    assert_eq!(
        variables(&zero).expect_err("refused").to_string(),
        "argument `a` contains a NUL byte, which an environment variable cannot hold"
    );
    let twins = arguments(json!({"a-b": 1, "a_b": 2}));
    assert_eq!(
        variables(&twins).expect_err("refused").to_string(),
        "arguments `a-b` and `a_b` would both become the environment variable `TOOL_A_B`"
    );
}

//! The text of JSON edits.

use super::*;

#[test]
fn a_new_server_is_formatted_like_its_neighbours() {
    let change = || set(&["servers", "b"], json!({"command": "x", "args": ["1", "2"]}));
    let tabs = "{\n\t\"servers\": {\n\t\t\"a\": {} // first\n\t\t// the end\n\t}\n}\n";
    assert_eq!(
        json_after(tabs, change()),
        "{\n\t\"servers\": {\n\t\t\"a\": {}, // first\n\t\t\"b\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": [\"1\", \"2\"]\n\t\t}\n\t\t// the end\n\t}\n}\n"
    );
    assert_eq!(
        json_after("{\"servers\": {\"a\": {}}}", change()),
        "{\"servers\": {\"a\": {}, \"b\": {\"command\": \"x\", \"args\": [\"1\", \"2\"]}}}"
    );
    assert_eq!(
        json_after("{\n  \"servers\": {},\n}", change()),
        "{\n  \"servers\": {\n    \"b\": {\n      \"command\": \"x\",\n      \"args\": [\"1\", \"2\"]\n    }\n  },\n}"
    );
}

#[test]
fn missing_tables_are_created() {
    let change = || set(&["servers", "b"], json!({"command": "x"}));
    let made = "{\n  \"servers\": {\n    \"b\": {\n      \"command\": \"x\"\n    }\n  }\n}";
    assert_eq!(json_after("", change()), format!("{made}\n"));
    assert_eq!(json_after("{}", change()), made);
    assert_eq!(json_after("// ours\n", change()), format!("// ours\n{made}\n"));
    assert_eq!(json_after("{\n  \"servers\": null\n}", change()), made);
}

#[test]
fn a_trailing_comma_is_preserved() {
    let text = "{\n  \"servers\": {\n    \"a\": {}, // first\n  },\n}\n";
    let added = "{\n  \"servers\": {\n    \"a\": {}, // first\n    \"b\": {},\n  },\n}\n";
    assert_eq!(json_after(text, set(&["servers", "b"], json!({}))), added);
    assert_eq!(json_after(added, remove(&["servers", "b"])), text);
}

#[test]
fn removing_a_server_removes_its_comments() {
    let text = "{\n  \"servers\": {\n    // one\n    \"a\": {}, // first\n    /* two */\n    // again\n    \"b\": {\n      \"command\": \"x\"\n    } // second\n    // the end\n  }\n}\n";
    assert_eq!(
        json_after(text, remove(&["servers", "b"])),
        "{\n  \"servers\": {\n    // one\n    \"a\": {} // first\n    // the end\n  }\n}\n"
    );
    assert_eq!(
        json_after(text, remove(&["servers", "a"])),
        "{\n  \"servers\": {\n    /* two */\n    // again\n    \"b\": {\n      \"command\": \"x\"\n    } // second\n    // the end\n  }\n}\n"
    );
}

#[test]
fn removing_from_one_line_removes_the_correct_comma() {
    for (before, expected) in [
        ("{\"s\": {\"a\": 1, \"b\": 2}}", "{\"s\": {\"b\": 2}}"),
        ("{\"s\": {\"b\": 2, \"a\": 1}}", "{\"s\": {\"b\": 2}}"),
        ("{\"s\": {\"b\": 2, \"a\": 1,}}", "{\"s\": {\"b\": 2,}}"),
        ("{\"s\": { \"a\": 1 }}", "{\"s\": {}}"),
        ("{\"s\": {\n  \"a\": 1, \"b\": 2\n}}", "{\"s\": {\n  \"b\": 2\n}}"),
        ("{\"s\": {\n  \"b\": 2, \"a\": 1\n}}", "{\"s\": {\n  \"b\": 2\n}}"),
        ("{\"s\": {\n  \"a\": 1\n}}", "{\"s\": {}}"),
        ("{\"s\": {\n  \"b\": 2,\n  \"a\": 1 }}", "{\"s\": {\n  \"b\": 2 }}"),
        ("{\"s\": {\"b\": 2,\n  \"a\": 1}}", "{\"s\": {\"b\": 2}}"),
    ] {
        assert_eq!(json_after(before, remove(&["s", "a"])), expected);
    }
}

#[test]
fn a_value_is_replaced_in_place() {
    let text = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\", \"disabled\" : true /* why */ }\n  }\n}";
    assert_eq!(
        json_after(text, set(&["mcpServers", "a", "disabled"], json!(false))),
        "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\", \"disabled\" : false /* why */ }\n  }\n}"
    );
}

#[test]
fn crlf_line_endings_and_a_byte_order_mark_are_preserved() {
    let text = "\u{feff}{\r\n  \"servers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n";
    let added = json_after(text, set(&["servers", "b"], json!({"command": "x"})));
    assert_eq!(added.matches('\n').count(), added.matches("\r\n").count());
    assert_eq!(json_after(&added, remove(&["servers", "b"])), text);
}

#[test]
fn commas_and_braces_in_comments_are_ignored() {
    let text = "{\n  \"s\": {\n    \"a\": 1 /* , } */ /* again */, // , \"b\": {\n    \"c\": \"// no, comment\"\n  }\n}\n";
    let added = json_after(text, set(&["s", "d"], json!(true)));
    assert_eq!(json_after(&added, remove(&["s", "d"])), text);
    assert_eq!(
        json_after(text, remove(&["s", "c"])),
        "{\n  \"s\": {\n    \"a\": 1 /* , } */ /* again */ // , \"b\": {\n  }\n}\n"
    );
}

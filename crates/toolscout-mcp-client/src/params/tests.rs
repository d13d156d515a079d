//! Parameters are sent as received, on one line.

use super::RequestParams;
use serde_json::{Map, Value, json};
use toolscout_core::RawJson;

fn written(params: &RequestParams) -> String {
    let mut out = String::new();
    params.write(&mut out);
    out
}

#[test]
fn raw_params_are_sent_unmodified_on_one_line() {
    let raw = RawJson::parse(
        "{ \"big\": 123456789012345678901234567890, \"_meta\": {\"a\": 1},\n \"list\": [1.0,\n2] }",
    );
    let mut params = RequestParams::from_raw(&raw.expect("JSON")).expect("an object");
    params.meta.insert("b".to_owned(), 2.into());
    assert_eq!(
        written(&params),
        r#"{"big":123456789012345678901234567890,"list":[1.0,2],"_meta":{"a":1,"b":2}}"#
    );
}

#[test]
fn empty_params_are_an_object_and_a_list_is_rejected() {
    assert_eq!(written(&RequestParams::default()), "{}");
    assert_eq!(RequestParams::from_raw(&RawJson::parse("[1]").expect("JSON")), None);
    assert_eq!(
        written(&RequestParams {
            meta: Map::from_iter([("x".to_owned(), Value::Null)]),
            ..RequestParams::default()
        }),
        r#"{"_meta":{"x":null}}"#
    );
}

#[test]
fn keys_are_escaped() {
    let params = RequestParams::default().with("a\"b", &json!({"c": "\n"}));
    assert_eq!(written(&params), r#"{"a\"b":{"c":"\n"}}"#);
}

//! 1. Each kind of message is recognized, and an invalid text gives the reason.
//! 2. Ids, parameters and results stay the bytes that were received; each written message is one
//!    line.

use super::*;

fn reason(text: &str) -> InvalidReason {
    read(text.as_bytes()).expect_err(text).reason
}

#[test]
fn an_invalid_message_gives_the_reason() {
    assert!(read(b"not json").expect_err("invalid JSON").syntax.is_some());
    assert!(
        read(br#"{"jsonrpc":"2.0","id":1,"method":"x"#).expect_err("invalid JSON").syntax.is_some()
    );
    assert!(read(b"{\"jsonrpc\":\"\xff\"}").expect_err("invalid JSON").syntax.is_some());
    assert!(matches!(reason("[]"), InvalidReason::Batch));
    assert!(matches!(reason("1"), InvalidReason::NotAnObject));
    assert!(matches!(reason(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#), InvalidReason::Version));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","id":"a","method":7}"#),
        InvalidReason::Envelope(_)
    ));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#),
        InvalidReason::Envelope(_)
    ));
    assert!(matches!(reason(r#"{"jsonrpc":"2.0","id":1}"#), InvalidReason::NoOutcome));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","method":"x","result":{}}"#),
        InvalidReason::RequestAndResponse
    ));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#),
        InvalidReason::ErrorNotAnObject
    ));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#),
        InvalidReason::MalformedError(_)
    ));
    let both = r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#;
    assert!(matches!(reason(both), InvalidReason::ResultAndError));
}

#[test]
fn a_list_is_not_read_as_an_envelope() {
    assert!(matches!(reason(r#"["2.0",2,"ping",null,null,null]"#), InvalidReason::Batch));
}

#[test]
fn an_id_keeps_its_spelling() {
    for id in ["1", "-7", "1.50", r#""a\u0062""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Ok(Message::Request { id: read, .. }) = read(text.as_bytes()) else {
            panic!("{text} should be a request")
        };
        assert!(is_id(read.get()));
        assert_eq!(
            result(read.get(), "{}"),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
    assert!(["null", "true", "[1]", "{}"].iter().all(|id| !is_id(id)));
}

#[test]
fn a_response_keeps_the_bytes_of_its_result_and_error() {
    let text = r#"{"result":{ "b" : 1.0, "a":"\u00e9" },"jsonrpc":"2.0","id":7,"error":null}"#;
    let Ok(Message::Response { outcome: Ok(result), .. }) = read(text.as_bytes()) else {
        panic!("expected a response")
    };
    assert_eq!(result.get(), r#"{ "b" : 1.0, "a":"\u00e9" }"#);
    let text = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{ "x":1 }}}"#;
    let Ok(Message::Response { outcome: Err(error), .. }) = read(text.as_bytes()) else {
        panic!("expected a response")
    };
    assert_eq!(super::error(Some("1"), &error), text);
}

#[test]
fn a_multi_line_result_is_written_on_one_line() {
    let text = result("1", "{\r\n  \"content\": [ {\n\"text\": \"a\\nb\" } ]\n}");
    assert_eq!(text, r#"{"jsonrpc":"2.0","id":1,"result":{  "content": [ {"text": "a\nb" } ]}}"#);
}

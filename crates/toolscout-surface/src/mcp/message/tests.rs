//! Proves that
//! 1. each kind of message is recognized, and anything else gets the error code of the protocol,
//! 2. forwarded parts are unchanged, on one line.

use super::*;
use toolscout_core::jsonrpc;

fn error_of(text: &str) -> (Option<String>, i64) {
    let unreadable = parse(text.as_bytes()).expect_err(text);
    (unreadable.id.map(|id| id.as_str().to_owned()), unreadable.error.code)
}

/// H-02, H-03, H-05.
#[test]
fn malformed_messages_get_the_error_code_of_the_protocol() {
    assert_eq!(error_of("not json"), (None, RpcError::PARSE));
    assert_eq!(error_of(r#"{"jsonrpc":"2.0","id":1,"method":"x"#), (None, RpcError::PARSE));
    assert_eq!(error_of("[]"), (None, RpcError::REQUEST));
    assert_eq!(error_of("1"), (None, RpcError::REQUEST));
    assert_eq!(
        error_of(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#),
        (Some("1".into()), RpcError::REQUEST)
    );
    assert_eq!(
        error_of(r#"{"jsonrpc":"2.0","id":"a","method":7}"#),
        (Some("\"a\"".into()), RpcError::REQUEST)
    );
    assert_eq!(error_of(r#"{"jsonrpc":"2.0","id":1}"#), (Some("1".into()), RpcError::REQUEST));
    assert_eq!(
        error_of(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#).1,
        RpcError::REQUEST
    );
    assert_eq!(
        error_of(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}"#),
        (Some("1".into()), RpcError::PARAMS)
    );
    assert_eq!(error_of(r#"["2.0",1,"ping",null,null,null]"#), (None, RpcError::REQUEST));
    assert_eq!(error_of(&" ".repeat(MAX_MESSAGE_BYTES + 1)).1, RpcError::REQUEST);
}

#[test]
fn ids_are_strings_or_numbers_and_are_repeated_unchanged() {
    for id in ["1", "-7", "1.50", r#""a\u0062""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Ok(Incoming::Request(request)) = parse(text.as_bytes()) else {
            panic!("{text} should be a request")
        };
        assert_eq!(
            jsonrpc::result(request.id.as_str(), "{}"),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
    for id in ["null", "true", "[1]", "{}"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert!(
            matches!(parse(text.as_bytes()), Ok(Incoming::Notification { .. })),
            "{id} is not a valid id"
        );
    }
}

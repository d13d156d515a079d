//! 1. A valid message is read byte for byte, with any order of keys.
//! 2. An unreadable message is attributed to its request, if its id can be extracted without
//!    parsing.
//! 3. Other input is never mistaken for a message.
//! 4. Depth and number of values are limited before anything is parsed.

use super::super::limits::Limits;
use super::{
    ClientError, RawJson, RpcError, ServerMessage, UnreadableMessage, read, response,
    reverse_request_id,
};
use serde_json::value::RawValue;

fn limits() -> Limits {
    Limits::default()
}

fn result_of(line: &str) -> (u64, String) {
    match read(line.as_bytes(), &limits()) {
        Ok(ServerMessage::Reply { id, outcome: Ok(result) }) => (id, result.get().to_owned()),
        other => panic!("{other:?}"),
    }
}

fn ids_in(line: &[u8]) -> Vec<u64> {
    match read(line, &limits()) {
        Err(UnreadableMessage { request_ids, .. }) => request_ids,
        other => panic!("{other:?}"),
    }
}

fn reason(line: &str, limits: &Limits) -> String {
    read(line.as_bytes(), limits).expect_err("the message is invalid").reason
}

#[test]
fn a_result_is_read_byte_for_byte() {
    let spaced = r#"{"jsonrpc":"2.0","id":7,"result":{ "b" : 1.0, "a":"\u00e9" }}"#;
    assert_eq!(result_of(spaced), (7, r#"{ "b" : 1.0, "a":"\u00e9" }"#.to_owned()));
    let id_last = r#"{"result":{"tools":[]},"jsonrpc":"2.0","id":3}"#;
    assert_eq!(result_of(id_last), (3, r#"{"tools":[]}"#.to_owned()));
}

#[test]
fn a_null_error_beside_a_result_is_accepted() {
    assert_eq!(result_of(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#).0, 1);
}

#[test]
fn an_error_keeps_the_servers_message_and_data() {
    let line = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"x":1}}}"#;
    let Ok(ServerMessage::Reply {
        id: 1,
        outcome: Err(ClientError::Answered { code, message, data }),
    }) = read(line, &limits())
    else {
        panic!("an error")
    };
    assert_eq!(
        (code, message.as_str(), data.expect("data").as_str()),
        (-32601, "no", r#"{"x":1}"#)
    );
}

/// T08: each of these ends request 2 at once instead of at its deadline.
#[test]
fn an_unreadable_response_names_its_request() {
    let lines: [&[u8]; 14] = [
        br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"ec"#,
        br#"{"result":{"tools":[{"a":"}"},]},"jsonrpc":"2.0","id":2}"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"\xff\xfe \xc0\xaf\"}}",
        br#"{"jsonrpc":"1.0","id":2,"result":{}}"#,
        br#"{"id":2,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}}"#,
        br#"{"jsonrpc":"2.0","id":2,"error":{"code":"E","message":"s"}}"#,
        br#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":null}}"#,
        br#"{"jsonrpc":"2.0","id":2,"error":"boom"}"#,
        br#"{"jsonrpc":"2.0","id":2,"error":{}}"#,
        br#"{"jsonrpc":"2.0","id":2,"Result":{"Tools":[]}}"#,
        br#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#,
        br#"{"jsonrpc": "2.0", "id": 2, "result": null}"#,
        br#"{"jsonrpc":"2.0","id":2,"result":{},"result":{"tools":[]}}"#,
    ];
    for line in lines {
        assert_eq!(ids_in(line), [2], "{}", String::from_utf8_lossy(line));
    }
    assert_eq!(
        ids_in(br#"{"jsonrpc":"2.0","id":2,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}"#),
        [2, 2]
    );
    assert_eq!(ids_in(br#"{"jsonrpc":"2.0","id":2,"id":3,"result":{}}"#), [2, 3]);
}

#[test]
fn other_unreadable_input_names_no_request() {
    let lines: [&[u8]; 12] = [
        b"INFO listing {\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {}}",
        b"got {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/li",
        b"{\"id\": 2, \"name\": \"an issue in a listing\"},",
        b"{\"level\":\"info\",\"msg\":\"hi\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{",
        b"{\"jsonrpc\":\"2.0\",\"result\":{\"id\":2",
        b"[1,2]",
        b"42",
        b"null",
        b"\"text\"",
        b"{",
    ];
    for line in lines {
        assert_eq!(ids_in(line), [] as [u64; 0], "{}", String::from_utf8_lossy(line));
    }
}

/// Numbers match numbers: the string `"2"` is not the id of a request.
#[test]
fn an_id_of_another_type_is_a_stray() {
    for id in ["\"2\"", "null", "2.0", "-2", "[2]", "1e3", "99999999999999999999999"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert!(matches!(read(line.as_bytes(), &limits()), Ok(ServerMessage::Stray)), "{id}");
    }
}

#[test]
fn a_list_is_not_read_as_an_envelope() {
    assert!(reason(r#"["2.0",2,null,null,{}]"#, &limits()).contains("batch"));
}

/// T03: limit - 1, limit, limit + 1.
#[test]
fn depth_is_limited_before_parsing() {
    let limits = Limits { depth: 10, ..limits() };
    let nested = |levels: usize| {
        let inner = levels - 1;
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(inner), "]".repeat(inner))
    };
    for levels in [9, 10] {
        assert!(read(nested(levels).as_bytes(), &limits).is_ok(), "{levels}");
    }
    assert!(reason(&nested(11), &limits).contains("deeper than 10"));
    let bomb = nested(1_000_000);
    assert_eq!(read(bomb.as_bytes(), &limits).expect_err("too deep").request_ids, [1]);
}

#[test]
fn values_are_counted_and_keys_are_not() {
    let list = |count: usize| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":[{}0]}}}}"#, "0,".repeat(count - 1))
    };
    // Besides the numbers there are five values: the message, its version, its id, the result, the
    // list.
    let limits = Limits { nodes: 25, ..limits() };
    for count in [19, 20] {
        assert!(read(list(count).as_bytes(), &limits).is_ok(), "{count}");
    }
    assert!(reason(&list(21), &limits).contains("more than 25 values"));
}

#[test]
fn brackets_in_texts_are_not_depth() {
    let text = "[{\\\"".repeat(500);
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"text":"{text}"}}}}"#);
    assert_eq!(result_of(&line).0, 1);
}

#[test]
fn a_response_has_the_id_of_its_request_on_one_line() {
    let id = RawValue::from_string("\"a\"".to_owned()).expect("JSON");
    let result = RawJson::parse("{\n\"x\": 1.0}").expect("JSON");
    assert_eq!(response(&id, &Ok(result)), r#"{"jsonrpc":"2.0","id":"a","result":{"x": 1.0}}"#);
    let declined =
        RpcError { code: -1, message: "a\nb".to_owned(), data: RawJson::parse("[1]").ok() };
    assert_eq!(
        response(&id, &Err(declined)),
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"a\nb","data":[1]}}"#
    );
}

#[test]
fn an_invalid_id_gets_no_response() {
    for (text, is_id) in
        [("\"a\"", true), ("-7", true), ("1.5", true), ("{\"a\":1}", false), ("null", false)]
    {
        let id = RawValue::from_string(text.to_owned()).expect("JSON");
        assert_eq!(reverse_request_id(&id).is_some(), is_id, "{text}");
    }
    let long = RawValue::from_string(format!("\"{}\"", "x".repeat(300))).expect("JSON");
    assert!(reverse_request_id(&long).is_none());
}

/// Arbitrary input causes no panic, and no reply with a result.
#[test]
fn no_bytes_make_it_panic() {
    let whole = r#"{"jsonrpc":"2.0","id":2,"result":{"a":["\u00e9\\\"",{"b":-1.5e3}]},"x":null}"#
        .as_bytes();
    for end in 0..whole.len() {
        assert!(read(&whole[..end], &limits()).is_err());
        for byte in [0, b'"', b'\\', b'{', b']', 0xff] {
            let mut bytes = whole.to_vec();
            bytes[end] = byte;
            let _ = read(&bytes, &limits());
        }
    }
}

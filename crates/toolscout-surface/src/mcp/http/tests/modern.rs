use super::super::mirror;
use super::*;
use crate::mcp::errors;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toolscout_core::RawJson;

const VERSION: &str = "MCP-Protocol-Version: 2026-07-28";

fn code(answer: &Answer) -> (u16, i64) {
    (answer.status, answer.code())
}

/// H-12, as far as it concerns HTTP: one request, one response, no stored state.
#[tokio::test]
async fn a_request_stands_alone_and_is_answered_with_json() {
    let house = house().await;
    let answer = house.modern("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.json()["result"]["params"]["arguments"], json!({"a": 1}));
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(house.endpoint.sessions.len(), 0);
}

/// H-14.
#[tokio::test]
async fn a_version_nobody_speaks_is_answered_with_those_that_are() {
    let house = house().await;
    let mut params = with_meta(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
    let headers = ["MCP-Protocol-Version: 1900-01-01", "Mcp-Method: server/discover"];
    let answer = house.post(&headers, &message("server/discover", params)).await;
    assert_eq!(code(&answer), (400, errors::VERSION));
    let data = &answer.json()["error"]["data"];
    assert_eq!(
        (&data["requested"], &data["supported"][0]),
        (&json!("1900-01-01"), &json!("2026-07-28"))
    );
    assert_eq!(answer.json()["id"], 1);
    let alone =
        house.post(&["MCP-Protocol-Version: 1900-01-01"], &message("tools/list", json!({}))).await;
    assert_eq!(code(&alone), (400, errors::VERSION));
}

/// A client of the old era must send `initialize` first.
#[tokio::test]
async fn an_old_version_does_not_stand_alone() {
    let house = house().await;
    let mut params = with_meta(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2025-11-25".into();
    let answer = house
        .post(
            &["MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list"],
            &message("tools/list", params),
        )
        .await;
    assert_eq!(code(&answer), (400, errors::VERSION));
    assert_eq!(answer.json()["error"]["data"]["supported"], json!(["2026-07-28"]));
}

#[tokio::test]
async fn what_a_request_must_say_of_itself_is_missed() {
    let house = house().await;
    let headers = [VERSION, "Mcp-Method: server/discover"];
    let without = |key: &str| {
        let mut params = with_meta(json!({}));
        params["_meta"]
            .as_object_mut()
            .expect("meta")
            .remove(&format!("io.modelcontextprotocol/{key}"));
        params
    };
    for params in [
        json!({}),
        json!({"_meta": {}}),
        json!({"_meta": 1}),
        without("protocolVersion"),
        without("clientCapabilities"),
    ] {
        let answer = house.post(&headers, &message("server/discover", params.clone())).await;
        assert_eq!(code(&answer), (400, RpcError::PARAMS), "{params}");
        assert_eq!(answer.json()["id"], 1);
    }
    assert_eq!(house.parrot.counts().begun, 0);
}

#[tokio::test]
async fn errors_have_their_status() {
    let house = house().await;
    assert_eq!(code(&house.modern("nobody/knows", json!({})).await), (404, RpcError::METHOD));
    assert_eq!(code(&house.modern("initialize", json!({})).await), (404, RpcError::METHOD));
    assert_eq!(code(&house.modern("lacking", json!({})).await), (400, -32021));
    assert_eq!(code(&house.modern("failing", json!({})).await), (200, RpcError::PARAMS));
}

#[tokio::test]
async fn there_is_no_session_and_nothing_to_get_or_delete() {
    let house = house().await;
    let session = house.greet(&[]).await;
    for method in ["GET", "DELETE"] {
        let answer = house.site.ask(request(method, "/mcp", &[VERSION, &session], "")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    // A session id in a modern request is ignored.
    let headers = [VERSION, "Mcp-Method: who", "Mcp-Session-Id: nonsense"];
    assert_eq!(house.post(&headers, &message("who", with_meta(json!({})))).await.status, 200);
    let told = house
        .post(&[VERSION], &notification("notifications/cancelled", json!({"requestId": 1})))
        .await;
    assert_eq!((told.status, told.body.as_str()), (202, ""));
    assert_eq!(
        house.post(&[VERSION], &json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await.status,
        400
    );
}

fn encoded(text: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(text))
}

/// T29.
#[tokio::test]
async fn what_headers_say_is_what_the_message_says_or_nothing_happens() {
    let house = house().await;
    let mut wrong: Vec<(Vec<String>, Value)> = Vec::new();
    let header = |name: &str, value: &str| format!("{name}: {value}");
    let call = message("tools/call", with_meta(json!({"name": "echo"})));
    let good = [VERSION.to_owned(), header("Mcp-Method", "tools/call"), header("Mcp-Name", "echo")];
    // Each header missing, twice, or different.
    for at in 0..good.len() {
        let mut headers = good.to_vec();
        headers.remove(at);
        wrong.push((headers.clone(), call.clone()));
        for other in [
            good[at].clone(),
            good[at].replace("echo", "rm").replace("call", "list").replace("28", "29"),
        ] {
            headers = good.to_vec();
            headers.insert(at, other);
            wrong.push((headers.clone(), call.clone()));
        }
    }
    for version in ["2026-07-29", "2025-11-25", "2026-07-28.0", ""] {
        wrong.push((
            vec![header("MCP-Protocol-Version", version), good[1].clone(), good[2].clone()],
            call.clone(),
        ));
    }
    for method in [
        "tools/list",
        "TOOLS/CALL",
        "tools/calls",
        "tools",
        "",
        "tools/call,tools/list",
        "\"tools/call\"",
        "t\u{f6}",
    ] {
        wrong.push((
            vec![good[0].clone(), header("Mcp-Method", method), good[2].clone()],
            call.clone(),
        ));
    }
    let near = [
        "Echo",
        "ECHO",
        "echo2",
        "ech",
        "",
        "\"echo\"",
        "echo,rm",
        "=?base64?ZWNobw?=",
        "=?base64?ZWNo!w==?=",
        "=?base64?ZWNobw==",
        "=?BASE64?ZWNobw==?=",
        "ZWNobw==",
        "=?base64??=",
        "=?base64?/w==?=",
        "e\u{301}cho",
    ];
    for name in near {
        wrong
            .push((vec![good[0].clone(), good[1].clone(), header("Mcp-Name", name)], call.clone()));
    }
    // The same for resources and prompts, with various names.
    for at in 0..50 {
        for (method, field) in
            [("resources/read", "uri"), ("prompts/get", "name"), ("tools/call", "name")]
        {
            let mut params = json!({});
            params[field] = format!("it-{at}").into();
            let name = if at % 2 == 0 {
                format!("it-{}", at + 1)
            } else {
                encoded(&format!("it-{}", at + 1))
            };
            let headers =
                vec![good[0].clone(), header("Mcp-Method", method), header("Mcp-Name", &name)];
            wrong.push((headers, message(method, with_meta(params))));
        }
    }
    wrong.push((good.to_vec(), message("tools/call", with_meta(json!({})))));
    wrong.push((good.to_vec(), message("tools/call", with_meta(json!({"name": 7})))));
    assert!(wrong.len() > 180, "{}", wrong.len());
    for (headers, body) in wrong {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let answer = house.post(&headers, &body).await;
        assert_eq!(code(&answer), (400, errors::HEADERS), "{headers:?} {body}");
    }
    assert_eq!(house.parrot.counts().begun, 0, "nothing happens");
}

#[tokio::test]
async fn headers_that_say_the_same_in_other_words_are_understood() {
    let house = house().await;
    for (sent, name) in [
        ("Mcp-Name: echo", "echo"),
        ("MCP-NAME:   echo  ", "echo"),
        (&format!("Mcp-Name: {}", encoded("echo")), "echo"),
        (&format!("Mcp-Name: {}", encoded("Hello, 世界")), "Hello, 世界"),
        (&format!("Mcp-Name: {}", encoded(" padded ")), " padded "),
        (&format!("Mcp-Name: {}", encoded("=?base64?literal?=")), "=?base64?literal?="),
        ("Mcp-Name: =?base64?ZWNobw==", "=?base64?ZWNobw=="),
    ] {
        let headers = [VERSION, "mcp-method: tools/call", sent];
        let answer =
            house.post(&headers, &message("tools/call", with_meta(json!({"name": name})))).await;
        assert_eq!(answer.status, 200, "{sent}: {answer:?}");
    }
}

fn mirrored(arguments: Value, headers: &[(&str, &str)]) -> bool {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        "free": {"type": "string"},
    }});
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let arguments = arguments.as_object().expect("arguments");
    match mirror::check(&RawJson::from_value(&schema), arguments, &headers) {
        Ok(()) => true,
        Err(fault) => {
            assert_eq!(fault.code, errors::HEADERS);
            false
        }
    }
}

/// T29, T24: arguments that a tool mirrors in headers.
#[test]
fn arguments_that_are_mirrored_must_be_and_must_be_right() {
    let region = |it: &str| mirrored(json!({"region": "Hello"}), &[("mcp-param-region", it)]);
    assert!(region("Hello") && region(" Hello ") && region(&encoded("Hello")));
    assert!(
        !region("hello")
            && !region("")
            && !region("=?base64?SGVsbG8?=")
            && !region("=?base64?SGVs!!!bG8=?=")
    );
    assert!(mirrored(json!({"region": "SGVsbG8="}), &[("mcp-param-region", "SGVsbG8=")]));
    assert!(mirrored(
        json!({"region": "=?base64?SGVsbG8="}),
        &[("mcp-param-region", "=?base64?SGVsbG8=")]
    ));
    assert!(!mirrored(json!({"region": "Hello"}), &[]));
    assert!(!mirrored(
        json!({"region": "Hello"}),
        &[("mcp-param-region", "Hello"), ("mcp-param-region", "Hello")]
    ));
    assert!(mirrored(json!({}), &[]) && mirrored(json!({"region": null}), &[]));
    assert!(!mirrored(json!({}), &[("mcp-param-region", "Hello")]));
    assert!(mirrored(
        json!({"free": "x"}),
        &[("mcp-param-free", "y"), ("mcp-param-other", "\u{fffd}")]
    ));
    let count = |it: &str| mirrored(json!({"count": 42}), &[("mcp-param-count", it)]);
    assert!(count("42") && count("42.0") && !count("43") && !count("0x2a") && !count("forty-two"));
    let flag = |it: &str| mirrored(json!({"deep": {"flag": true}}), &[("mcp-param-flag", it)]);
    assert!(flag("true") && !flag("True") && !flag("false") && !flag("1"));
    assert!(!mirrored(json!({"deep": {"flag": false}}), &[]) && mirrored(json!({"deep": 7}), &[]));
}

use super::super::mirror;
use super::*;
use crate::mcp::errors;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toolscout_core::RawJson;

const VERSION: &str = "MCP-Protocol-Version: 2026-07-28";

fn code(response: &WireResponse) -> (u16, i64) {
    (response.status, response.code())
}

/// H-12, as far as it concerns HTTP: one request, one response, no stored state.
#[tokio::test]
async fn a_request_needs_no_session_and_gets_json() {
    let fixture = fixture().await;
    let response =
        fixture.modern("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    assert_eq!(response.json()["result"]["params"]["arguments"], json!({"a": 1}));
    assert_eq!(response.header("mcp-session-id"), None);
    assert_eq!(fixture.endpoint.sessions.len(), 0);
}

/// H-14.
#[tokio::test]
async fn an_unsupported_version_gets_the_supported_ones() {
    let fixture = fixture().await;
    let mut params = with_meta(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
    let headers = ["MCP-Protocol-Version: 1900-01-01", "Mcp-Method: server/discover"];
    let response = fixture.post(&headers, &message("server/discover", params)).await;
    assert_eq!(code(&response), (400, errors::VERSION));
    let data = &response.json()["error"]["data"];
    assert_eq!(
        (&data["requested"], &data["supported"][0]),
        (&json!("1900-01-01"), &json!("2026-07-28"))
    );
    assert_eq!(response.json()["id"], 1);
    let alone = fixture
        .post(&["MCP-Protocol-Version: 1900-01-01"], &message("tools/list", json!({})))
        .await;
    assert_eq!(code(&alone), (400, errors::VERSION));
}

/// A client of the legacy era must send `initialize` first.
#[tokio::test]
async fn a_legacy_version_requires_initialize() {
    let fixture = fixture().await;
    let mut params = with_meta(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2025-11-25".into();
    let response = fixture
        .post(
            &["MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list"],
            &message("tools/list", params),
        )
        .await;
    assert_eq!(code(&response), (400, errors::VERSION));
    assert_eq!(response.json()["error"]["data"]["supported"], json!(["2026-07-28"]));
}

#[tokio::test]
async fn required_meta_fields_are_checked() {
    let fixture = fixture().await;
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
        let response = fixture.post(&headers, &message("server/discover", params.clone())).await;
        assert_eq!(code(&response), (400, RpcError::PARAMS), "{params}");
        assert_eq!(response.json()["id"], 1);
    }
    assert_eq!(fixture.fake_server.counts().started, 0);
}

#[tokio::test]
async fn errors_have_their_http_status() {
    let fixture = fixture().await;
    assert_eq!(code(&fixture.modern("nobody/knows", json!({})).await), (404, RpcError::METHOD));
    assert_eq!(code(&fixture.modern("initialize", json!({})).await), (404, RpcError::METHOD));
    assert_eq!(code(&fixture.modern("lacking", json!({})).await), (400, -32021));
    assert_eq!(code(&fixture.modern("failing", json!({})).await), (200, RpcError::PARAMS));
}

#[tokio::test]
async fn modern_requests_have_no_session() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    for method in ["GET", "DELETE"] {
        let response = fixture.site.send(request(method, "/mcp", &[VERSION, &session], "")).await;
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
    // A session id in a modern request is ignored.
    let headers = [VERSION, "Mcp-Method: who", "Mcp-Session-Id: nonsense"];
    assert_eq!(fixture.post(&headers, &message("who", with_meta(json!({})))).await.status, 200);
    let notified = fixture
        .post(&[VERSION], &notification("notifications/cancelled", json!({"requestId": 1})))
        .await;
    assert_eq!((notified.status, notified.body.as_str()), (202, ""));
    assert_eq!(
        fixture.post(&[VERSION], &json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await.status,
        400
    );
}

fn encoded(text: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(text))
}

/// T29.
#[tokio::test]
async fn headers_that_contradict_the_message_are_rejected() {
    let fixture = fixture().await;
    let mut wrong: Vec<(Vec<String>, Value)> = Vec::new();
    let header = |name: &str, value: &str| format!("{name}: {value}");
    let call = message("tools/call", with_meta(json!({"name": "echo"})));
    let good = [VERSION.to_owned(), header("Mcp-Method", "tools/call"), header("Mcp-Name", "echo")];
    // Each header missing, twice, or different.
    for index in 0..good.len() {
        let mut headers = good.to_vec();
        headers.remove(index);
        wrong.push((headers.clone(), call.clone()));
        for other in [
            good[index].clone(),
            good[index].replace("echo", "rm").replace("call", "list").replace("28", "29"),
        ] {
            headers = good.to_vec();
            headers.insert(index, other);
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
    let similar = [
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
    for name in similar {
        wrong
            .push((vec![good[0].clone(), good[1].clone(), header("Mcp-Name", name)], call.clone()));
    }
    // The same for resources and prompts, with various names.
    for index in 0..50 {
        for (method, field) in
            [("resources/read", "uri"), ("prompts/get", "name"), ("tools/call", "name")]
        {
            let mut params = json!({});
            params[field] = format!("it-{index}").into();
            let name = if index % 2 == 0 {
                format!("it-{}", index + 1)
            } else {
                encoded(&format!("it-{}", index + 1))
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
        let response = fixture.post(&headers, &body).await;
        assert_eq!(code(&response), (400, errors::HEADERS), "{headers:?} {body}");
    }
    assert_eq!(fixture.fake_server.counts().started, 0, "no request starts");
}

#[tokio::test]
async fn equivalent_header_encodings_are_accepted() {
    let fixture = fixture().await;
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
        let response =
            fixture.post(&headers, &message("tools/call", with_meta(json!({"name": name})))).await;
        assert_eq!(response.status, 200, "{sent}: {response:?}");
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
        Err(error) => {
            assert_eq!(error.code, errors::HEADERS);
            false
        }
    }
}

/// T29, T24: arguments that a tool mirrors in headers.
#[test]
fn mirrored_arguments_must_match_their_headers() {
    let region = |text: &str| mirrored(json!({"region": "Hello"}), &[("mcp-param-region", text)]);
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
    let count = |text: &str| mirrored(json!({"count": 42}), &[("mcp-param-count", text)]);
    assert!(count("42") && count("42.0") && !count("43") && !count("0x2a") && !count("forty-two"));
    let flag = |text: &str| mirrored(json!({"deep": {"flag": true}}), &[("mcp-param-flag", text)]);
    assert!(flag("true") && !flag("True") && !flag("false") && !flag("1"));
    assert!(!mirrored(json!({"deep": {"flag": false}}), &[]) && mirrored(json!({"deep": 7}), &[]));
}

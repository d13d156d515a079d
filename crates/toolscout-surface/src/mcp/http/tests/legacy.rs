use super::*;
use crate::http::fixture::{ADA, BOB, tokens};
use crate::mcp::errors;

fn delete(headers: &[&str]) -> String {
    request("DELETE", "/mcp", headers, "")
}

/// H-01.
#[tokio::test]
async fn bodies_of_other_media_types_are_rejected() {
    let fixture = fixture().await;
    for kind in [
        "Content-Type: text/plain",
        "Content-Type: application/jsonx",
        "X: y",
        "Content-Type: application/json; charset=latin1",
    ] {
        let response = fixture
            .site
            .send(request("POST", "/mcp", &[kind], "Content-Length: 2\r\n") + "{}")
            .await;
        assert_eq!((response.status, response.code()), (415, errors::BUSY), "{kind}");
    }
    let twice = ["Content-Type: application/json", "Content-Type: text/plain"];
    assert_eq!(
        fixture
            .site
            .send(request("POST", "/mcp", &twice, "Content-Length: 2\r\n") + "{}")
            .await
            .status,
        415
    );
    let fine = ["Content-Type: Application/JSON ; charset=\"UTF-8\""];
    assert_eq!(
        fixture
            .site
            .send(request("POST", "/mcp", &fine, "Content-Length: 2\r\n") + "{}")
            .await
            .status,
        400
    );
}

/// H-02, H-03, H-05.
#[tokio::test]
async fn malformed_messages_get_their_error_code() {
    let fixture = fixture().await;
    let cases = [
        ("not json", RpcError::PARSE),
        ("", RpcError::PARSE),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, RpcError::REQUEST),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, RpcError::REQUEST),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, RpcError::REQUEST),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}"#, RpcError::PARAMS),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}"#, RpcError::PARAMS),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            RpcError::PARAMS,
        ),
    ];
    for (body, code) in cases {
        let response = fixture.site.send(post(&[], body)).await;
        assert_eq!((response.status, response.code()), (400, code), "{body}");
    }
    assert_eq!(fixture.fake_server.counts().started, 0);
}

/// H-04.
#[tokio::test]
async fn an_unknown_method_is_an_error_response_in_a_session() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let response = fixture.post(&[&session], &message("nobody/knows", json!({}))).await;
    assert_eq!((response.status, response.code()), (200, RpcError::METHOD));
}

/// H-06.
#[tokio::test]
async fn get_requires_an_event_stream() {
    let fixture = fixture().await;
    for accept in ["Accept: application/json", "Accept: */*", "Accept: text/html"] {
        let response = fixture.site.send(request("GET", "/mcp", &[accept], "")).await;
        assert_eq!((response.status, response.header("allow")), (405, Some("POST, DELETE")));
        assert_eq!(response.code(), errors::BUSY);
    }
    for method in ["PUT", "PATCH", "OPTIONS"] {
        let response =
            fixture.site.send(request(method, "/mcp", &[], "Content-Length: 0\r\n")).await;
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("GET, POST, DELETE")),
            "{method}"
        );
    }
}

/// H-07: rejected at the endpoint itself, before anything is read or started.
#[tokio::test]
async fn foreign_origins_are_rejected() {
    let fixture = fixture().await;
    let response =
        fixture.post(&["Origin: https://evil.example.com"], &initialize("2025-11-25")).await;
    assert_eq!((response.status, response.header("mcp-session-id")), (403, None));
    assert_eq!(fixture.fake_server.counts().started, 0);
}

/// H-08.
#[tokio::test]
async fn notifications_get_202_without_a_body() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let response =
        fixture.post(&[&session], &notification("notifications/initialized", json!({}))).await;
    assert_eq!(
        (response.status, response.body.as_str(), response.header("content-type")),
        (202, "", None)
    );
    assert_eq!(fixture.fake_server.counts().notified, 1);
}

/// H-09.
#[tokio::test]
async fn versions_are_negotiated() {
    let fixture = fixture().await;
    for (requested, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        for header in [
            None,
            Some("MCP-Protocol-Version: 2025-11-25"),
            Some("MCP-Protocol-Version: 2026-07-28"),
        ] {
            let headers: Vec<&str> = header.into_iter().collect();
            let response = fixture.post(&headers, &initialize(requested)).await;
            assert_eq!(
                (response.status, &response.json()["result"]["protocolVersion"]),
                (200, &json!(agreed)),
                "{requested}"
            );
            assert!(response.header("mcp-session-id").is_some_and(|header| header.len() == 32));
        }
    }
}

/// H-11.
#[tokio::test]
async fn sessions_are_required_and_end_on_delete() {
    let fixture = fixture().await;
    let ping = message("ping", json!({}));
    let session = fixture.start_session(&[]).await;
    let bad = "Mcp-Session-Id: 00000000000000000000000000000000";
    assert_eq!(fixture.post(&[], &ping).await.status, 400);
    assert_eq!(fixture.post(&[bad], &ping).await.status, 404);
    assert_eq!(fixture.post(&[&session, &session], &ping).await.status, 400);
    assert_eq!(fixture.post(&[&session], &ping).await.status, 200);
    let ends = [
        (vec![], 400),
        (vec![bad], 404),
        (vec![session.as_str()], 200),
        (vec![session.as_str()], 404),
    ];
    for (headers, status) in ends {
        assert_eq!(fixture.site.send(delete(&headers)).await.status, status, "{headers:?}");
    }
    assert_eq!(fixture.post(&[&session], &ping).await.status, 404);
    assert_eq!(fixture.endpoint.sessions.len(), 0);
    fixture.fake_server.until(|counts| counts.notified_clients == 0).await;
}

#[tokio::test]
async fn a_failed_initialize_starts_no_session() {
    let fixture = fixture().await;
    let response = fixture.post(&[], &message("initialize", json!({}))).await;
    assert_eq!(
        (response.status, response.code(), response.header("mcp-session-id")),
        (200, RpcError::PARAMS, None)
    );
    assert_eq!(fixture.endpoint.sessions.len(), 0);
}

#[tokio::test]
async fn unsupported_versions_are_rejected_in_a_session() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let ping = message("ping", json!({}));
    for (version, status) in
        [("2025-06-18", 200), ("2024-11-05", 200), ("1900-01-01", 400), ("", 400)]
    {
        let response =
            fixture.post(&[&session, &format!("MCP-Protocol-Version: {version}")], &ping).await;
        assert_eq!(response.status, status, "{version}");
    }
}

/// T28: for every other principal the session does not exist.
#[tokio::test]
async fn a_session_belongs_to_its_principal() {
    let fixture = fixture_with(terms(tokens())).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let session = fixture.start_session(&[&ada]).await;
    let ping = message("ping", json!({}));
    assert_eq!(fixture.post(&[&bob, &session], &ping).await.status, 404);
    assert_eq!(fixture.post(&[&session], &ping).await.status, 401);
    let events = "Accept: text/event-stream";
    assert_eq!(
        fixture.site.send(request("GET", "/mcp", &[&bob, &session, events], "")).await.status,
        404
    );
    assert_eq!(fixture.site.send(delete(&[&bob, &session])).await.status, 404);
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(fixture.post(&[&bob, &session], &response).await.status, 404);
    assert_eq!(fixture.post(&[&ada, &session], &ping).await.status, 200);
    assert_eq!(
        fixture.post(&[&ada, &session], &message("who", json!({}))).await.json()["result"]["user"],
        "ada"
    );
}

#[tokio::test]
async fn a_session_belongs_to_its_profile() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let ping = message("ping", json!({})).to_string();
    assert_eq!(fixture.site.send(post_to("/mcp/read", &[&session], &ping)).await.status, 404);
    assert_eq!(fixture.site.send(post_to("/mcp/none", &[&session], &ping)).await.status, 404);
    assert_eq!(fixture.site.send(post_to("/mcp/", &[&session], &ping)).await.status, 404);
    let read =
        fixture.site.send(post_to("/mcp/read", &[], &initialize("2025-11-25").to_string())).await;
    let session = format!("Mcp-Session-Id: {}", read.header("mcp-session-id").expect("a session"));
    assert_eq!(fixture.site.send(post_to("/mcp/read", &[&session], &ping)).await.status, 200);
    assert_eq!(fixture.site.send(post_to("/mcp", &[&session], &ping)).await.status, 404);
}

/// T30: credentials for this server are not passed on.
#[tokio::test]
async fn headers_are_forwarded_without_credentials() {
    let fixture = fixture_with(terms(tokens())).await;
    let ada = format!("Authorization: Bearer {ADA}");
    let headers = [
        ada.as_str(),
        "Cookie: a=b",
        "Proxy-Authorization: x",
        "X-Tenant: Seven",
        "Connection: keep-alive",
        "TE: trailers",
    ];
    let session = fixture.start_session(&headers).await;
    let response = fixture.post(&[&ada, &session], &message("who", json!({}))).await;
    assert!(!response.body.contains(ADA) && !response.body.contains("a=b"), "{}", response.body);
    let forwarded: Vec<Value> =
        response.json()["result"]["headers"].as_array().expect("headers").clone();
    let names: Vec<&str> = forwarded.iter().map(|item| item[0].as_str().expect("a name")).collect();
    assert_eq!(names, ["host", "accept", "x-tenant", "content-type"]);
    assert_eq!(forwarded[2], json!(["x-tenant", "Seven"]));
}

#[tokio::test]
async fn show_all_lists_every_tool() {
    let fixture = fixture().await;
    let shows_all = async |path: &str, headers: &[&str]| {
        let mut all = vec!["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: who"];
        all.extend(headers);
        let response = fixture
            .site
            .send(post_to(path, &all, &message("who", with_meta(json!({}))).to_string()))
            .await;
        response.json()["result"]["showsAll"].clone()
    };
    for (path, header) in [
        ("/mcp", "X-MCP-Show-All: true"),
        ("/mcp", "x-mcp-show-all: TRUE"),
        ("/mcp", "X-MCP-Show-All: 1"),
        ("/mcp?show_all=true", "X: y"),
        ("/mcp/read?a=b&show_all=True", "X: y"),
    ] {
        assert_eq!(shows_all(path, &[header]).await, true, "{path} {header}");
    }
    for (path, header) in [
        ("/mcp", "X: y"),
        ("/mcp", "X-MCP-Show-All: false"),
        ("/mcp?show_all=no", "X: y"),
        ("/mcp?xshow_all=true", "X: y"),
    ] {
        assert_eq!(shows_all(path, &[header]).await, false, "{path} {header}");
    }
}

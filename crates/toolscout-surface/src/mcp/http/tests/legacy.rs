use super::*;
use crate::http::fixture::{ADA, BOB, tokens};
use crate::mcp::errors;

fn delete(headers: &[&str]) -> String {
    request("DELETE", "/mcp", headers, "")
}

/// H-01.
#[tokio::test]
async fn a_body_that_is_not_called_json_is_not_read() {
    let house = house().await;
    for kind in [
        "Content-Type: text/plain",
        "Content-Type: application/jsonx",
        "X: y",
        "Content-Type: application/json; charset=latin1",
    ] {
        let answer =
            house.site.ask(request("POST", "/mcp", &[kind], "Content-Length: 2\r\n") + "{}").await;
        assert_eq!((answer.status, answer.code()), (415, errors::BUSY), "{kind}");
    }
    let twice = ["Content-Type: application/json", "Content-Type: text/plain"];
    assert_eq!(
        house
            .site
            .ask(request("POST", "/mcp", &twice, "Content-Length: 2\r\n") + "{}")
            .await
            .status,
        415
    );
    let fine = ["Content-Type: Application/JSON ; charset=\"UTF-8\""];
    assert_eq!(
        house.site.ask(request("POST", "/mcp", &fine, "Content-Length: 2\r\n") + "{}").await.status,
        400
    );
}

/// H-02, H-03, H-05.
#[tokio::test]
async fn what_is_no_message_is_answered_with_the_number_for_it() {
    let house = house().await;
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
        let answer = house.site.ask(post(&[], body)).await;
        assert_eq!((answer.status, answer.code()), (400, code), "{body}");
    }
    assert_eq!(house.parrot.counts().begun, 0);
}

/// H-04.
#[tokio::test]
async fn a_method_nobody_knows_is_an_answer_in_a_session() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let answer = house.post(&[&session], &message("nobody/knows", json!({}))).await;
    assert_eq!((answer.status, answer.code()), (200, RpcError::METHOD));
}

/// H-06.
#[tokio::test]
async fn get_is_for_streams_of_events_only() {
    let house = house().await;
    for accept in ["Accept: application/json", "Accept: */*", "Accept: text/html"] {
        let answer = house.site.ask(request("GET", "/mcp", &[accept], "")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST, DELETE")));
        assert_eq!(answer.code(), errors::BUSY);
    }
    for method in ["PUT", "PATCH", "OPTIONS"] {
        let answer = house.site.ask(request(method, "/mcp", &[], "Content-Length: 0\r\n")).await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("GET, POST, DELETE")),
            "{method}"
        );
    }
}

/// H-07: rejected at the endpoint itself, before anything is read or started.
#[tokio::test]
async fn a_foreign_page_is_refused() {
    let house = house().await;
    let answer = house.post(&["Origin: https://evil.example.com"], &initialize("2025-11-25")).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (403, None));
    assert_eq!(house.parrot.counts().begun, 0);
}

/// H-08.
#[tokio::test]
async fn a_notification_is_taken_without_a_word() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let answer =
        house.post(&[&session], &notification("notifications/initialized", json!({}))).await;
    assert_eq!(
        (answer.status, answer.body.as_str(), answer.header("content-type")),
        (202, "", None)
    );
    assert_eq!(house.parrot.counts().notified, 1);
}

/// H-09.
#[tokio::test]
async fn a_version_we_speak_is_agreed_to_and_for_others_ours_is_offered() {
    let house = house().await;
    for (asked, agreed) in [
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
            let answer = house.post(&headers, &initialize(asked)).await;
            assert_eq!(
                (answer.status, &answer.json()["result"]["protocolVersion"]),
                (200, &json!(agreed)),
                "{asked}"
            );
            assert!(answer.header("mcp-session-id").is_some_and(|it| it.len() == 32));
        }
    }
}

/// H-11.
#[tokio::test]
async fn a_session_is_needed_known_ended_and_then_unknown() {
    let house = house().await;
    let ping = message("ping", json!({}));
    let session = house.greet(&[]).await;
    let bad = "Mcp-Session-Id: 00000000000000000000000000000000";
    assert_eq!(house.post(&[], &ping).await.status, 400);
    assert_eq!(house.post(&[bad], &ping).await.status, 404);
    assert_eq!(house.post(&[&session, &session], &ping).await.status, 400);
    assert_eq!(house.post(&[&session], &ping).await.status, 200);
    let ends = [
        (vec![], 400),
        (vec![bad], 404),
        (vec![session.as_str()], 200),
        (vec![session.as_str()], 404),
    ];
    for (headers, status) in ends {
        assert_eq!(house.site.ask(delete(&headers)).await.status, status, "{headers:?}");
    }
    assert_eq!(house.post(&[&session], &ping).await.status, 404);
    assert_eq!(house.endpoint.sessions.len(), 0);
    house.parrot.until(|it| it.informed == 0).await;
}

#[tokio::test]
async fn a_greeting_that_fails_begins_no_session() {
    let house = house().await;
    let answer = house.post(&[], &message("initialize", json!({}))).await;
    assert_eq!(
        (answer.status, answer.code(), answer.header("mcp-session-id")),
        (200, RpcError::PARAMS, None)
    );
    assert_eq!(house.endpoint.sessions.len(), 0);
}

#[tokio::test]
async fn a_version_that_nobody_speaks_is_refused_in_a_session_too() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let ping = message("ping", json!({}));
    for (version, status) in
        [("2025-06-18", 200), ("2024-11-05", 200), ("1900-01-01", 400), ("", 400)]
    {
        let answer =
            house.post(&[&session, &format!("MCP-Protocol-Version: {version}")], &ping).await;
        assert_eq!(answer.status, status, "{version}");
    }
}

/// T28: for every other principal the session does not exist.
#[tokio::test]
async fn a_session_belongs_to_who_began_it() {
    let house = house_with(terms(tokens())).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let session = house.greet(&[&ada]).await;
    let ping = message("ping", json!({}));
    assert_eq!(house.post(&[&bob, &session], &ping).await.status, 404);
    assert_eq!(house.post(&[&session], &ping).await.status, 401);
    let events = "Accept: text/event-stream";
    assert_eq!(
        house.site.ask(request("GET", "/mcp", &[&bob, &session, events], "")).await.status,
        404
    );
    assert_eq!(house.site.ask(delete(&[&bob, &session])).await.status, 404);
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(house.post(&[&bob, &session], &answer).await.status, 404);
    assert_eq!(house.post(&[&ada, &session], &ping).await.status, 200);
    assert_eq!(
        house.post(&[&ada, &session], &message("who", json!({}))).await.json()["result"]["user"],
        "ada"
    );
}

#[tokio::test]
async fn a_session_of_one_profile_is_none_of_another() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let ping = message("ping", json!({})).to_string();
    assert_eq!(house.site.ask(post_to("/mcp/read", &[&session], &ping)).await.status, 404);
    assert_eq!(house.site.ask(post_to("/mcp/none", &[&session], &ping)).await.status, 404);
    assert_eq!(house.site.ask(post_to("/mcp/", &[&session], &ping)).await.status, 404);
    let read =
        house.site.ask(post_to("/mcp/read", &[], &initialize("2025-11-25").to_string())).await;
    let session = format!("Mcp-Session-Id: {}", read.header("mcp-session-id").expect("a session"));
    assert_eq!(house.site.ask(post_to("/mcp/read", &[&session], &ping)).await.status, 200);
    assert_eq!(house.site.ask(post_to("/mcp", &[&session], &ping)).await.status, 404);
}

/// T30: credentials for this server are not passed on.
#[tokio::test]
async fn headers_come_along_without_credentials() {
    let house = house_with(terms(tokens())).await;
    let ada = format!("Authorization: Bearer {ADA}");
    let headers = [
        ada.as_str(),
        "Cookie: a=b",
        "Proxy-Authorization: x",
        "X-Tenant: Seven",
        "Connection: keep-alive",
        "TE: trailers",
    ];
    let session = house.greet(&headers).await;
    let who = house.post(&[&ada, &session], &message("who", json!({}))).await;
    assert!(!who.body.contains(ADA) && !who.body.contains("a=b"), "{}", who.body);
    let kept: Vec<Value> = who.json()["result"]["headers"].as_array().expect("headers").clone();
    let names: Vec<&str> = kept.iter().map(|it| it[0].as_str().expect("a name")).collect();
    assert_eq!(names, ["host", "accept", "x-tenant", "content-type"]);
    assert_eq!(kept[2], json!(["x-tenant", "Seven"]));
}

#[tokio::test]
async fn everything_is_shown_to_who_asks_for_it() {
    let house = house().await;
    let shows_all = async |path: &str, headers: &[&str]| {
        let mut all = vec!["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: who"];
        all.extend(headers);
        let answer = house
            .site
            .ask(post_to(path, &all, &message("who", with_meta(json!({}))).to_string()))
            .await;
        answer.json()["result"]["showsAll"].clone()
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

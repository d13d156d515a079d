use super::*;
use crate::http::fixture::{ADA, BOB, eventually, limited, tokens};
use crate::mcp::errors;
use std::time::Duration;

async fn assert_responsive(fixture: &EndpointFixture) {
    assert_eq!(fixture.modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn oversized_bodies_are_rejected_by_their_declared_length() {
    let fixture = fixture().await;
    for length in ["1073741824", "8388609", "9223372036854775807"] {
        let head = request(
            "POST",
            "/mcp",
            &["Content-Type: application/json"],
            &format!("Content-Length: {length}\r\n"),
        );
        assert_eq!(fixture.site.send(head).await.status, 413, "{length}");
    }
    assert_responsive(&fixture).await;
}

#[tokio::test]
async fn chunked_bodies_are_read_up_to_the_limit() {
    let fixture = fixture_with_limits(Limits { body: 1 << 20, ..Limits::default() }).await;
    let head = request(
        "POST",
        "/mcp",
        &["Content-Type: application/json"],
        "Transfer-Encoding: chunked\r\n",
    );
    let mut wire = fixture.site.dial().await;
    wire.send(head).await;
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    for _ in 0..17 {
        wire.try_send(&chunk).await;
    }
    assert_eq!(wire.head().await.status, 413);
    assert_responsive(&fixture).await;
}

/// At the limit, one below and one above.
#[tokio::test]
async fn bodies_up_to_the_limit_are_accepted() {
    let fixture = fixture_with_limits(Limits { body: 1_000, ..Limits::default() }).await;
    for (length, status) in [(999, 200), (1_000, 200), (1_001, 413)] {
        let message = message("tools/list", with_meta(json!({}))).to_string();
        let body = format!("{message}{}", " ".repeat(length - message.len()));
        let response = fixture
            .site
            .send(post(&["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"], &body))
            .await;
        assert_eq!(response.status, status, "{length}");
    }
}

#[tokio::test]
async fn compressed_bodies_are_rejected() {
    let fixture = fixture().await;
    for encoding in ["gzip", "deflate", "br", "identity, gzip", "x"] {
        let response =
            fixture.site.send(post(&[&format!("Content-Encoding: {encoding}")], "\u{1f}")).await;
        assert_eq!(response.status, 415, "{encoding}");
    }
}

#[tokio::test]
async fn slow_bodies_time_out() {
    let fixture =
        fixture_with_limits(Limits { body_time: Duration::from_millis(200), ..Limits::default() })
            .await;
    let mut wire = fixture.site.dial().await;
    wire.send(
        request("POST", "/mcp", &["Content-Type: application/json"], "Content-Length: 100\r\n")
            + "{",
    )
    .await;
    assert_responsive(&fixture).await;
    assert_eq!(wire.response().await.status, 408);
}

#[tokio::test]
async fn malformed_chunks_are_rejected() {
    let fixture = fixture().await;
    for garbage in [
        "zzz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n",
        "ffffffffffffffffff\r\n{}\r\n",
        "2\r\n{}xx\r\n0\r\n\r\n",
    ] {
        let head = request(
            "POST",
            "/mcp",
            &["Content-Type: application/json"],
            "Transfer-Encoding: chunked\r\n",
        );
        assert_eq!(fixture.site.send(head + garbage).await.status, 400, "{garbage:?}");
    }
    let both = request(
        "POST",
        "/mcp",
        &["Content-Type: application/json"],
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    );
    let mut wire = fixture.site.dial().await;
    wire.send(both + "0\r\n\r\nGET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(wire.response().await.status, 400, "a request with two body lengths is rejected");
    assert_responsive(&fixture).await;
}

#[tokio::test]
async fn bodies_have_a_limit_for_each_client() {
    let fixture = fixture_with_limits(Limits { bodies: 400_000, ..Limits::default() }).await;
    let mut slow = fixture.site.dial().await;
    let head =
        request("POST", "/mcp", &["Content-Type: application/json"], "Content-Length: 90000\r\n");
    slow.send(head + &" ".repeat(80_000)).await;
    let big = format!("{}{}", message("tools/list", with_meta(json!({}))), " ".repeat(50_000));
    let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"];
    eventually(|| fixture.endpoint.shares.bodies.held() > 50_000).await;
    assert_eq!(fixture.site.send(post(&headers, &big)).await.status, 429);
    assert_responsive(&fixture).await;
    drop(slow);
    eventually(|| fixture.endpoint.shares.bodies.held() == 0).await;
}

/// T40: a principal that sends too many requests is rejected, and others are not affected.
#[tokio::test]
async fn a_principal_over_its_limit_gets_429_and_others_are_served() {
    let limits = Limits { requests_each: 8, ..Limits::default() };
    let fixture = fixture_with(limited(tokens(), limits)).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let session = fixture.start_session(&[&ada]).await;
    let mut waiting = Vec::new();
    for id in 10..14 {
        let mut wire = fixture.site.dial().await;
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "wait"}).to_string();
        wire.send(post(&[&ada, &session], &body)).await;
        waiting.push(wire);
    }
    fixture.fake_server.until(|counts| counts.started == 5).await;
    let busy = fixture.post(&[&ada, &session], &message("ping", json!({}))).await;
    assert_eq!(
        (busy.status, busy.code(), busy.header("retry-after")),
        (429, errors::BUSY, Some("1"))
    );
    assert_eq!(busy.json()["id"], 1);
    // A message that can end a request gets through.
    let cancel = notification("notifications/cancelled", json!({"requestId": 10}));
    assert_eq!(fixture.post(&[&ada, &session], &cancel).await.status, 202);
    fixture.fake_server.until(|counts| counts.finished == 2).await;
    assert_eq!(fixture.post(&[&ada, &session], &message("ping", json!({}))).await.status, 200);
    fixture.start_session(&[&bob]).await;
    drop(waiting);
    fixture.fake_server.until(|counts| counts.started == counts.finished).await;
    assert_eq!(fixture.endpoint.shares.requests.held(), 0);
}

#[tokio::test]
async fn requests_and_streams_have_a_total_limit() {
    let fixture =
        fixture_with_limits(Limits { requests: 1, streams: 1, ..Limits::default() }).await;
    let (_listening, head) = fixture.open(modern("subscriptions/listen", json!({}))).await;
    assert_eq!(head.status, 200);
    assert_eq!(fixture.modern("subscriptions/listen", json!({})).await.status, 429);
    let mut wire = fixture.site.dial().await;
    wire.send(modern("wait", json!({}))).await;
    fixture.fake_server.until(|counts| counts.started == 2).await;
    assert_eq!(fixture.modern("tools/list", json!({})).await.status, 429);
    fixture.fake_server.go.add_permits(1);
    assert_eq!(wire.response().await.status, 200);
    assert_responsive(&fixture).await;
}

/// T28: one client cannot have more than a hundred sessions, and does not displace those of
/// another.
#[tokio::test]
async fn a_client_with_too_many_sessions_displaces_its_own() {
    let fixture =
        fixture_with(limited(tokens(), Limits { sessions_each: 100, ..Limits::default() })).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let bobs = fixture.start_session(&[&bob]).await;
    let first = fixture.start_session(&[&ada]).await;
    let busy = fixture.start_session(&[&ada]).await;
    let (_stream, _) =
        fixture.open(request("GET", "/mcp", &[&ada, &busy, "Accept: text/event-stream"], "")).await;
    let mut wire = fixture.site.dial().await;
    let greeting = post(&[&ada], &initialize("2025-11-25").to_string());
    for _ in 0..3_000 {
        wire.send(&greeting).await;
        assert_eq!(wire.response().await.status, 200);
    }
    assert_eq!(fixture.endpoint.sessions.len(), 101);
    let ping = message("ping", json!({}));
    assert_eq!(fixture.post(&[&ada, &first], &ping).await.status, 404);
    assert_eq!(
        fixture.post(&[&ada, &busy], &ping).await.status,
        200,
        "a session in use is not evicted"
    );
    assert_eq!(fixture.post(&[&bob, &bobs], &ping).await.status, 200);
    fixture.fake_server.until(|counts| counts.notified_clients == 101).await;
}

/// V-75: one token for two clients.
#[tokio::test]
async fn sessions_of_a_greedy_client_displace_no_session_of_another() {
    let fixture = fixture_with_limits(Limits { sessions_each: 20, ..Limits::default() }).await;
    let start = async |name: &str| {
        let mut initialize = initialize("2025-11-25");
        initialize["params"]["clientInfo"] = json!({"name": name, "version": "1"});
        let response = fixture.post(&[], &initialize).await;
        format!("Mcp-Session-Id: {}", response.header("mcp-session-id").expect("a session"))
    };
    let honest = start("honest").await;
    for _ in 0..100 {
        start("greedy").await;
    }
    let ping = message("ping", json!({}));
    assert_eq!(fixture.post(&[&honest], &ping).await.status, 200);
    assert_eq!(fixture.endpoint.sessions.len(), 20);
    let late = start("late").await;
    assert_eq!(fixture.post(&[&late], &ping).await.status, 200);
    assert_eq!(fixture.post(&[&honest], &ping).await.status, 200);
}

/// V-76: one token for two clients.
#[tokio::test]
async fn streams_of_a_greedy_session_leave_room_for_another() {
    let fixture = fixture_with_limits(Limits { streams_each: 8, ..Limits::default() }).await;
    let (greedy, honest) = (fixture.start_session(&[]).await, fixture.start_session(&[]).await);
    let listen =
        |session: &str| request("GET", "/mcp", &[session, "Accept: text/event-stream"], "");
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(fixture.open(listen(&greedy)).await);
    }
    let refused = fixture.site.send(listen(&greedy)).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert!(refused.body.contains("busy, retry after 1 s: "), "{}", refused.body);
    let (_stream, head) = fixture.open(listen(&honest)).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn no_session_starts_while_all_are_in_use() {
    let fixture = fixture_with_limits(Limits { sessions: 2, ..Limits::default() }).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let session = fixture.start_session(&[]).await;
        open.push(
            fixture
                .open(request("GET", "/mcp", &[&session, "Accept: text/event-stream"], ""))
                .await,
        );
    }
    let response = fixture.post(&[], &initialize("2025-11-25")).await;
    assert_eq!(
        (response.status, response.header("mcp-session-id"), response.header("retry-after")),
        (429, None, Some("1"))
    );
    assert_eq!(fixture.endpoint.sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_expire_and_used_ones_do_not() {
    let fixture = fixture().await;
    let (idle, used) = (fixture.start_session(&[]).await, fixture.start_session(&[]).await);
    let ping = message("ping", json!({}));
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_secs(10 * 60)).await;
        assert_eq!(fixture.post(&[&used], &ping).await.status, 200);
    }
    assert_eq!(fixture.post(&[&idle], &ping).await.status, 404);
    assert_eq!(fixture.endpoint.sessions.len(), 1);
}

/// T28: a session id cannot be guessed from others.
#[tokio::test]
async fn session_ids_are_random() {
    let fixture = fixture().await;
    let mut names = std::collections::HashSet::new();
    for _ in 0..100 {
        let name = fixture.start_session(&[]).await;
        assert!(
            name.trim_start_matches("Mcp-Session-Id: ")
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit())
        );
        assert!(names.insert(name));
    }
}

/// A session stores little, whatever `initialize` contains.
#[tokio::test]
async fn an_oversized_initialize_starts_no_session() {
    let fixture = fixture().await;
    let long = message(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {"x": "y".repeat(20_000)}}),
    );
    let response = fixture.post(&[], &long).await;
    assert_eq!((response.status, response.code()), (400, RpcError::PARAMS));
    let header = format!("X-Long: {}", "y".repeat(20_000));
    assert_eq!(fixture.post(&[&header], &initialize("2025-11-25")).await.status, 431);
    assert_eq!((fixture.endpoint.sessions.len(), fixture.fake_server.counts().started), (0, 0));
}

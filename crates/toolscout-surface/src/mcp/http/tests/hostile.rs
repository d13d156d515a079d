use super::*;
use crate::http::fixture::{ADA, BOB, eventually, limited, tokens};
use crate::mcp::errors;
use std::time::Duration;

async fn is_well(house: &House) {
    assert_eq!(house.modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_body_of_a_gigabyte_is_refused_before_it_is_sent() {
    let house = house().await;
    for length in ["1073741824", "8388609", "9223372036854775807"] {
        let head = request(
            "POST",
            "/mcp",
            &["Content-Type: application/json"],
            &format!("Content-Length: {length}\r\n"),
        );
        assert_eq!(house.site.ask(head).await.status, 413, "{length}");
    }
    is_well(&house).await;
}

#[tokio::test]
async fn a_body_without_a_length_is_read_to_the_limit_and_no_further() {
    let house = house_within(Limits { body: 1 << 20, ..Limits::default() }).await;
    let head = request(
        "POST",
        "/mcp",
        &["Content-Type: application/json"],
        "Transfer-Encoding: chunked\r\n",
    );
    let mut wire = house.site.dial().await;
    wire.send(head).await;
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    for _ in 0..17 {
        wire.try_send(&chunk).await;
    }
    assert_eq!(wire.head().await.status, 413);
    is_well(&house).await;
}

/// At the limit, one below and one above.
#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit() {
    let house = house_within(Limits { body: 1_000, ..Limits::default() }).await;
    for (length, status) in [(999, 200), (1_000, 200), (1_001, 413)] {
        let message = message("tools/list", with_meta(json!({}))).to_string();
        let body = format!("{message}{}", " ".repeat(length - message.len()));
        let answer = house
            .site
            .ask(post(&["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"], &body))
            .await;
        assert_eq!(answer.status, status, "{length}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_refused_unread() {
    let house = house().await;
    for encoding in ["gzip", "deflate", "br", "identity, gzip", "x"] {
        let answer =
            house.site.ask(post(&[&format!("Content-Encoding: {encoding}")], "\u{1f}")).await;
        assert_eq!(answer.status, 415, "{encoding}");
    }
}

#[tokio::test]
async fn a_body_that_comes_slowly_is_not_waited_for() {
    let house =
        house_within(Limits { body_time: Duration::from_millis(200), ..Limits::default() }).await;
    let mut wire = house.site.dial().await;
    wire.send(
        request("POST", "/mcp", &["Content-Type: application/json"], "Content-Length: 100\r\n")
            + "{",
    )
    .await;
    is_well(&house).await;
    assert_eq!(wire.answer().await.status, 408);
}

#[tokio::test]
async fn chunks_that_are_none_are_refused() {
    let house = house().await;
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
        assert_eq!(house.site.ask(head + garbage).await.status, 400, "{garbage:?}");
    }
    let both = request(
        "POST",
        "/mcp",
        &["Content-Type: application/json"],
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    );
    let mut wire = house.site.dial().await;
    wire.send(both + "0\r\n\r\nGET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(wire.answer().await.status, 400, "nothing is smuggled behind a body of two lengths");
    is_well(&house).await;
}

#[tokio::test]
async fn all_bodies_together_have_a_limit() {
    let house = house_within(Limits { bodies: 100_000, ..Limits::default() }).await;
    let mut held = house.site.dial().await;
    let head =
        request("POST", "/mcp", &["Content-Type: application/json"], "Content-Length: 90000\r\n");
    held.send(head + &" ".repeat(80_000)).await;
    let big = format!("{}{}", message("tools/list", with_meta(json!({}))), " ".repeat(50_000));
    let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"];
    eventually(|| house.endpoint.bodies.left() < 50_000).await;
    assert_eq!(house.site.ask(post(&headers, &big)).await.status, 429);
    is_well(&house).await;
    drop(held);
    eventually(|| house.endpoint.bodies.left() == 100_000).await;
}

/// T40: a principal that sends too many requests is rejected, and others are not affected.
#[tokio::test]
async fn beyond_its_share_a_principal_is_told_to_wait_and_others_are_served() {
    let limits = Limits { requests_each: 4, ..Limits::default() };
    let house = house_with(limited(tokens(), limits)).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let session = house.greet(&[&ada]).await;
    let mut waiting = Vec::new();
    for at in 10..14 {
        let mut wire = house.site.dial().await;
        let body = json!({"jsonrpc": "2.0", "id": at, "method": "wait"}).to_string();
        wire.send(post(&[&ada, &session], &body)).await;
        waiting.push(wire);
    }
    house.parrot.until(|it| it.begun == 5).await;
    let busy = house.post(&[&ada, &session], &message("ping", json!({}))).await;
    assert_eq!(
        (busy.status, busy.code(), busy.header("retry-after")),
        (429, errors::BUSY, Some("1"))
    );
    assert_eq!(busy.json()["id"], 1);
    // A message that can end a request gets through.
    let cancel = notification("notifications/cancelled", json!({"requestId": 10}));
    assert_eq!(house.post(&[&ada, &session], &cancel).await.status, 202);
    house.parrot.until(|it| it.over == 2).await;
    assert_eq!(house.post(&[&ada, &session], &message("ping", json!({}))).await.status, 200);
    house.greet(&[&bob]).await;
    drop(waiting);
    house.parrot.until(|it| it.begun == it.over).await;
    assert_eq!(house.endpoint.requests.len(), 0);
}

#[tokio::test]
async fn in_all_there_is_a_limit_too() {
    let house = house_within(Limits { requests: 1, streams: 1, ..Limits::default() }).await;
    let (_listening, head) = house.open(modern("subscriptions/listen", json!({}))).await;
    assert_eq!(head.status, 200);
    assert_eq!(house.modern("subscriptions/listen", json!({})).await.status, 429);
    let mut wire = house.site.dial().await;
    wire.send(modern("wait", json!({}))).await;
    house.parrot.until(|it| it.begun == 2).await;
    assert_eq!(house.modern("tools/list", json!({})).await.status, 429);
    house.parrot.go.add_permits(1);
    assert_eq!(wire.answer().await.status, 200);
    is_well(&house).await;
}

/// T28: one client cannot have more than a hundred sessions, and does not displace those of
/// another.
#[tokio::test]
async fn who_begins_session_after_session_ends_their_own() {
    let house =
        house_with(limited(tokens(), Limits { sessions_each: 100, ..Limits::default() })).await;
    let (ada, bob) =
        (format!("Authorization: Bearer {ADA}"), format!("Authorization: Bearer {BOB}"));
    let bobs = house.greet(&[&bob]).await;
    let first = house.greet(&[&ada]).await;
    let busy = house.greet(&[&ada]).await;
    let (_stream, _) =
        house.open(request("GET", "/mcp", &[&ada, &busy, "Accept: text/event-stream"], "")).await;
    let mut wire = house.site.dial().await;
    let greeting = post(&[&ada], &initialize("2025-11-25").to_string());
    for _ in 0..3_000 {
        wire.send(&greeting).await;
        assert_eq!(wire.answer().await.status, 200);
    }
    assert_eq!(house.endpoint.sessions.len(), 101);
    let ping = message("ping", json!({}));
    assert_eq!(house.post(&[&ada, &first], &ping).await.status, 404);
    assert_eq!(house.post(&[&ada, &busy], &ping).await.status, 200, "one that is in use stays");
    assert_eq!(house.post(&[&bob, &bobs], &ping).await.status, 200);
    house.parrot.until(|it| it.informed == 101).await;
}

#[tokio::test]
async fn where_all_sessions_are_in_use_none_is_begun() {
    let house = house_within(Limits { sessions: 2, ..Limits::default() }).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let session = house.greet(&[]).await;
        open.push(
            house.open(request("GET", "/mcp", &[&session, "Accept: text/event-stream"], "")).await,
        );
    }
    let answer = house.post(&[], &initialize("2025-11-25")).await;
    assert_eq!(
        (answer.status, answer.header("mcp-session-id"), answer.header("retry-after")),
        (429, None, Some("1"))
    );
    assert_eq!(house.endpoint.sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_session_nobody_uses_is_forgotten_and_one_in_use_is_not() {
    let house = house().await;
    let (idle, used) = (house.greet(&[]).await, house.greet(&[]).await);
    let ping = message("ping", json!({}));
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_secs(10 * 60)).await;
        assert_eq!(house.post(&[&used], &ping).await.status, 200);
    }
    assert_eq!(house.post(&[&idle], &ping).await.status, 404);
    assert_eq!(house.endpoint.sessions.len(), 1);
}

/// T28: a session id cannot be guessed from others.
#[tokio::test]
async fn names_of_sessions_are_random() {
    let house = house().await;
    let mut names = std::collections::HashSet::new();
    for _ in 0..100 {
        let name = house.greet(&[]).await;
        assert!(
            name.trim_start_matches("Mcp-Session-Id: ").bytes().all(|it| it.is_ascii_hexdigit())
        );
        assert!(names.insert(name));
    }
}

/// A session stores little, whatever `initialize` contains.
#[tokio::test]
async fn a_long_greeting_begins_no_session() {
    let house = house().await;
    let long = message(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {"x": "y".repeat(20_000)}}),
    );
    let answer = house.post(&[], &long).await;
    assert_eq!((answer.status, answer.code()), (400, RpcError::PARAMS));
    let header = format!("X-Long: {}", "y".repeat(20_000));
    assert_eq!(house.post(&[&header], &initialize("2025-11-25")).await.status, 431);
    assert_eq!((house.endpoint.sessions.len(), house.parrot.counts().begun), (0, 0));
}

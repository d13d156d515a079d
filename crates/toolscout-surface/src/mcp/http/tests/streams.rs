use super::*;
use crate::http::fixture::{eventually, soon};
use std::time::Duration;

fn get(session: &str) -> String {
    request("GET", "/mcp", &[session, "Accept: text/event-stream"], "")
}

#[tokio::test]
async fn messages_before_the_response_are_streamed() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    for slowly in [true, false] {
        let params = json!({"times": 3, "slowly": slowly});
        let requests =
            [modern("say", params.clone()), post(&[&session], &message("say", params).to_string())];
        for request in requests {
            let response = fixture.site.send(request).await;
            assert_eq!(
                (response.status, response.header("content-type")),
                (200, Some("text/event-stream"))
            );
            assert_eq!(response.header("x-accel-buffering"), Some("no"));
            let events = messages(&response.body);
            let progress: Vec<_> =
                events[..3].iter().map(|item| item["params"]["progress"].as_u64()).collect();
            assert_eq!((events.len(), progress), (4, vec![Some(0), Some(1), Some(2)]));
            assert_eq!(events[3]["result"], json!({"said": true}));
        }
    }
}

#[tokio::test]
async fn the_accept_header_selects_json_or_events() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let request_body = message("say", json!({"times": 3}));
    let response = fixture.post(&[&session, "Accept: application/json"], &request_body).await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    let elicited =
        fixture.post(&[&session, "Accept: application/json"], &message("ask", json!({}))).await;
    assert_eq!(elicited.json()["result"]["answer"], "the client cannot be reached");
    let response =
        fixture.post(&[&session, "Accept: text/event-stream"], &message("ping", json!({}))).await;
    assert_eq!(
        (response.header("content-type"), messages(&response.body).len()),
        (Some("text/event-stream"), 1)
    );
    assert_eq!(fixture.post(&[&session, "Accept: text/html"], &request_body).await.status, 406);
    assert_eq!(fixture.post(&[&session, "Accept: */*"], &request_body).await.status, 200);
}

#[tokio::test]
async fn reverse_requests_use_the_stream_of_their_request() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let (mut wire, head) =
        fixture.open(post(&[&session], &message("ask", json!({})).to_string())).await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let elicitation = messages(&wire.event().await.expect("a question")).remove(0);
    assert_eq!(elicitation["method"], "elicitation/create");
    let response =
        json!({"jsonrpc": "2.0", "id": elicitation["id"], "result": {"action": "accept"}});
    let taken = fixture.post(&[&session], &response).await;
    assert_eq!((taken.status, taken.body.as_str()), (202, ""));
    let reply = messages(&wire.event().await.expect("an answer")).remove(0);
    assert_eq!(reply["result"]["answer"], json!({"action": "accept"}));
    assert_eq!(wire.event().await, None, "the stream ends after the answer");
}

/// Dropping the connection cancels the request, before the response has started and after.
#[tokio::test]
async fn closing_a_stream_cancels_its_request() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let requests = [
        modern("wait", json!({})),
        post(&[&session], &message("wait", json!({})).to_string()),
        post(&[&session], &message("ask", json!({})).to_string()),
        modern("subscriptions/listen", json!({})),
    ];
    for (index, request) in requests.into_iter().enumerate() {
        let mut wire = fixture.site.dial().await;
        wire.send(request).await;
        // `initialize` counts as a request, too.
        fixture
            .fake_server
            .until(|counts| counts.started == index + 2 && counts.finished == index + 1)
            .await;
        drop(wire);
        fixture.fake_server.until(|counts| counts.finished == index + 2).await;
    }
    assert_eq!(
        (fixture.endpoint.shares.requests.held(), fixture.endpoint.shares.streams.held()),
        (0, 0)
    );
}

#[tokio::test]
async fn a_cancelled_request_ends_without_a_response() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let mut wire = fixture.site.dial().await;
    wire.send(post(&[&session], &message("wait", json!({})).to_string())).await;
    fixture.fake_server.until(|counts| counts.started == 2).await;
    let cancel = notification("notifications/cancelled", json!({"requestId": 1}));
    assert_eq!(fixture.post(&[&session], &cancel).await.status, 202);
    let response = wire.response().await;
    assert_eq!(
        (response.status, response.header("content-type"), response.body.as_str()),
        (200, Some("text/event-stream"), "")
    );
}

/// N-01 over HTTP.
#[tokio::test]
async fn notifications_are_queued_for_the_session_stream() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    fixture.fake_server.until(|counts| counts.notified_clients == 1).await;
    fixture.fake_server.changes.send_replace(1);
    let (mut wire, head) = fixture.open(get(&session)).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    let mut events = Vec::new();
    while events.len() < 2 {
        events.extend(messages(&wire.event().await.expect("an event arrives")));
    }
    assert_eq!(events[0], json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    fixture.fake_server.changes.send_replace(2);
    assert!(!messages(&wire.event().await.expect("an event arrives")).is_empty());
}

/// A dead stream that was not closed loses no messages, because the newest stream receives them.
/// The older one stays open.
#[tokio::test]
async fn only_the_newest_stream_receives_notifications() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    fixture.fake_server.until(|counts| counts.notified_clients == 1).await;
    let (mut old, _) = fixture.open(get(&session)).await;
    let (mut new, _) = fixture.open(get(&session)).await;
    fixture.fake_server.changes.send_replace(1);
    assert!(new.event().await.is_some());
    drop(new);
    eventually(|| fixture.endpoint.shares.streams.held() == 1).await;
    // When the newest is closed, the next one receives messages again.
    fixture.fake_server.changes.send_replace(2);
    assert!(soon(old.event()).await.is_some());
    let mut more = Vec::new();
    for _ in 0..4 {
        more.push(fixture.open(get(&session)).await);
    }
    assert_eq!(soon(old.event()).await, None, "at most four streams stay open");
}

#[tokio::test]
async fn deleting_a_session_ends_its_streams_and_requests() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let (mut stream, _) = fixture.open(get(&session)).await;
    let mut waiting = fixture.site.dial().await;
    waiting.send(post(&[&session], &message("wait", json!({})).to_string())).await;
    let (mut question, _) = fixture
        .open(post(&[&session], &json!({"jsonrpc": "2.0", "id": 2, "method": "ask"}).to_string()))
        .await;
    fixture.fake_server.until(|counts| counts.started == 3).await;
    assert_eq!(fixture.site.send(request("DELETE", "/mcp", &[&session], "")).await.status, 200);
    assert_eq!(stream.event().await, None);
    assert!(question.event().await.is_some_and(|event| event.contains("elicitation")));
    while question.event().await.is_some() {}
    assert_eq!(waiting.response().await.body, "");
    fixture.fake_server.until(|counts| counts.finished == 3 && counts.notified_clients == 0).await;
    assert_eq!(
        (fixture.endpoint.shares.requests.held(), fixture.endpoint.shares.streams.held()),
        (0, 0)
    );
}

/// T41.
#[tokio::test]
async fn at_shutdown_streams_close_and_calls_finish() {
    let mut fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let (mut stream, _) = fixture.open(get(&session)).await;
    let (mut listening, _) = fixture.open(modern("subscriptions/listen", json!({}))).await;
    assert!(listening.event().await.is_some_and(|event| event.contains("acknowledged")));
    let mut call = fixture.site.dial().await;
    call.send(modern("wait", json!({}))).await;
    fixture.fake_server.until(|counts| counts.started == 3).await;
    fixture.site.stop();
    assert!(
        listening.event().await.is_some_and(|event| event.contains(r#""left":true"#)),
        "the stream is notified of the shutdown"
    );
    assert_eq!((stream.event().await, listening.event().await), (None, None));
    fixture.fake_server.go.add_permits(1);
    assert_eq!(call.response().await.json()["result"]["waited"], true);
    fixture.site.stopped().await;
}

/// N-02: a client that does not read loses messages beyond the capacity, and blocks no other
/// client.
#[tokio::test]
async fn a_client_that_does_not_read_loses_messages_and_blocks_no_one() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    fixture.fake_server.until(|counts| counts.notified_clients == 1).await;
    let (_stuck, _) = fixture.open(get(&session)).await;
    let params = json!({"times": 1_500, "padding": 10_000});
    let mut stuck = fixture.site.dial().await;
    stuck.send(post(&[&session], &message("say", params).to_string())).await;
    // 15 megabytes; some messages were dropped, and the request ended although the client has read
    // nothing.
    fixture.fake_server.until(|counts| counts.finished == 2).await;
    let counts = fixture.fake_server.counts();
    assert!(counts.dropped > 0 && counts.sent + counts.dropped == 1_500, "{counts:?}");
    for index in 0..1_000 {
        fixture.fake_server.changes.send_replace(index);
    }
    assert_eq!(fixture.post(&[&session], &message("ping", json!({}))).await.status, 200);
}

#[tokio::test]
async fn a_client_that_stops_reading_is_disconnected() {
    let fixture =
        fixture_with_limits(Limits { stall_time: Duration::from_millis(100), ..Limits::default() })
            .await;
    let mut stuck = fixture.site.dial().await;
    stuck.send(modern("say", json!({"times": 700, "padding": 10_000, "slowly": true}))).await;
    fixture.fake_server.until(|counts| counts.finished == 1).await;
    while stuck.try_send(b" ").await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let unread = stuck.unread_bytes().await;
    assert!(unread < 700 * 10_000, "{unread} bytes were sent to a client that does not read");
}

/// A proxy that waits for a first byte receives one.
#[tokio::test(start_paused = true)]
async fn long_requests_send_keep_alive_comments() {
    let fixture = fixture().await;
    let (mut wire, head) = fixture.open(modern("wait", json!({}))).await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(wire.chunk().await.as_deref(), Some(":\n\n"));
    assert_eq!(wire.chunk().await.as_deref(), Some(":\n\n"));
    fixture.fake_server.go.add_permits(1);
    assert_eq!(messages(&wire.event().await.expect("an answer"))[0]["result"]["waited"], true);
}

fn resume(session: &str, id: &str) -> String {
    let last = format!("Last-Event-ID: {id}");
    request("GET", "/mcp", &[session, "Accept: text/event-stream", &last], "")
}

/// U-44: The last event of the closed stream names the id and the time to wait.
#[tokio::test]
async fn a_client_polls_for_the_response_after_its_stream_was_closed() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let closed = fixture.post(&[&session], &message("poll", json!({}))).await;
    assert_eq!(closed.header("content-type"), Some("text/event-stream"));
    assert_eq!(closed.body, "id: parked-1\nretry: 250\ndata: \n\n");
    let counts = fixture.fake_server.counts();
    assert_eq!(counts.started, counts.finished + 1, "the call continues");
    let (mut wire, head) = fixture.open(resume(&session, "parked-1")).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    fixture.fake_server.go.add_permits(1);
    let reply = messages(&wire.event().await.expect("the response")).remove(0);
    assert_eq!((&reply["id"], &reply["result"]), (&json!(1), &json!({"waited": true})));
    assert_eq!(wire.event().await, None, "the stream ends after the response");
    let again = fixture.site.send(resume(&session, "parked-1")).await;
    assert_eq!(again.status, 400, "{}", again.body);
}

#[tokio::test]
async fn messages_before_a_stream_is_closed_arrive_on_it() {
    let fixture = fixture().await;
    let session = fixture.start_session(&[]).await;
    let params = json!({"reports": true, "retry": 5});
    let closed = fixture.post(&[&session], &message("poll", params)).await;
    let (first, last) = closed.body.split_once("\n\n").expect("two events");
    assert_eq!(messages(first)[0]["method"], "notifications/progress");
    assert_eq!(last, "id: parked-1\nretry: 100\ndata: \n\n", "the retry time has a lower limit");
}

/// Modern clients have no polling, and neither have older legacy ones.
#[tokio::test]
async fn streams_of_clients_that_do_not_poll_stay_open() {
    let fixture = fixture().await;
    let older = fixture.post(&[], &initialize("2025-06-18")).await;
    let session = format!("Mcp-Session-Id: {}", older.header("mcp-session-id").expect("an id"));
    let requests =
        [modern("poll", json!({})), post(&[&session], &message("poll", json!({})).to_string())];
    for (index, request) in requests.into_iter().enumerate() {
        let mut wire = fixture.site.dial().await;
        wire.send(request).await;
        fixture.fake_server.until(|counts| counts.suspended == index + 1).await;
        fixture.fake_server.go.add_permits(1);
        let response = wire.response().await;
        assert!(response.body.contains("\"waited\":true"), "{}", response.body);
        assert!(!response.body.contains("retry"), "{}", response.body);
    }
}

#[tokio::test]
async fn a_parked_request_belongs_to_its_session_and_ends_with_it() {
    let fixture = fixture().await;
    let (one, other) = (fixture.start_session(&[]).await, fixture.start_session(&[]).await);
    fixture.post(&[&one], &message("poll", json!({}))).await;
    assert_eq!(fixture.site.send(resume(&other, "parked-1")).await.status, 400);
    let counts = fixture.fake_server.counts();
    assert_eq!(counts.started, counts.finished + 1);
    assert_eq!(fixture.site.send(request("DELETE", "/mcp", &[&one], "")).await.status, 200);
    fixture.fake_server.until(|counts| counts.started == counts.finished).await;
}

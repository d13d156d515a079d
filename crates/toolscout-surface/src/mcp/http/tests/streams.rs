use super::*;
use crate::http::fixture::{eventually, soon};
use std::time::Duration;

fn get(session: &str) -> String {
    request("GET", "/mcp", &[session, "Accept: text/event-stream"], "")
}

#[tokio::test]
async fn what_is_said_on_the_way_comes_before_the_answer_on_a_stream() {
    let house = house().await;
    let session = house.greet(&[]).await;
    for slowly in [true, false] {
        let params = json!({"times": 3, "slowly": slowly});
        let requests =
            [modern("say", params.clone()), post(&[&session], &message("say", params).to_string())];
        for request in requests {
            let answer = house.site.ask(request).await;
            assert_eq!(
                (answer.status, answer.header("content-type")),
                (200, Some("text/event-stream"))
            );
            assert_eq!(answer.header("x-accel-buffering"), Some("no"));
            let said = messages(&answer.body);
            let progress: Vec<_> =
                said[..3].iter().map(|it| it["params"]["progress"].as_u64()).collect();
            assert_eq!((said.len(), progress), (4, vec![Some(0), Some(1), Some(2)]));
            assert_eq!(said[3]["result"], json!({"said": true}));
        }
    }
}

#[tokio::test]
async fn who_takes_no_events_is_answered_with_json_and_who_takes_nothing_else_with_events() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let say = message("say", json!({"times": 3}));
    let answer = house.post(&[&session, "Accept: application/json"], &say).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let ask = house.post(&[&session, "Accept: application/json"], &message("ask", json!({}))).await;
    assert_eq!(ask.json()["result"]["answer"], "the client cannot be reached");
    let answer =
        house.post(&[&session, "Accept: text/event-stream"], &message("ping", json!({}))).await;
    assert_eq!(
        (answer.header("content-type"), messages(&answer.body).len()),
        (Some("text/event-stream"), 1)
    );
    assert_eq!(house.post(&[&session, "Accept: text/html"], &say).await.status, 406);
    assert_eq!(house.post(&[&session, "Accept: */*"], &say).await.status, 200);
}

#[tokio::test]
async fn a_question_goes_out_on_the_stream_of_its_request_and_is_answered_by_post() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let (mut wire, head) =
        house.open(post(&[&session], &message("ask", json!({})).to_string())).await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let question = messages(&wire.event().await.expect("a question")).remove(0);
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}});
    let taken = house.post(&[&session], &answer).await;
    assert_eq!((taken.status, taken.body.as_str()), (202, ""));
    let reply = messages(&wire.event().await.expect("an answer")).remove(0);
    assert_eq!(reply["result"]["answer"], json!({"action": "accept"}));
    assert_eq!(wire.event().await, None, "the answer is the end");
}

/// Dropping the connection cancels the request, before the response has started and after.
#[tokio::test]
async fn closing_a_stream_cancels_its_request() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let requests = [
        modern("wait", json!({})),
        post(&[&session], &message("wait", json!({})).to_string()),
        post(&[&session], &message("ask", json!({})).to_string()),
        modern("subscriptions/listen", json!({})),
    ];
    for (at, request) in requests.into_iter().enumerate() {
        let mut wire = house.site.dial().await;
        wire.send(request).await;
        // `initialize` counts as a request, too.
        house.parrot.until(|it| it.begun == at + 2 && it.over == at + 1).await;
        drop(wire);
        house.parrot.until(|it| it.over == at + 2).await;
    }
    assert_eq!((house.endpoint.requests.len(), house.endpoint.streams.len()), (0, 0));
}

#[tokio::test]
async fn a_request_that_is_cancelled_by_a_message_ends_without_an_answer() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let mut wire = house.site.dial().await;
    wire.send(post(&[&session], &message("wait", json!({})).to_string())).await;
    house.parrot.until(|it| it.begun == 2).await;
    let cancel = notification("notifications/cancelled", json!({"requestId": 1}));
    assert_eq!(house.post(&[&session], &cancel).await.status, 202);
    let answer = wire.answer().await;
    assert_eq!(
        (answer.status, answer.header("content-type"), answer.body.as_str()),
        (200, Some("text/event-stream"), "")
    );
}

/// N-01 over HTTP.
#[tokio::test]
async fn news_come_on_the_stream_of_the_session_and_wait_for_it() {
    let house = house().await;
    let session = house.greet(&[]).await;
    house.parrot.until(|it| it.informed == 1).await;
    house.parrot.news.send_replace(1);
    let (mut wire, head) = house.open(get(&session)).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    let mut heard = Vec::new();
    while heard.len() < 2 {
        heard.extend(messages(&wire.event().await.expect("news")));
    }
    assert_eq!(heard[0], json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    house.parrot.news.send_replace(2);
    assert!(!messages(&wire.event().await.expect("news")).is_empty());
}

/// A dead stream that was not closed loses no messages, because the newest stream receives them.
/// The older one stays open.
#[tokio::test]
async fn of_several_streams_the_newest_is_told() {
    let house = house().await;
    let session = house.greet(&[]).await;
    house.parrot.until(|it| it.informed == 1).await;
    let (mut old, _) = house.open(get(&session)).await;
    let (mut new, _) = house.open(get(&session)).await;
    house.parrot.news.send_replace(1);
    assert!(new.event().await.is_some());
    drop(new);
    eventually(|| house.endpoint.streams.len() == 1).await;
    // When the newest is closed, the next one receives messages again.
    house.parrot.news.send_replace(2);
    assert!(soon(old.event()).await.is_some());
    let mut more = Vec::new();
    for _ in 0..4 {
        more.push(house.open(get(&session)).await);
    }
    assert_eq!(soon(old.event()).await, None, "there are four at most");
}

#[tokio::test]
async fn ending_a_session_ends_its_streams_and_its_requests() {
    let house = house().await;
    let session = house.greet(&[]).await;
    let (mut stream, _) = house.open(get(&session)).await;
    let mut waiting = house.site.dial().await;
    waiting.send(post(&[&session], &message("wait", json!({})).to_string())).await;
    let (mut asking, _) = house
        .open(post(&[&session], &json!({"jsonrpc": "2.0", "id": 2, "method": "ask"}).to_string()))
        .await;
    house.parrot.until(|it| it.begun == 3).await;
    assert_eq!(house.site.ask(request("DELETE", "/mcp", &[&session], "")).await.status, 200);
    assert_eq!(stream.event().await, None);
    assert!(asking.event().await.is_some_and(|it| it.contains("elicitation")));
    while asking.event().await.is_some() {}
    assert_eq!(waiting.answer().await.body, "");
    house.parrot.until(|it| it.over == 3 && it.informed == 0).await;
    assert_eq!((house.endpoint.requests.len(), house.endpoint.streams.len()), (0, 0));
}

/// T41.
#[tokio::test]
async fn at_the_end_streams_are_closed_and_calls_are_answered() {
    let mut house = house().await;
    let session = house.greet(&[]).await;
    let (mut stream, _) = house.open(get(&session)).await;
    let (mut listening, _) = house.open(modern("subscriptions/listen", json!({}))).await;
    assert!(listening.event().await.is_some_and(|it| it.contains("acknowledged")));
    let mut call = house.site.dial().await;
    call.send(modern("wait", json!({}))).await;
    house.parrot.until(|it| it.begun == 3).await;
    house.site.stop();
    assert!(
        listening.event().await.is_some_and(|it| it.contains(r#""left":true"#)),
        "it is told that this is the end"
    );
    assert_eq!((stream.event().await, listening.event().await), (None, None));
    house.parrot.go.add_permits(1);
    assert_eq!(call.answer().await.json()["result"]["waited"], true);
    house.site.stopped().await;
}

/// N-02: a client that does not read loses messages beyond the capacity, and blocks no other
/// client.
#[tokio::test]
async fn a_client_that_does_not_read_loses_news_and_blocks_nobody() {
    let house = house().await;
    let session = house.greet(&[]).await;
    house.parrot.until(|it| it.informed == 1).await;
    let (_stuck, _) = house.open(get(&session)).await;
    let params = json!({"times": 1_500, "padding": 10_000});
    let mut stuck = house.site.dial().await;
    stuck.send(post(&[&session], &message("say", params).to_string())).await;
    // 15 megabytes; some messages were dropped, and the request ended although the client has read
    // nothing.
    house.parrot.until(|it| it.over == 2).await;
    let counts = house.parrot.counts();
    assert!(counts.lost > 0 && counts.said + counts.lost == 1_500, "{counts:?}");
    for at in 0..1_000 {
        house.parrot.news.send_replace(at);
    }
    assert_eq!(house.post(&[&session], &message("ping", json!({}))).await.status, 200);
}

#[tokio::test]
async fn a_client_that_stops_reading_is_left() {
    let house =
        house_within(Limits { stall_time: Duration::from_millis(100), ..Limits::default() }).await;
    let mut stuck = house.site.dial().await;
    stuck.send(modern("say", json!({"times": 700, "padding": 10_000, "slowly": true}))).await;
    house.parrot.until(|it| it.over == 1).await;
    while stuck.try_send(b" ").await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let left = stuck.left().await;
    assert!(left < 700 * 10_000, "{left} bytes came all the same");
}

/// A proxy that waits for a first byte receives one.
#[tokio::test(start_paused = true)]
async fn a_long_silence_is_broken_by_a_sign_of_life() {
    let house = house().await;
    let (mut wire, head) = house.open(modern("wait", json!({}))).await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(wire.chunk().await.as_deref(), Some(":\n\n"));
    assert_eq!(wire.chunk().await.as_deref(), Some(":\n\n"));
    house.parrot.go.add_permits(1);
    assert_eq!(messages(&wire.event().await.expect("an answer"))[0]["result"]["waited"], true);
}

use super::super::fixture::{
    AfterResponse, EVENT_HEAD, TestServer, WireEvent, connect_context, context_with_message_limit,
    http_response, json_response, notification, request, write_text,
};
use super::{wire, wire_with};
use crate::limits::Limits;
use crate::wire::{Outgoing, Wire};
use crate::{ClientError, ConnectContext};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sends this repeatedly until the client closes the connection.
fn for_ever(head: &'static str, piece: String) -> TestServer {
    TestServer::new(move |_, stream| {
        write_text(stream, head);
        while stream.write_all(piece.as_bytes()).is_ok() {}
        AfterResponse::Close
    })
}

fn shortly() -> Instant {
    Instant::now() + Duration::from_millis(150)
}

/// T02
#[tokio::test]
async fn an_endless_body_is_cut_off() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let site = for_ever(head, format!("400\r\n{}\r\n", "A".repeat(1024)));
    let (wire, mut wire_events) =
        wire_with(&site.endpoint(), &context_with_message_limit(1 << 20)).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    let error = wire_events.failure().await.to_string();
    assert_eq!(error, format!("`{}` answered with more than 1 MiB", site.url()));
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let limit = 100;
    let fits = format!("{{\"id\":1,\"result\":\"{}\"}}", "x".repeat(limit - 20));
    assert_eq!(fits.len(), limit);
    let too_large = format!("{fits} ");
    let chunked = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{too_large}\r\n0\r\n\r\n",
        too_large.len()
    );
    for (response_text, is_fine) in
        [(json_response(&fits), true), (json_response(&too_large), false), (chunked, false)]
    {
        let site = TestServer::always(response_text);
        let (wire, mut wire_events) =
            wire_with(&site.endpoint(), &context_with_message_limit(limit)).await;
        wire.send(request(1, "tools/list")).await.expect("sent");
        assert_eq!(matches!(wire_events.next().await, WireEvent::Message(_)), is_fine);
    }
}

/// T02
#[tokio::test]
async fn an_endless_event_is_cut_off() {
    let site = for_ever(EVENT_HEAD, format!("data: {}", "A".repeat(1024)));
    let (wire, mut wire_events) =
        wire_with(&site.endpoint(), &context_with_message_limit(1 << 20)).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    let error = wire_events.failure().await.to_string();
    assert_eq!(error, format!("`{}` sent an event of more than 1 MiB", site.url()));
}

/// T01: keep-alive comments are not a response.
#[tokio::test]
async fn comments_do_not_put_the_deadline_off() {
    let site = for_ever(EVENT_HEAD, ": keep-alive\n\n".to_owned());
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(Outgoing { deadline: shortly(), ..request(1, "tools/call") }).await.expect("sent");
    let error = wire_events.failure().await;
    assert!(
        matches!(&error, ClientError::TimedOut { what, .. } if what.contains("tools/call")),
        "{error:?}"
    );
}

/// T01
#[tokio::test]
async fn a_silent_server_fails_the_request_at_the_deadline() {
    for head in [
        "",
        "HTTP/1.1 200 OK\r\nX-A: ",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n",
    ] {
        let site = TestServer::new(move |_, stream| {
            write_text(stream, head);
            let _ = std::io::Read::read(stream, &mut [0; 1]);
            AfterResponse::Close
        });
        let (wire, mut wire_events) = wire(&site).await;
        wire.send(Outgoing { deadline: shortly(), ..request(1, "tools/list") })
            .await
            .expect("sent");
        assert!(matches!(wire_events.failure().await, ClientError::TimedOut { .. }));
        let outcome = wire.send(Outgoing { deadline: shortly(), ..notification("x") }).await;
        // The head of the response is enough for a notification.
        assert_eq!(outcome.is_err(), !head.ends_with("\r\n\r\n"));
    }
}

#[tokio::test]
async fn too_many_headers_are_an_error() {
    let site = TestServer::new(|_, stream| {
        write_text(stream, "HTTP/1.1 200 OK\r\n");
        for i in 0..100_000 {
            if write!(stream, "X-H{i}: {}\r\n", "v".repeat(80)).is_err() {
                break;
            }
        }
        write_text(stream, "content-length: 2\r\n\r\n{}");
        AfterResponse::Close
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    assert!(matches!(wire_events.failure().await, ClientError::Lost { .. }));
}

/// Hanging requests use up the permits for requests, but not those for other messages.
#[tokio::test]
async fn no_more_requests_than_allowed_are_under_way_and_a_cancellation_still_gets_through() {
    let site = TestServer::new(|recorded, stream| {
        if recorded.json()["id"].is_null() {
            write_text(stream, &http_response("202 Accepted", "", ""));
            return AfterResponse::KeepOpen;
        }
        let _ = std::io::Read::read(stream, &mut [0; 1]);
        AfterResponse::Close
    });
    let limits = Arc::new(Limits { pending: 2, ..Limits::default() });
    let (wire, _wire_events) =
        wire_with(&site.endpoint(), &ConnectContext { limits, ..connect_context() }).await;
    for id in 1..=2 {
        wire.send(request(id, "tools/call")).await.expect("sent");
    }
    let third = wire.send(Outgoing { deadline: shortly(), ..request(3, "tools/call") }).await;
    assert!(matches!(third, Err(ClientError::TimedOut { .. })), "{third:?}");
    wire.send(notification("notifications/cancelled")).await.expect("accepted");
    wire.forget(1);
    wire.send(request(4, "tools/call")).await.expect("a slot is free again");
}

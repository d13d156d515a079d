//! 1. Event streams are parsed with any chunking, and no event exceeds its limit.
//! 2. The older transport posts to the address that the server names, but only on the server's
//!    origin.

use super::open;
use crate::ClientError;
use crate::era::ProtocolEra;
use crate::http::events::{SseEventTooLarge, SseParser};
use crate::http::fixture::{
    AfterResponse, EVENT_HEAD, TestServer, WireEvent, WireEvents, connect_context, http_response,
    json_response, notification, request, soon, write_text,
};
use crate::wire::{Outgoing, Wire};
use parking_lot::Mutex;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// All events in these chunks: name and data.
fn events(pieces: &[&[u8]], limit: usize) -> Result<Vec<(String, String)>, SseEventTooLarge> {
    let mut parser = SseParser::new(limit);
    let mut out = Vec::new();
    for piece in pieces {
        let mut bytes = *piece;
        while let Some(event) = parser.next(&mut bytes)? {
            out.push((event.name.to_owned(), String::from_utf8_lossy(event.data).into_owned()));
        }
    }
    Ok(out)
}

#[test]
fn events_are_the_same_however_the_bytes_are_cut() {
    let stream = "\u{feff}: hi\n\ndata: a\ndata:b\ndata\n\r\nevent: ping\rid: 7\rdata: c\r\rretry: 5\r\n\r\nevent: gone\n\n\
                  other: x\ndata:  d\n\ndata: never ends";
    let expected = [("message", "a\nb\n"), ("ping", "c"), ("message", " d")];
    let expected: Vec<_> =
        expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
    let bytes = stream.as_bytes();
    assert_eq!(events(&[bytes], 100).expect("the events are small enough"), expected);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(events(&single, 100).expect("the events are small enough"), expected);
    for at in 0..bytes.len() {
        assert_eq!(
            events(&[&bytes[..at], &bytes[at..]], 100).expect("the events are small enough"),
            expected,
            "cut at {at}"
        );
    }
}

#[test]
fn ids_and_retry_delays_are_stored_and_invalid_ones_ignored() {
    let mut parser = SseParser::new(100);
    let mut bytes: &[u8] = b"id: a1\nretry: 250\ndata: x\n\nid: b\x01\nretry: 1s\nretry: -1\n\n";
    while parser.next(&mut bytes).expect("the events are small enough").is_some() {}
    assert_eq!(parser.last_id(), Some("a1"));
    assert_eq!(parser.retry(), Some(Duration::from_millis(250)));
    let parser = parser.resumed();
    assert_eq!(parser.last_id(), Some("a1"));
}

#[test]
fn an_event_may_be_as_large_as_the_limit_but_not_much_larger() {
    let limit = 1000;
    let of = |size: usize| format!("data: {}\n\n", "x".repeat(size));
    assert_eq!(events(&[of(limit).as_bytes()], limit).expect("within the limit").len(), 1);
    assert_eq!(events(&[of(limit + 100).as_bytes()], limit), Err(SseEventTooLarge));
    let lines = "data: 123456789\n".repeat(200);
    assert_eq!(events(&[lines.as_bytes()], limit), Err(SseEventTooLarge));
    assert_eq!(events(&["x".repeat(2000).as_bytes()], limit), Err(SseEventTooLarge));
    let many = of(limit).repeat(50);
    assert_eq!(
        events(&[many.as_bytes()], limit).expect("each event is within the limit").len(),
        50
    );
    let comment = format!(":{}\n{}", "x".repeat(100_000), of(1));
    assert_eq!(events(&[comment.as_bytes()], limit).expect("comments do not count").len(), 1);
}

/// A server with the older transport: the response to a POST arrives on the stream.
fn old_site(endpoint: &'static str) -> TestServer {
    let stream: Arc<Mutex<Option<TcpStream>>> = Arc::default();
    TestServer::new(move |recorded, connection| {
        if recorded.line.starts_with("GET") {
            *stream.lock() = Some(connection.try_clone().expect("a second handle"));
            write_text(connection, EVENT_HEAD);
            write_text(
                connection,
                &format!("event: endpoint\ndata: {endpoint}\n\ndata: {{\"early\":1}}\n\n"),
            );
            let _ = std::io::Read::read(connection, &mut [0; 1]);
            return AfterResponse::Close;
        }
        if recorded.body.contains("refuse") {
            write_text(connection, &http_response("500 Oops", "", ""));
            return AfterResponse::KeepOpen;
        }
        write_text(connection, &http_response("202 Accepted", "", "Accepted"));
        let mut stream = stream.lock();
        let stream = stream.as_mut().expect("the stream is open");
        if recorded.body.contains("hang up") {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        } else if !recorded.json()["id"].is_null() {
            let _ = write!(stream, "event: message\ndata: {}\n\n", recorded.reply());
        }
        AfterResponse::KeepOpen
    })
}

async fn opened(site: &TestServer) -> (Result<Arc<dyn Wire>, ClientError>, WireEvents) {
    let (observer, wire_events) = WireEvents::new();
    (open(&site.endpoint(), &connect_context(), observer, soon()).await, wire_events)
}

async fn refused(site: &TestServer) -> String {
    match opened(site).await.0 {
        Err(error) => error.to_string(),
        Ok(_) => panic!("the wire must not open"),
    }
}

#[tokio::test]
async fn messages_are_posted_to_the_endpoint_and_answered_on_the_stream() {
    let site = old_site("/messages?session=1");
    let (wire, mut wire_events) = opened(&site).await;
    let wire = wire.expect("the wire opens");
    assert_eq!(wire_events.next().await, WireEvent::Message("{\"early\":1}".to_owned()));
    wire.send(request(1, "initialize")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":1")));
    wire.set_era(&ProtocolEra::Legacy { version: "2024-11-05".to_owned() });
    wire.send(notification("notifications/initialized")).await.expect("accepted");

    let requests = site.requests();
    assert_eq!(requests[0].line, "GET /mcp HTTP/1.1");
    assert_eq!(requests[0].header("accept"), Some("text/event-stream"));
    assert_eq!(requests[1].line, "POST /messages?session=1 HTTP/1.1");
    assert_eq!(requests[2].header("mcp-protocol-version"), Some("2024-11-05"));
}

#[tokio::test]
async fn a_failed_post_fails_only_its_request() {
    let site = old_site("/messages");
    let (wire, mut wire_events) = opened(&site).await;
    let wire = wire.expect("the wire opens");
    wire_events.next().await;
    wire.send(request(1, "refuse")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Failed(1, ClientError::Lost { .. })));
    wire.send(request(2, "ping")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":2")));
}

#[tokio::test]
async fn an_ended_stream_ends_the_connection() {
    let site = old_site("/messages");
    let (wire, mut wire_events) = opened(&site).await;
    let wire = wire.expect("the wire opens");
    wire_events.next().await;
    wire.send(request(1, "hang up")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Lost(ClientError::Lost { .. })));
}

#[tokio::test]
async fn no_event_is_delivered_after_close() {
    let site = old_site("/messages");
    let (wire, mut wire_events) = opened(&site).await;
    let wire = wire.expect("the wire opens");
    wire_events.next().await;
    wire.close().await;
    assert!(wire.send(request(1, "ping")).await.is_err());
    assert!(wire_events.is_empty(), "closing is not reported as a loss");
}

/// T31: credentials are sent only to the configured origin.
#[tokio::test]
async fn a_second_address_elsewhere_is_refused() {
    let canary = TestServer::always("");
    let elsewhere: &'static str = Box::leak(format!("{}?x", canary.url()).into_boxed_str());
    let error = refused(&old_site(elsewhere)).await;
    let origin = canary.url().replace("/mcp", "");
    assert!(
        error.ends_with(&format!(
            "sent a message endpoint on another origin, `{origin}`, which is not allowed"
        )),
        "{error}"
    );
    for other in
        ["//evil.invalid/x", "https:/x", "javascript:alert(1)", "http://[/", "file:///etc/passwd"]
    {
        assert!(refused(&old_site(other)).await.contains("sent a message endpoint"), "{other}");
    }
    assert!(canary.requests().is_empty());
}

#[tokio::test]
async fn a_server_of_another_kind_is_no_old_server() {
    let error = refused(&TestServer::always(http_response("405 Method Not Allowed", "", ""))).await;
    assert!(error.ends_with("answered 405 Method Not Allowed"), "{error}");
    let error = refused(&TestServer::always(json_response("{}"))).await;
    assert!(error.ends_with("answered with JSON instead of an event stream"), "{error}");
    let error = refused(&TestServer::always(http_response(
        "200 OK",
        "content-type: text/event-stream\r\n",
        ": hi\n\n",
    )))
    .await;
    assert!(error.ends_with("ended its event stream"), "{error}");
}

/// T01
#[tokio::test]
async fn a_missing_endpoint_event_fails_at_the_deadline() {
    let site = TestServer::new(|_, stream| {
        write_text(stream, EVENT_HEAD);
        while stream.write_all(b": still here\n\n").is_ok() {}
        AfterResponse::Close
    });
    let (observer, _wire_events) = WireEvents::new();
    let deadline = Instant::now() + Duration::from_millis(150);
    let opened = open(&site.endpoint(), &connect_context(), observer, deadline).await;
    assert!(matches!(opened, Err(ClientError::TimedOut { .. })));
}

#[tokio::test]
async fn a_post_that_is_not_accepted_in_time_fails_its_request() {
    let site = TestServer::new(|recorded, stream| {
        if recorded.line.starts_with("GET") {
            write_text(stream, &format!("{EVENT_HEAD}event: endpoint\ndata: /m\n\n"));
        }
        let _ = std::io::Read::read(stream, &mut [0; 1]);
        AfterResponse::Close
    });
    let (wire, mut wire_events) = opened(&site).await;
    let wire = wire.expect("the wire opens");
    let deadline = Instant::now() + Duration::from_millis(150);
    wire.send(Outgoing { deadline, ..request(1, "ping") }).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Failed(1, ClientError::TimedOut { .. })));
}

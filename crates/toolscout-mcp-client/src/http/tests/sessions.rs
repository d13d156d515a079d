use super::super::fixture::{
    AfterResponse, EVENT_HEAD, RecordedRequest, TestServer, WireEvent, http_response,
    json_response, notification, request, write_text,
};
use super::wire;
use crate::ClientError;
use crate::era::ProtocolEra;
use crate::wire::Wire;
use std::net::TcpStream;

/// A legacy server that assigns this session.
fn legacy_site(
    session: &'static str,
    get: impl Fn(&RecordedRequest, &mut TcpStream) + Send + Sync + 'static,
) -> TestServer {
    TestServer::new(move |recorded, stream| {
        let is_request = !recorded.json()["id"].is_null();
        match recorded.line.split(' ').next() {
            Some("GET") => get(recorded, stream),
            _ if recorded.body.contains("initialize\"") => {
                let headers =
                    format!("content-type: application/json\r\nmcp-session-id: {session}\r\n");
                write_text(stream, &http_response("200 OK", &headers, &recorded.reply()));
            }
            _ if recorded.body.contains("gone") => {
                write_text(stream, &http_response("404 Not Found", "", ""))
            }
            _ if is_request => write_text(stream, &json_response(&recorded.reply())),
            _ => write_text(stream, &http_response("202 Accepted", "", "")),
        }
        AfterResponse::KeepOpen
    })
}

fn no_stream(_: &RecordedRequest, stream: &mut TcpStream) {
    write_text(stream, &http_response("405 Method Not Allowed", "", ""));
}

/// Does the handshake of a client.
async fn shake_hands(wire: &super::HttpWire, wire_events: &mut super::WireEvents) {
    wire.send(request(1, "initialize")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(_)));
    wire.set_era(&ProtocolEra::Legacy { version: "2025-06-18".to_owned() });
    wire.send(notification("notifications/initialized")).await.expect("accepted");
}

#[tokio::test]
async fn a_session_is_named_in_every_request_and_ended_with_the_wire() {
    let site = legacy_site("abc-123", no_stream);
    let (wire, mut wire_events) = wire(&site).await;
    shake_hands(&wire, &mut wire_events).await;
    wire.send(request(2, "tools/list")).await.expect("sent");
    wire_events.next().await;
    while wire.tasks.count() > 0 {
        tokio::task::yield_now().await;
    }
    wire.close().await;

    let requests = site.requests();
    assert_eq!(requests[0].header("mcp-session-id"), None);
    assert_eq!(requests[0].header("mcp-protocol-version"), None);
    for value in &requests[1..] {
        assert_eq!(value.header("mcp-session-id"), Some("abc-123"), "{value:?}");
        assert_eq!(value.header("mcp-protocol-version"), Some("2025-06-18"));
        assert_eq!(value.header("mcp-method"), None, "the legacy era has no such header");
    }
    let mut lines: Vec<_> = requests[1..].iter().map(|item| item.line.as_str()).collect();
    assert_eq!(lines.pop(), Some("DELETE /mcp HTTP/1.1"));
    lines.sort_unstable();
    assert_eq!(lines, ["GET /mcp HTTP/1.1", "POST /mcp HTTP/1.1", "POST /mcp HTTP/1.1"]);
}

/// T28: an id with invalid characters is refused.
#[tokio::test]
async fn an_odd_session_id_is_refused() {
    let long: &'static str = Box::leak("x".repeat(513).into_boxed_str());
    for odd in ["a b", "caf\u{e9}", "", "a\tb", "one\r\nmcp-session-id: two", long] {
        let site = legacy_site(odd, no_stream);
        let (wire, mut wire_events) = wire(&site).await;
        wire.send(request(1, "initialize")).await.expect("sent");
        let error = wire_events.failure().await;
        assert!(
            matches!(&error, ClientError::Protocol { reason } if reason.contains("session id")),
            "{odd}: {error:?}"
        );
        wire.send(request(2, "tools/list")).await.expect("sent");
        wire_events.next().await;
        assert_eq!(site.requests()[1].header("mcp-session-id"), None);
    }
    let longest: &'static str = Box::leak("x".repeat(512).into_boxed_str());
    let site = legacy_site(longest, no_stream);
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "initialize")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(_)));
}

#[tokio::test]
async fn a_lost_session_ends_the_connection() {
    let site = legacy_site("abc", no_stream);
    let (wire, mut wire_events) = wire(&site).await;
    shake_hands(&wire, &mut wire_events).await;
    wire.send(request(2, "tools/gone")).await.expect("sent");
    let what = format!("`{}` has ended the session", site.url());
    assert_eq!(wire_events.next().await, WireEvent::Lost(ClientError::Lost { what }));
    assert!(matches!(wire_events.next().await, WireEvent::Failed(2, ClientError::Lost { .. })));
}

#[tokio::test]
async fn unsolicited_messages_of_a_legacy_server_are_delivered() {
    let site = legacy_site("abc", |_, stream| {
        write_text(stream, EVENT_HEAD);
        write_text(stream, "data: {\"method\":\"notifications/tools/list_changed\"}\n\n");
        let _ = std::io::Read::read(stream, &mut [0; 1]);
    });
    let (wire, mut wire_events) = wire(&site).await;
    shake_hands(&wire, &mut wire_events).await;
    assert!(
        matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("list_changed"))
    );
    wire.send(request(2, "ping")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":2")));
    wire.close().await;
    assert_eq!(wire.tasks.count(), 0);
}

/// A legacy server may close the stream during long work; the client then requests the rest.
#[tokio::test]
async fn a_broken_stream_with_event_ids_is_resumed() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, EVENT_HEAD);
        if recorded.line.starts_with("POST") {
            write_text(stream, "id: ev-1\nretry: 1\ndata:\n\ndata: {\"begun\":1}\n\n");
        } else {
            write_text(stream, "data: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n\n");
        }
        AfterResponse::Close
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.set_era(&ProtocolEra::Legacy { version: "2025-11-25".to_owned() });
    wire.send(request(5, "tools/call")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("begun")));
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":5")));
    assert_eq!(site.requests()[1].header("last-event-id"), Some("ev-1"));
    assert_eq!(site.requests()[1].header("accept"), Some("text/event-stream"));
}

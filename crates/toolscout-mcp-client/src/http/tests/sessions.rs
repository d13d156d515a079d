use super::super::fixture::{
    Asked, EVENT_HEAD, Heard, Site, Then, answer, json_answer, notification, request, say,
};
use super::wire;
use crate::ClientError;
use crate::era::ProtocolEra;
use crate::wire::Wire;
use std::net::TcpStream;

/// A legacy server that assigns this session.
fn legacy_site(
    session: &'static str,
    get: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static,
) -> Site {
    Site::new(move |asked, stream| {
        let is_request = !asked.json()["id"].is_null();
        match asked.line.split(' ').next() {
            Some("GET") => get(asked, stream),
            _ if asked.body.contains("initialize\"") => {
                let headers =
                    format!("content-type: application/json\r\nmcp-session-id: {session}\r\n");
                say(stream, &answer("200 OK", &headers, &asked.reply()));
            }
            _ if asked.body.contains("gone") => say(stream, &answer("404 Not Found", "", "")),
            _ if is_request => say(stream, &json_answer(&asked.reply())),
            _ => say(stream, &answer("202 Accepted", "", "")),
        }
        Then::Stay
    })
}

fn no_stream(_: &Asked, stream: &mut TcpStream) {
    say(stream, &answer("405 Method Not Allowed", "", ""));
}

/// Does the handshake of a client.
async fn shake_hands(wire: &super::HttpWire, hearing: &mut super::Hearing) {
    wire.send(request(1, "initialize")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(_)));
    wire.agreed(&ProtocolEra::Legacy { version: "2025-06-18".to_owned() });
    wire.send(notification("notifications/initialized")).await.expect("accepted");
}

#[tokio::test]
async fn a_session_is_named_in_every_request_and_ended_with_the_wire() {
    let site = legacy_site("abc-123", no_stream);
    let (wire, mut hearing) = wire(&site).await;
    shake_hands(&wire, &mut hearing).await;
    wire.send(request(2, "tools/list")).await.expect("taken");
    hearing.next().await;
    while wire.tasks.count() > 0 {
        tokio::task::yield_now().await;
    }
    wire.close().await;

    let asked = site.asked();
    assert_eq!(asked[0].header("mcp-session-id"), None);
    assert_eq!(asked[0].header("mcp-protocol-version"), None);
    for it in &asked[1..] {
        assert_eq!(it.header("mcp-session-id"), Some("abc-123"), "{it:?}");
        assert_eq!(it.header("mcp-protocol-version"), Some("2025-06-18"));
        assert_eq!(it.header("mcp-method"), None, "the legacy era has no such header");
    }
    let mut lines: Vec<_> = asked[1..].iter().map(|it| it.line.as_str()).collect();
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
        let (wire, mut hearing) = wire(&site).await;
        wire.send(request(1, "initialize")).await.expect("taken");
        let error = hearing.failure().await;
        assert!(
            matches!(&error, ClientError::Protocol { reason } if reason.contains("session id")),
            "{odd}: {error:?}"
        );
        wire.send(request(2, "tools/list")).await.expect("taken");
        hearing.next().await;
        assert_eq!(site.asked()[1].header("mcp-session-id"), None);
    }
    let longest: &'static str = Box::leak("x".repeat(512).into_boxed_str());
    let site = legacy_site(longest, no_stream);
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(1, "initialize")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(_)));
}

#[tokio::test]
async fn a_session_that_is_gone_takes_the_connection_with_it() {
    let site = legacy_site("abc", no_stream);
    let (wire, mut hearing) = wire(&site).await;
    shake_hands(&wire, &mut hearing).await;
    wire.send(request(2, "tools/gone")).await.expect("taken");
    let what = format!("`{}` has ended the session", site.url());
    assert_eq!(hearing.next().await, Heard::Lost(ClientError::Lost { what }));
    assert!(matches!(hearing.next().await, Heard::Failed(2, ClientError::Lost { .. })));
}

#[tokio::test]
async fn what_a_legacy_server_says_unasked_is_heard() {
    let site = legacy_site("abc", |_, stream| {
        say(stream, EVENT_HEAD);
        say(stream, "data: {\"method\":\"notifications/tools/list_changed\"}\n\n");
        let _ = std::io::Read::read(stream, &mut [0; 1]);
    });
    let (wire, mut hearing) = wire(&site).await;
    shake_hands(&wire, &mut hearing).await;
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("list_changed")));
    wire.send(request(2, "ping")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("\"id\":2")));
    wire.close().await;
    assert_eq!(wire.tasks.count(), 0);
}

/// A legacy server may close the stream during long work; the client then requests the rest.
#[tokio::test]
async fn a_stream_that_broke_is_taken_up_where_its_events_have_ids() {
    let site = Site::new(|asked, stream| {
        say(stream, EVENT_HEAD);
        if asked.line.starts_with("POST") {
            say(stream, "id: ev-1\nretry: 1\ndata:\n\ndata: {\"begun\":1}\n\n");
        } else {
            say(stream, "data: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n\n");
        }
        Then::HangUp
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.agreed(&ProtocolEra::Legacy { version: "2025-11-25".to_owned() });
    wire.send(request(5, "tools/call")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("begun")));
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("\"id\":5")));
    assert_eq!(site.asked()[1].header("last-event-id"), Some("ev-1"));
    assert_eq!(site.asked()[1].header("accept"), Some("text/event-stream"));
}

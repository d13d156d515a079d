use super::super::fixture::{
    AfterResponse, EVENT_HEAD, TestServer, WireEvent, http_response, json_response, notification,
    request, write_text,
};
use super::super::headers::encode;
use super::wire;
use crate::era::ProtocolEra;
use crate::wire::{Outgoing, Wire};
use crate::{ClientError, http, sse};
use serde_json::json;

fn modern() -> ProtocolEra {
    ProtocolEra::Modern { version: "2026-07-28".to_owned() }
}

#[tokio::test]
async fn a_json_response_is_one_message() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(7, "tools/list")).await.expect("sent");
    assert_eq!(wire_events.next().await, WireEvent::Message(site.requests()[0].reply()));
    wire.send(request(8, "tools/list")).await.expect("sent");
    wire_events.next().await;
    assert!(wire_events.is_empty());

    let recorded = &site.requests()[0];
    assert_eq!(recorded.line, "POST /mcp HTTP/1.1");
    assert_eq!(recorded.header("content-type"), Some("application/json"));
    assert_eq!(recorded.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(recorded.header("accept-encoding"), Some("identity"));
    assert_eq!(recorded.json()["method"], "tools/list");
    assert_eq!(site.connections(), 1, "the second request reuses the connection");
}

#[tokio::test]
async fn an_event_stream_is_delivered_up_to_the_reply() {
    let site = TestServer::new(|recorded, stream| {
        let progress =
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#;
        write_text(stream, EVENT_HEAD);
        write_text(
            stream,
            &format!(": hello\n\nevent: ping\ndata: x\n\nid: 1\ndata:\n\ndata: {progress}\n\n"),
        );
        write_text(
            stream,
            &format!(
                "event: message\r\ndata: {}\r\n\r\ndata: {{\"late\":1}}\n\n",
                recorded.reply()
            ),
        );
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("progress")));
    assert!(
        matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"result\""))
    );
    wire.close().await;
    assert!(wire_events.is_empty(), "messages after the reply are dropped");
}

/// A stream that the server ends after its reply does not cost the connection.
#[tokio::test]
async fn a_stream_that_ends_after_its_reply_leaves_the_connection_usable() {
    let site = TestServer::new(|recorded, stream| {
        let event = format!("data: {}\n\n", recorded.reply());
        write_text(
            stream,
            &http_response("200 OK", "content-type: text/event-stream; charset=utf-8\r\n", &event),
        );
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    for id in 0..5 {
        wire.send(request(id, "ping")).await.expect("sent");
        assert!(matches!(wire_events.next().await, WireEvent::Message(_)));
        while wire.tasks.count() > 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn a_stream_that_ends_without_the_reply_fails_its_request() {
    let site = TestServer::always(http_response(
        "200 OK",
        "content-type: text/event-stream\r\n",
        "data: {\"id\":9}\n\n",
    ));
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("sent");
    assert_eq!(wire_events.next().await, WireEvent::Message("{\"id\":9}".to_owned()));
    let error = wire_events.failure().await.to_string();
    assert_eq!(error, format!("`{}` ended its stream before the response", site.url()));
}

#[tokio::test]
async fn a_response_without_the_reply_fails_the_request_at_once() {
    for body in [
        r#"{"id":987654,"result":{}}"#,
        r#"{"id":1,"res"#,
        r#"{"id":1,"method":"ping"}"#,
        "[]",
        "7",
        "",
    ] {
        let site = TestServer::always(json_response(body));
        let (wire, mut wire_events) = wire(&site).await;
        wire.send(request(1, "tools/list")).await.expect("sent");
        assert_eq!(wire_events.next().await, WireEvent::Message(body.to_owned()));
        assert!(
            matches!(wire_events.next().await, WireEvent::Failed(1, ClientError::Protocol { .. })),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_notification_completes_when_the_server_accepts_it() {
    let site = TestServer::new(|recorded, stream| {
        let status = if recorded.body.contains("fine") { "202 Accepted" } else { "500 Oops" };
        write_text(stream, &http_response(status, "", ""));
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(notification("notifications/fine")).await.expect("accepted");
    let error =
        wire.send(notification("notifications/bad")).await.expect_err("refused").to_string();
    assert_eq!(error, format!("`{}` answered 500 Internal Server Error", site.url()));
    assert!(wire_events.is_empty());
}

#[tokio::test]
async fn a_request_that_is_merely_accepted_fails() {
    for status in ["202 Accepted", "204 No Content"] {
        let site = TestServer::always(http_response(status, "", ""));
        let (wire, mut wire_events) = wire(&site).await;
        wire.send(request(1, "tools/list")).await.expect("sent");
        let error = wire_events.failure().await.to_string();
        assert_eq!(error, format!("`{}` answered {status} without a message", site.url()));
    }
}

#[tokio::test]
async fn the_modern_era_mirrors_method_and_name_in_headers() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.set_era(&modern());
    let mirrored = vec![
        ("Region".to_owned(), "eu".to_owned()),
        ("Text".to_owned(), "a\r\nX-Admin: 1".to_owned()),
    ];
    let message =
        Outgoing { name: Some("größe".to_owned()), mirrored, ..request(1, "tools/call") };
    wire.send(message).await.expect("sent");
    wire_events.next().await;
    let recorded = &site.requests()[0];
    assert_eq!(recorded.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(recorded.header("mcp-method"), Some("tools/call"));
    assert_eq!(recorded.header("mcp-name"), Some("=?base64?Z3LDtsOfZQ==?="));
    assert_eq!(recorded.header("mcp-param-region"), Some("eu"));
    assert_eq!(recorded.header("mcp-param-text"), Some("=?base64?YQ0KWC1BZG1pbjogMQ==?="));
    assert_eq!(recorded.header("x-admin"), None);
}

#[tokio::test]
async fn an_invalid_header_is_an_error_before_anything_is_sent() {
    let site = TestServer::always("");
    let (wire, _wire_events) = wire(&site).await;
    wire.set_era(&modern());
    for mirrored in [vec![("A\r\nX: 1", "v")], vec![("Region", "a"), ("region", "b")]] {
        let mirrored =
            mirrored.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let sent = wire.send(Outgoing { mirrored, ..request(1, "tools/call") }).await;
        assert!(matches!(sent, Err(ClientError::Invalid { .. })), "{sent:?}");
    }
    assert!(site.requests().is_empty());
}

/// Before the era is agreed, the version in the body of a request determines its headers.
#[tokio::test]
async fn the_handshake_uses_the_headers_of_its_era() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": meta}).to_string();
    wire.send(Outgoing { body, ..request(1, "server/discover") }).await.expect("sent");
    wire_events.next().await;
    wire.send(request(2, "initialize")).await.expect("sent");
    wire_events.next().await;
    let requests = site.requests();
    assert_eq!(requests[0].header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(requests[0].header("mcp-method"), Some("server/discover"));
    assert!(
        requests[1].headers.keys().all(|key| !key.starts_with("mcp-")),
        "{:?}",
        requests[1].headers
    );
}

/// In the modern era a request is cancelled by closing its stream, and there are no reverse
/// requests to answer.
#[tokio::test]
async fn the_modern_era_sends_no_cancellations_and_no_responses() {
    let site = TestServer::always("");
    let (wire, _wire_events) = wire(&site).await;
    wire.set_era(&modern());
    wire.send(notification("notifications/cancelled")).await.expect("nothing is sent");
    wire.send(Outgoing { method: None, ..notification("") }).await.expect("nothing is sent");
    assert!(site.requests().is_empty());
}

#[tokio::test]
async fn forgetting_a_request_closes_its_stream_and_no_other() {
    let (closed, mut is_closed) = tokio::sync::mpsc::unbounded_channel();
    let site = TestServer::new(move |recorded, stream| {
        if recorded.json()["id"] == 2 {
            write_text(stream, &json_response(&recorded.reply()));
            return AfterResponse::KeepOpen;
        }
        write_text(stream, EVENT_HEAD);
        write_text(stream, "data: {\"begun\":1}\n\n");
        // Nothing follows on this connection but its end.
        let end = std::io::Read::read(stream, &mut [0; 1]);
        let _ = closed.send(end.unwrap_or(0));
        AfterResponse::Close
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("begun")));
    wire.forget(1);
    assert_eq!(is_closed.recv().await, Some(0));
    wire.send(request(2, "ping")).await.expect("sent");
    assert_eq!(wire_events.next().await, WireEvent::Message(site.requests()[1].reply()));
    assert!(wire_events.is_empty(), "a forgotten request gets no event");
}

#[tokio::test]
async fn nothing_runs_and_nothing_is_sent_after_close() {
    let site = TestServer::new(|_, stream| {
        write_text(stream, EVENT_HEAD);
        let _ = std::io::Read::read(stream, &mut [0; 1]);
        AfterResponse::Close
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("sent");
    assert_eq!(wire.tasks.count(), 1);
    wire.close().await;
    wire.close().await;
    assert_eq!(wire.tasks.count(), 0);
    for message in [request(2, "ping"), notification("x")] {
        let error = wire.send(message).await.expect_err("closed").to_string();
        assert_eq!(error, "the connection has been closed");
    }
    assert!(wire_events.is_empty());
}

#[test]
fn header_values_are_encoded_as_specified() {
    assert_eq!(encode("us-west1"), "us-west1");
    assert_eq!(encode("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    assert_eq!(encode(" padded "), "=?base64?IHBhZGRlZCA=?=");
    assert_eq!(encode("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
    assert_eq!(encode("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    assert_eq!(encode(""), "");
}

/// Clients enter through both of these functions.
#[tokio::test]
async fn invalid_addresses_are_refused_before_any_request() {
    use super::super::fixture::{WireEvents, connect_context, soon};
    use crate::HttpEndpoint;
    for url in ["ftp://h/x", "not an address", "", "file:///etc/passwd", "javascript:alert(1)"] {
        let endpoint = HttpEndpoint { url: url.into(), ..HttpEndpoint::default() };
        let (observer, _wire_events) = WireEvents::new();
        assert!(matches!(
            http::HttpWire::open(&endpoint, &connect_context(), observer.clone(), soon()).await,
            Err(ClientError::Invalid { .. })
        ));
        assert!(
            matches!(
                sse::open(&endpoint, &connect_context(), observer, soon()).await,
                Err(ClientError::Invalid { .. })
            ),
            "{url}"
        );
    }
}

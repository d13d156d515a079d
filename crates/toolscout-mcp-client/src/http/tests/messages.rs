use super::super::fixture::{
    EVENT_HEAD, Heard, Site, Then, answer, json_answer, notification, request, say,
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
async fn a_json_answer_is_heard_as_one_message() {
    let site = Site::new(|asked, stream| {
        say(stream, &json_answer(&asked.reply()));
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(7, "tools/list")).await.expect("taken");
    assert_eq!(hearing.next().await, Heard::Message(site.asked()[0].reply()));
    wire.send(request(8, "tools/list")).await.expect("taken");
    hearing.next().await;
    assert!(hearing.is_silent());

    let asked = &site.asked()[0];
    assert_eq!(asked.line, "POST /mcp HTTP/1.1");
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(asked.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(asked.header("accept-encoding"), Some("identity"));
    assert_eq!(asked.json()["method"], "tools/list");
    assert_eq!(site.connections(), 1, "the second request goes the same way");
}

#[tokio::test]
async fn an_event_stream_is_heard_as_it_comes_up_to_the_reply() {
    let site = Site::new(|asked, stream| {
        let progress =
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#;
        say(stream, EVENT_HEAD);
        say(
            stream,
            &format!(": hello\n\nevent: ping\ndata: x\n\nid: 1\ndata:\n\ndata: {progress}\n\n"),
        );
        say(
            stream,
            &format!("event: message\r\ndata: {}\r\n\r\ndata: {{\"late\":1}}\n\n", asked.reply()),
        );
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("progress")));
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("\"result\"")));
    wire.close().await;
    assert!(hearing.is_silent(), "what comes after the reply is nobody's");
}

/// A stream that the server ends after its reply does not cost the connection.
#[tokio::test]
async fn a_stream_that_ends_after_its_reply_leaves_the_connection_usable() {
    let site = Site::new(|asked, stream| {
        let event = format!("data: {}\n\n", asked.reply());
        say(
            stream,
            &answer("200 OK", "content-type: text/event-stream; charset=utf-8\r\n", &event),
        );
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    for id in 0..5 {
        wire.send(request(id, "ping")).await.expect("taken");
        assert!(matches!(hearing.next().await, Heard::Message(_)));
        while wire.tasks.count() > 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn a_stream_that_ends_without_the_reply_fails_its_request() {
    let site = Site::saying(answer(
        "200 OK",
        "content-type: text/event-stream\r\n",
        "data: {\"id\":9}\n\n",
    ));
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("taken");
    assert_eq!(hearing.next().await, Heard::Message("{\"id\":9}".to_owned()));
    let error = hearing.failure().await.to_string();
    assert_eq!(error, format!("`{}` ended its answer before the reply", site.url()));
}

#[tokio::test]
async fn an_answer_that_is_not_the_reply_fails_the_request_at_once() {
    for body in [
        r#"{"id":987654,"result":{}}"#,
        r#"{"id":1,"res"#,
        r#"{"id":1,"method":"ping"}"#,
        "[]",
        "7",
        "",
    ] {
        let site = Site::saying(json_answer(body));
        let (wire, mut hearing) = wire(&site).await;
        wire.send(request(1, "tools/list")).await.expect("taken");
        assert_eq!(hearing.next().await, Heard::Message(body.to_owned()));
        assert!(
            matches!(hearing.next().await, Heard::Failed(1, ClientError::Protocol { .. })),
            "{body}"
        );
    }
}

#[tokio::test]
async fn what_is_no_request_is_done_when_the_server_has_taken_it() {
    let site = Site::new(|asked, stream| {
        let status = if asked.body.contains("fine") { "202 Accepted" } else { "500 Oops" };
        say(stream, &answer(status, "", ""));
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.send(notification("notifications/fine")).await.expect("accepted");
    let error =
        wire.send(notification("notifications/bad")).await.expect_err("refused").to_string();
    assert_eq!(error, format!("`{}` answered 500 Internal Server Error", site.url()));
    assert!(hearing.is_silent());
}

#[tokio::test]
async fn a_request_that_is_merely_accepted_fails() {
    for status in ["202 Accepted", "204 No Content"] {
        let site = Site::saying(answer(status, "", ""));
        let (wire, mut hearing) = wire(&site).await;
        wire.send(request(1, "tools/list")).await.expect("taken");
        let error = hearing.failure().await.to_string();
        assert_eq!(error, format!("`{}` answered {status} without a message", site.url()));
    }
}

#[tokio::test]
async fn the_modern_era_mirrors_what_a_request_is_about_in_headers() {
    let site = Site::new(|asked, stream| {
        say(stream, &json_answer(&asked.reply()));
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.agreed(&modern());
    let mirrored = vec![
        ("Region".to_owned(), "eu".to_owned()),
        ("Text".to_owned(), "a\r\nX-Admin: 1".to_owned()),
    ];
    let message =
        Outgoing { name: Some("größe".to_owned()), mirrored, ..request(1, "tools/call") };
    wire.send(message).await.expect("taken");
    hearing.next().await;
    let asked = &site.asked()[0];
    assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(asked.header("mcp-method"), Some("tools/call"));
    assert_eq!(asked.header("mcp-name"), Some("=?base64?Z3LDtsOfZQ==?="));
    assert_eq!(asked.header("mcp-param-region"), Some("eu"));
    assert_eq!(asked.header("mcp-param-text"), Some("=?base64?YQ0KWC1BZG1pbjogMQ==?="));
    assert_eq!(asked.header("x-admin"), None);
}

#[tokio::test]
async fn a_header_that_cannot_be_is_said_before_anything_is_sent() {
    let site = Site::saying("");
    let (wire, _hearing) = wire(&site).await;
    wire.agreed(&modern());
    for mirrored in [vec![("A\r\nX: 1", "v")], vec![("Region", "a"), ("region", "b")]] {
        let mirrored =
            mirrored.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let sent = wire.send(Outgoing { mirrored, ..request(1, "tools/call") }).await;
        assert!(matches!(sent, Err(ClientError::Invalid { .. })), "{sent:?}");
    }
    assert!(site.asked().is_empty());
}

/// Before the era is agreed, the version in the body of a request determines its headers.
#[tokio::test]
async fn the_handshake_speaks_the_era_it_asks_for() {
    let site = Site::new(|asked, stream| {
        say(stream, &json_answer(&asked.reply()));
        Then::Stay
    });
    let (wire, mut hearing) = wire(&site).await;
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": meta}).to_string();
    wire.send(Outgoing { body, ..request(1, "server/discover") }).await.expect("taken");
    hearing.next().await;
    wire.send(request(2, "initialize")).await.expect("taken");
    hearing.next().await;
    let asked = site.asked();
    assert_eq!(asked[0].header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(asked[0].header("mcp-method"), Some("server/discover"));
    assert!(asked[1].headers.keys().all(|it| !it.starts_with("mcp-")), "{:?}", asked[1].headers);
}

/// In the modern era a request is cancelled by closing its stream, and there are no reverse
/// requests to answer.
#[tokio::test]
async fn the_modern_era_sends_no_cancellations_and_no_answers() {
    let site = Site::saying("");
    let (wire, _hearing) = wire(&site).await;
    wire.agreed(&modern());
    wire.send(notification("notifications/cancelled")).await.expect("nothing to do");
    wire.send(Outgoing { method: None, ..notification("") }).await.expect("nothing to do");
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn forgetting_a_request_closes_its_stream_and_no_other() {
    let (gone, mut is_gone) = tokio::sync::mpsc::unbounded_channel();
    let site = Site::new(move |asked, stream| {
        if asked.json()["id"] == 2 {
            say(stream, &json_answer(&asked.reply()));
            return Then::Stay;
        }
        say(stream, EVENT_HEAD);
        say(stream, "data: {\"begun\":1}\n\n");
        // Nothing follows on this connection but its end.
        let end = std::io::Read::read(stream, &mut [0; 1]);
        let _ = gone.send(end.unwrap_or(0));
        Then::HangUp
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("taken");
    assert!(matches!(hearing.next().await, Heard::Message(it) if it.contains("begun")));
    wire.forget(1);
    assert_eq!(is_gone.recv().await, Some(0));
    wire.send(request(2, "ping")).await.expect("taken");
    assert_eq!(hearing.next().await, Heard::Message(site.asked()[1].reply()));
    assert!(hearing.is_silent(), "nobody waits for what was forgotten");
}

#[tokio::test]
async fn nothing_runs_and_nothing_is_sent_after_close() {
    let site = Site::new(|_, stream| {
        say(stream, EVENT_HEAD);
        let _ = std::io::Read::read(stream, &mut [0; 1]);
        Then::HangUp
    });
    let (wire, mut hearing) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("taken");
    assert_eq!(wire.tasks.count(), 1);
    wire.close().await;
    wire.close().await;
    assert_eq!(wire.tasks.count(), 0);
    for message in [request(2, "ping"), notification("x")] {
        let error = wire.send(message).await.expect_err("closed").to_string();
        assert_eq!(error, "the connection has been closed");
    }
    assert!(hearing.is_silent());
}

#[test]
fn values_are_encoded_as_the_protocol_says() {
    assert_eq!(encode("us-west1"), "us-west1");
    assert_eq!(encode("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    assert_eq!(encode(" padded "), "=?base64?IHBhZGRlZCA=?=");
    assert_eq!(encode("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
    assert_eq!(encode("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    assert_eq!(encode(""), "");
}

/// Clients enter through both of these functions.
#[tokio::test]
async fn addresses_that_are_none_are_refused_before_anything_is_asked() {
    use super::super::fixture::{Hearing, dial, soon};
    use crate::HttpEndpoint;
    for url in ["ftp://h/x", "not an address", "", "file:///etc/passwd", "javascript:alert(1)"] {
        let endpoint = HttpEndpoint { url: url.into(), ..HttpEndpoint::default() };
        let (ear, _hearing) = Hearing::new();
        assert!(matches!(
            http::HttpWire::open(&endpoint, &dial(), ear.clone(), soon()).await,
            Err(ClientError::Invalid { .. })
        ));
        assert!(
            matches!(
                sse::open(&endpoint, &dial(), ear, soon()).await,
                Err(ClientError::Invalid { .. })
            ),
            "{url}"
        );
    }
}

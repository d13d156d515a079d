//! Opening a connection over HTTP, with different servers at the address.

use super::{legacy, modern};
use crate::client::McpClient;
use crate::http::fixture::{EVENT_HEAD, Site, Then, answer, dial, json_answer, say, soon};
use crate::{ClientError, ServerConfig, ServerTransport};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use toolscout_core::SourceId;

async fn connect(site: &Site) -> Result<McpClient, ClientError> {
    let server = ServerConfig::new(
        SourceId::new("web").expect("an id"),
        ServerTransport::Http(site.endpoint()),
    );
    McpClient::connect(&server, &dial(), soon()).await
}

/// The response of a legacy server.
fn old_answer(message: &Value) -> Option<String> {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
        Some("tools/list") => json!({"tools": [{"name": "old", "inputSchema": {}}]}),
        _ => return None,
    };
    Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
}

fn methods(site: &Site) -> Vec<String> {
    let posted = site.asked().into_iter().filter(|it| it.line.starts_with("POST"));
    posted.map(|it| it.json()["method"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_modern_address_is_asked_once() {
    let site = Site::new(|asked, stream| {
        let result = json!({"supportedVersions": ["2026-07-28"], "tools": []});
        say(
            stream,
            &json_answer(
                &json!({"jsonrpc": "2.0", "id": asked.json()["id"], "result": result}).to_string(),
            ),
        );
        Then::Stay
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &modern());
    client.list_tools(soon()).await.expect("a list");
    assert_eq!(methods(&site), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn an_address_that_does_not_understand_is_taken_for_a_legacy_one() {
    let site = Site::new(|asked, stream| {
        match old_answer(&asked.json()) {
            Some(reply) => say(stream, &json_answer(&reply)),
            None if asked.json().get("id").is_none() => {
                say(stream, &answer("202 Accepted", "", ""))
            }
            None => say(stream, &answer("400 Bad Request", "", "what?")),
        }
        Then::Stay
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &legacy());
    assert_eq!(methods(&site), ["server/discover", "initialize", "notifications/initialized"]);
}

/// The address does not accept POST: it is an event stream of the older transport.
#[tokio::test]
async fn an_address_that_takes_no_posts_is_tried_as_an_event_stream() {
    let stream: Arc<Mutex<Option<TcpStream>>> = Arc::default();
    let site = Site::new(move |asked, connection| {
        if asked.line.starts_with("GET") {
            *stream.lock() = Some(connection.try_clone().expect("a second handle"));
            say(connection, EVENT_HEAD);
            say(connection, "event: endpoint\ndata: /messages\n\n");
            let _ = connection.read(&mut [0; 1]);
            return Then::HangUp;
        }
        if !asked.line.contains("/messages") {
            say(connection, &answer("405 Method Not Allowed", "", ""));
            return Then::Stay;
        }
        say(connection, &answer("202 Accepted", "", ""));
        if let (Some(reply), Some(stream)) = (old_answer(&asked.json()), stream.lock().as_mut()) {
            say(stream, &format!("data: {reply}\n\n"));
        }
        Then::Stay
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &legacy());
    assert_eq!(client.list_tools(soon()).await.expect("a list").tools[0].name.as_str(), "old");
    client.close().await;
}

#[tokio::test]
async fn an_address_with_nothing_at_it_says_what_it_answered_first() {
    let site = Site::saying(answer("404 Not Found", "", "nothing here"));
    let error = connect(&site).await.err().expect("nothing there");
    assert!(matches!(error, ClientError::Status { status: 404, .. }), "{error}");
}

#[tokio::test]
async fn who_must_log_in_first_is_told_so_at_once() {
    let site = Site::saying(answer("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""));
    let error = connect(&site).await.err().expect("no login");
    assert!(matches!(error, ClientError::Login { .. }), "{error}");
    assert_eq!(methods(&site), ["server/discover"]);
}

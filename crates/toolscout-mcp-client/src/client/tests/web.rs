//! Opening a connection over HTTP, with different servers at the address.

use super::{legacy, modern};
use crate::client::McpClient;
use crate::http::fixture::{
    AfterResponse, EVENT_HEAD, TestServer, connect_context, http_response, json_response, soon,
    write_text,
};
use crate::{ClientError, ServerConfig, ServerTransport};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use toolscout_core::SourceId;

async fn connect(site: &TestServer) -> Result<McpClient, ClientError> {
    let server = ServerConfig::new(
        SourceId::new("web").expect("an id"),
        ServerTransport::Http(site.endpoint()),
    );
    McpClient::connect(&server, &connect_context(), soon()).await
}

/// The response of a legacy server.
fn legacy_response(message: &Value) -> Option<String> {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
        Some("tools/list") => json!({"tools": [{"name": "old", "inputSchema": {}}]}),
        _ => return None,
    };
    Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
}

fn methods(site: &TestServer) -> Vec<String> {
    let posted = site.requests().into_iter().filter(|item| item.line.starts_with("POST"));
    posted.map(|posted| posted.json()["method"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_modern_address_gets_one_handshake_request() {
    let site = TestServer::new(|recorded, stream| {
        let result = json!({"supportedVersions": ["2026-07-28"], "tools": []});
        write_text(
            stream,
            &json_response(
                &json!({"jsonrpc": "2.0", "id": recorded.json()["id"], "result": result})
                    .to_string(),
            ),
        );
        AfterResponse::KeepOpen
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &modern());
    client.list_tools(soon()).await.expect("a list");
    assert_eq!(methods(&site), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn an_address_that_refuses_discover_is_treated_as_legacy() {
    let site = TestServer::new(|recorded, stream| {
        match legacy_response(&recorded.json()) {
            Some(reply) => write_text(stream, &json_response(&reply)),
            None if recorded.json().get("id").is_none() => {
                write_text(stream, &http_response("202 Accepted", "", ""))
            }
            None => write_text(stream, &http_response("400 Bad Request", "", "what?")),
        }
        AfterResponse::KeepOpen
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &legacy());
    assert_eq!(methods(&site), ["server/discover", "initialize", "notifications/initialized"]);
}

/// U-48: the notification that ends the handshake, and the stream that it opens, are sent in the
/// agreed version.
#[tokio::test]
async fn every_message_after_initialize_names_the_agreed_version() {
    let site = TestServer::new(|recorded, stream| {
        match legacy_response(&recorded.json()) {
            Some(reply) => write_text(stream, &json_response(&reply)),
            None if recorded.line.starts_with("GET") => {
                write_text(stream, &http_response("405 Method Not Allowed", "", ""))
            }
            None if recorded.json().get("id").is_none() => {
                write_text(stream, &http_response("202 Accepted", "", ""))
            }
            None => write_text(stream, &http_response("400 Bad Request", "", "what?")),
        }
        AfterResponse::KeepOpen
    });
    let client = connect(&site).await.expect("connected");
    client.list_tools(soon()).await.expect("a list");
    while !site.requests().iter().any(|request| request.line.starts_with("GET")) {
        tokio::task::yield_now().await;
    }
    let requests = site.requests();
    let after = requests.iter().skip_while(|request| !request.body.contains("\"initialize\""));
    let versions: Vec<_> =
        after.skip(1).map(|request| request.header("mcp-protocol-version")).collect();
    assert_eq!(versions, [Some("2025-11-25"); 3], "a notification, a list, a stream");
}

/// The address does not accept POST: it is an event stream of the older transport.
#[tokio::test]
async fn an_address_that_refuses_post_is_tried_as_an_event_stream() {
    let stream: Arc<Mutex<Option<TcpStream>>> = Arc::default();
    let site = TestServer::new(move |recorded, connection| {
        if recorded.line.starts_with("GET") {
            *stream.lock() = Some(connection.try_clone().expect("a second handle"));
            write_text(connection, EVENT_HEAD);
            write_text(connection, "event: endpoint\ndata: /messages\n\n");
            let _ = connection.read(&mut [0; 1]);
            return AfterResponse::Close;
        }
        if !recorded.line.contains("/messages") {
            write_text(connection, &http_response("405 Method Not Allowed", "", ""));
            return AfterResponse::KeepOpen;
        }
        write_text(connection, &http_response("202 Accepted", "", ""));
        if let (Some(reply), Some(stream)) =
            (legacy_response(&recorded.json()), stream.lock().as_mut())
        {
            write_text(stream, &format!("data: {reply}\n\n"));
        }
        AfterResponse::KeepOpen
    });
    let client = connect(&site).await.expect("connected");
    assert_eq!(client.era(), &legacy());
    assert_eq!(client.list_tools(soon()).await.expect("a list").tools[0].name.as_str(), "old");
    client.close().await;
}

#[tokio::test]
async fn an_address_without_a_server_reports_the_first_status() {
    let site = TestServer::always(http_response("404 Not Found", "", "nothing here"));
    let error = connect(&site).await.err().expect("the connection fails");
    assert!(matches!(error, ClientError::Status { status: 404, .. }), "{error}");
}

#[tokio::test]
async fn a_required_login_is_reported_at_once() {
    let site =
        TestServer::always(http_response("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""));
    let error = connect(&site).await.err().expect("no login");
    assert!(matches!(error, ClientError::Login { .. }), "{error}");
    assert_eq!(methods(&site), ["server/discover"]);
}

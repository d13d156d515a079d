use super::super::fixture::{
    AfterResponse, TestServer, WireEvent, http_response, json_response, request, write_text,
};
use super::wire;
use crate::ClientError;
use crate::wire::Wire;
use std::time::Duration;

/// The event that a request ends with if it gets this response.
async fn outcome(status: &str, headers: &str, body: &str) -> WireEvent {
    let site = TestServer::always(http_response(status, headers, body));
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(3, "tools/list")).await.expect("sent");
    let event = wire_events.next().await;
    wire.close().await;
    assert!(wire_events.is_empty());
    event
}

async fn failure(status: &str, headers: &str, body: &str) -> ClientError {
    match outcome(status, headers, body).await {
        WireEvent::Failed(3, error) => error,
        other => panic!("not a failure: {other:?}"),
    }
}

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn a_reply_is_a_reply_whatever_its_status() {
    let body = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}"#;
    for status in
        ["400 Bad Request", "404 Not Found", "500 Internal Server Error", "503 Service Unavailable"]
    {
        assert_eq!(outcome(status, JSON, body).await, WireEvent::Message(body.to_owned()));
    }
}

#[tokio::test]
async fn an_error_without_an_id_belongs_to_the_request() {
    let body =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}"#;
    let expected = ClientError::Answered {
        code: -32000,
        message: "Server not initialized".to_owned(),
        data: None,
    };
    assert_eq!(failure("400 Bad Request", JSON, body).await, expected);
}

#[tokio::test]
async fn a_status_of_a_wrong_address_is_a_status_error() {
    for (line, status) in
        [("400 Bad Request", 400), ("404 Not Found", 404), ("405 Method Not Allowed", 405)]
    {
        for (headers, body) in
            [("", ""), ("content-type: text/html\r\n", "<p>no</p>"), (JSON, "{\"error\":\"x\"}")]
        {
            let error = failure(line, headers, body).await;
            assert!(
                matches!(&error, ClientError::Status { status: it, .. } if *it == status),
                "{error:?}"
            );
            assert!(error.to_string().ends_with(&format!("answered {line}")), "{error}");
        }
    }
}

#[tokio::test]
async fn a_required_login_is_a_login_error_with_its_challenge() {
    let challenge = "Bearer resource_metadata=\"http://h/x\"";
    let headers = format!("www-authenticate: {challenge}\r\n");
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let error = failure(status, &headers, "").await;
        assert!(
            matches!(&error, ClientError::Login { challenge: Some(it), .. } if it == challenge),
            "{error:?}"
        );
    }
    assert!(matches!(
        failure("401 Unauthorized", "", "").await,
        ClientError::Login { challenge: None, .. }
    ));
    assert!(matches!(
        failure("403 Forbidden", "", "").await,
        ClientError::Login { challenge: None, .. }
    ));
}

/// A delay of ten years is cut to an hour.
#[tokio::test]
async fn a_busy_server_names_a_delay_that_is_limited() {
    let after = |error| match error {
        ClientError::Busy { after, .. } => after,
        other => panic!("not busy: {other:?}"),
    };
    let error = failure("503 Service Unavailable", "retry-after: 315360000\r\n", "").await;
    assert_eq!(after(error), Some(Duration::from_secs(3600)));
    let error = failure("429 Too Many Requests", "retry-after: 7\r\n", "").await;
    assert_eq!(after(error), Some(Duration::from_secs(7)));
    assert_eq!(after(failure("429 Too Many Requests", "", "").await), None);
}

#[tokio::test]
async fn a_server_error_counts_as_unreachable() {
    let error = failure("502 Bad Gateway", "", "").await;
    assert!(
        matches!(&error, ClientError::Lost { what } if what.ends_with("answered 502 Bad Gateway")),
        "{error:?}"
    );
}

/// T31: the target of a redirect, which could receive credentials, is never contacted.
#[tokio::test]
async fn a_redirect_is_not_followed_and_only_its_origin_is_named() {
    let canary = TestServer::always("");
    for status in
        ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let error = failure(status, &format!("location: {}?token=x\r\n", canary.url()), "")
            .await
            .to_string();
        let origin = canary.url().replace("/mcp", "");
        assert!(error.contains(&format!("the redirect to {origin} is not followed")), "{error}");
    }
    for odd in ["location: javascript:alert(1)\r\n", "location: http://[\r\n", ""] {
        let error = failure("307 Temporary Redirect", odd, "").await.to_string();
        assert!(error.contains("the redirect to another address is not followed"), "{error}");
    }
    assert!(canary.requests().is_empty());
}

#[tokio::test]
async fn a_page_is_not_taken_for_a_message() {
    let error =
        failure("200 OK", "content-type: text/HTML; charset=utf-8\r\n", r#"{"id":3,"result":{}}"#)
            .await;
    assert!(matches!(error, ClientError::Protocol { .. }));
    assert!(
        error.to_string().contains("answered with `text/html`, neither JSON nor an event stream"),
        "{error}"
    );
    let error = failure("200 OK", "", r#"{"id":3,"result":{}}"#).await.to_string();
    assert!(error.ends_with("answered 200 OK without a message"), "{error}");
}

/// T02: a response that is not decompressed cannot be a decompression bomb.
#[tokio::test]
async fn an_encoded_response_is_refused() {
    let error = failure("200 OK", &format!("{JSON}content-encoding: gzip\r\n"), "\x1f\u{8}")
        .await
        .to_string();
    assert!(error.contains("answered with encoding `gzip`, which was not requested"), "{error}");
}

#[tokio::test]
async fn a_connection_that_breaks_fails_its_request_once_and_not_the_next() {
    let site = TestServer::new(|recorded, stream| {
        if recorded.json()["id"] == 1 {
            write_text(stream, "HTTP/1.1 200 OK\r\nContent-Len");
            return AfterResponse::Close;
        }
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/call")).await.expect("sent");
    let error = wire_events.failure().await;
    assert!(matches!(&error, ClientError::Lost { what } if what.contains("was lost")), "{error:?}");
    wire.send(request(2, "tools/list")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":2")));
    assert_eq!(site.requests().len(), 2, "a call is not repeated");
}

/// A server may close a connection at the moment it is reused. Repeating a list request does no
/// harm; repeating a call may.
#[tokio::test]
async fn only_read_only_requests_are_repeated_after_a_broken_connection() {
    for (method, times) in [("tools/list", 2), ("server/discover", 2), ("tools/call", 1)] {
        let site = TestServer::new(|_, _| AfterResponse::Close);
        let (wire, mut wire_events) = wire(&site).await;
        wire.send(request(1, method)).await.expect("sent");
        assert!(matches!(wire_events.failure().await, ClientError::Lost { .. }));
        assert_eq!(site.requests().len(), times, "{method}");
    }
}

/// Surplus bytes look like a response to the next request, but must not be accepted as one.
#[tokio::test]
async fn a_lie_about_length_does_not_poison_the_next_request() {
    let site = TestServer::new(|recorded, stream| {
        if recorded.json()["id"] == 1 {
            let smuggled = json_response(r#"{"jsonrpc":"2.0","id":2,"result":{"smuggled":1}}"#);
            write_text(stream, &format!("{}{smuggled}", json_response(&recorded.reply())));
        } else {
            write_text(stream, &json_response(&recorded.reply()));
        }
        AfterResponse::KeepOpen
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    assert!(matches!(wire_events.next().await, WireEvent::Message(it) if it.contains("\"id\":1")));
    wire.send(request(2, "tools/list")).await.expect("sent");
    let event = wire_events.next().await;
    assert!(!format!("{event:?}").contains("smuggled"), "{event:?}");
}

#[tokio::test]
async fn a_body_shorter_than_promised_is_an_error() {
    let site = TestServer::new(|_, stream| {
        write_text(
            stream,
            &format!("HTTP/1.1 200 OK\r\n{JSON}content-length: 500\r\n\r\n{{\"id\":3}}"),
        );
        AfterResponse::Close
    });
    let (wire, mut wire_events) = wire(&site).await;
    wire.send(request(3, "tools/list")).await.expect("sent");
    assert!(matches!(wire_events.failure().await, ClientError::Lost { .. }));
}

#[tokio::test]
async fn an_unreachable_server_is_reported() {
    let url = TestServer::always("").url();
    let endpoint = crate::HttpEndpoint { url: url.as_str().into(), ..Default::default() };
    let (wire, mut wire_events) = super::wire_with(&endpoint, &super::connect_context()).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    let error = wire_events.failure().await.to_string();
    assert!(error.starts_with(&format!("`{url}` ")), "{error}");
}

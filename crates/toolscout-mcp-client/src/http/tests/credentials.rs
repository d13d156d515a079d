use super::super::HttpWire;
use super::super::fixture::{
    AfterResponse, TestServer, WireEvents, connect_context, http_response, json_response, request,
    soon, write_text,
};
use super::wire_with;
use crate::tokens::TokenProvider;
use crate::wire::Wire;
use crate::{ClientError, ConnectContext, HttpEndpoint, ReferenceLookup};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::sync::Arc;
use toolscout_core::BoxFuture;

const SECRET: &str = "s3cr3t-canary";

/// Provides its tokens one after the other; a refused one is removed.
struct FakeTokens(Mutex<Vec<&'static str>>);

impl TokenProvider for FakeTokens {
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>> {
        let token = self.0.lock().first().map(|value| (*value).to_owned());
        Box::pin(async move { Ok(token) })
    }

    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool> {
        let mut tokens = self.0.lock();
        tokens.retain(|item| *item != token);
        let is_worth_it = !tokens.is_empty();
        Box::pin(async move { is_worth_it })
    }
}

fn context_with_tokens(tokens: &[&'static str]) -> ConnectContext {
    ConnectContext {
        tokens: Some(Arc::new(FakeTokens(Mutex::new(tokens.to_vec())))),
        ..connect_context()
    }
}

/// A site that accepts only the good token.
fn guarded() -> TestServer {
    TestServer::new(|recorded, stream| {
        let is_good = recorded.header("authorization") == Some("Bearer good");
        let refused =
            || http_response("401 Unauthorized", "www-authenticate: Bearer scope=\"x\"\r\n", "");
        write_text(stream, &if is_good { json_response(&recorded.reply()) } else { refused() });
        AfterResponse::KeepOpen
    })
}

#[tokio::test]
async fn a_rejected_token_is_replaced_and_the_request_repeated_once() {
    let site = guarded();
    let (wire, mut wire_events) =
        wire_with(&site.endpoint(), &context_with_tokens(&["old", "good"])).await;
    for id in 1..=2 {
        wire.send(request(id, "tools/list")).await.expect("sent");
        assert!(matches!(wire_events.next().await, super::super::fixture::WireEvent::Message(_)));
    }
    let sent: Vec<_> = site
        .requests()
        .iter()
        .map(|item| item.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(
        sent,
        ["Bearer old", "Bearer good", "Bearer good"].map(|value| Some(value.to_owned()))
    );
    let requests = site.requests();
    assert_eq!(requests[0].body, requests[1].body);
}

#[tokio::test]
async fn a_server_that_rejects_all_tokens_gets_two_requests_at_most() {
    let site = guarded();
    let (wire, mut wire_events) =
        wire_with(&site.endpoint(), &context_with_tokens(&["a", "b", "c"])).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    assert!(matches!(wire_events.failure().await, ClientError::Login { challenge: Some(_), .. }));
    assert_eq!(site.requests().len(), 2);
}

#[tokio::test]
async fn without_another_token_the_request_is_not_repeated() {
    for tokens in [&["a"][..], &[]] {
        let site = guarded();
        let (wire, mut wire_events) =
            wire_with(&site.endpoint(), &context_with_tokens(tokens)).await;
        wire.send(request(1, "tools/list")).await.expect("sent");
        assert!(matches!(wire_events.failure().await, ClientError::Login { .. }));
        assert_eq!(site.requests().len(), 1);
    }
}

fn server_with_secrets(site: &TestServer) -> (HttpEndpoint, ConnectContext) {
    let url = site.url().replace("/mcp", "/mcp?key=env:none").replace("env:none", SECRET);
    let mut endpoint = HttpEndpoint {
        url: url.as_str().into(),
        bearer: Some("env:TOKEN".into()),
        ..HttpEndpoint::default()
    };
    endpoint.headers.insert("X-Api-Key".to_owned(), "${TOKEN}".into());
    let context = ConnectContext {
        lookup: ReferenceLookup::new(|name| (name == "TOKEN").then(|| OsString::from(SECRET))),
        ..connect_context()
    };
    (endpoint, context)
}

#[tokio::test]
async fn configured_credentials_are_sent() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let (endpoint, context) = server_with_secrets(&site);
    let (wire, mut wire_events) = wire_with(&endpoint, &context).await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    wire_events.next().await;
    let recorded = &site.requests()[0];
    assert_eq!(recorded.line, format!("POST /mcp?key={SECRET} HTTP/1.1"));
    assert_eq!(recorded.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(recorded.header("x-api-key"), Some(SECRET));
}

#[tokio::test]
async fn a_name_and_password_in_the_address_become_a_header() {
    let site = TestServer::new(|recorded, stream| {
        write_text(stream, &json_response(&recorded.reply()));
        AfterResponse::KeepOpen
    });
    let url = site.url().replace("http://", "http://me:p%40ss@");
    let (wire, mut wire_events) = wire_with(
        &HttpEndpoint { url: url.as_str().into(), ..HttpEndpoint::default() },
        &connect_context(),
    )
    .await;
    wire.send(request(1, "tools/list")).await.expect("sent");
    wire_events.next().await;
    // me:p@ss
    assert_eq!(site.requests()[0].header("authorization"), Some("Basic bWU6cEBzcw=="));
    assert_eq!(wire.connection.remote.name(), site.url());
}

/// T33: no error repeats a secret that was sent, for any response.
#[tokio::test]
async fn no_error_holds_a_secret() {
    let responses = [
        http_response("401 Unauthorized", "", ""),
        http_response("403 Forbidden", "", ""),
        http_response("404 Not Found", "", ""),
        http_response("429 Too Many Requests", "", ""),
        http_response("500 Oops", "", ""),
        http_response("307 Temporary Redirect", &format!("location: /other?key={SECRET}\r\n"), ""),
        http_response("200 OK", "content-type: text/html\r\n", SECRET),
        http_response("200 OK", "content-type: text/event-stream\r\n", ""),
        json_response(SECRET),
        "HTTP/1.1 what\r\n\r\n".to_owned(),
    ];
    for response_text in responses {
        let site = TestServer::new({
            let response_text = response_text.clone();
            move |_, stream| {
                write_text(stream, &response_text);
                AfterResponse::Close
            }
        });
        let (endpoint, context) = server_with_secrets(&site);
        let (wire, mut wire_events) = wire_with(&endpoint, &context).await;
        wire.send(request(1, "tools/list")).await.expect("sent");
        let mut event = wire_events.next().await;
        if matches!(event, super::super::fixture::WireEvent::Message(_)) {
            event = wire_events.next().await;
        }
        assert!(!format!("{event:?}").contains(SECRET), "{response_text}: {event:?}");
    }
}

async fn refused(endpoint: HttpEndpoint, context: &ConnectContext) -> String {
    let (observer, _wire_events) = WireEvents::new();
    match HttpWire::open(&endpoint, context, observer, soon()).await {
        Err(error @ ClientError::Invalid { .. }) => error.to_string(),
        Err(error) => panic!("not invalid: {error:?}"),
        Ok(_) => panic!("the wire must not open"),
    }
}

#[tokio::test]
async fn invalid_settings_are_named_without_their_value() {
    let url = "http://127.0.0.1:9/mcp";
    let context = ConnectContext {
        lookup: ReferenceLookup::new(|_| Some(OsString::from(format!("{SECRET}\nX: 1")))),
        ..connect_context()
    };
    let with_header = |name: &str, value: &str| {
        let headers = [(name.to_owned(), value.into())].into();
        HttpEndpoint { url: url.into(), headers, ..HttpEndpoint::default() }
    };
    let error = refused(with_header("X-Key", "env:KEY"), &context).await;
    assert_eq!(error, "header `X-Key` has a value that is not allowed in a header");
    let error = refused(with_header("Bad Name", "x"), &context).await;
    assert_eq!(error, "header `Bad Name` is not a valid header name");
    let error = refused(with_header("Mcp-Session-Id", "x"), &context).await;
    assert_eq!(
        error,
        "header `Mcp-Session-Id` cannot be set; remove it from the server's `headers`"
    );
    let bearer =
        HttpEndpoint { url: url.into(), bearer: Some("env:KEY".into()), ..HttpEndpoint::default() };
    assert_eq!(
        refused(bearer, &context).await,
        "the server's token has a value that is not allowed in a header"
    );
    let url = HttpEndpoint { url: "env:KEY".into(), ..HttpEndpoint::default() };
    assert!(!refused(url, &context).await.contains(SECRET));
}

/// An address that is a reference may be a secret as a whole.
#[tokio::test]
async fn a_referenced_address_is_shown_as_its_origin_only() {
    let context = ConnectContext {
        lookup: ReferenceLookup::new(|_| Some(OsString::from("http://127.0.0.1:9/s/s3cr3t/mcp"))),
        ..connect_context()
    };
    let (observer, _wire_events) = WireEvents::new();
    let endpoint = HttpEndpoint { url: "env:URL".into(), ..HttpEndpoint::default() };
    let wire = HttpWire::open(&endpoint, &context, observer, soon()).await.expect("the wire opens");
    assert_eq!(wire.connection.remote.name(), "http://127.0.0.1:9");
}

//! 1. Each user's token reaches the server with that user's requests only.
//! 2. A header value is used literally, and never interpreted as a reference.
//! 3. A request without a token, or with a rejected one, gets an explanation.

use super::*;
use crate::http::fixture::{
    AfterResponse, RecordedRequest, TestServer, connect_context, http_response, json_response,
    write_text,
};
use crate::{ConfigText, HttpEndpoint, Program};
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{Arguments, Caller, Store, ToolId};

/// A server that includes each user's token in its tools and results, and counts sessions.
fn echo() -> TestServer {
    let sessions = std::sync::atomic::AtomicUsize::new(0);
    TestServer::new(move |recorded, stream| {
        let token = recorded.header("authorization").unwrap_or_default().to_owned();
        let message = recorded.json();
        if token == "Bearer wrong-token" {
            write_text(
                stream,
                &http_response("401 Unauthorized", "www-authenticate: Bearer\r\n", ""),
            );
            return AfterResponse::KeepOpen;
        }
        let result = match message["method"].as_str() {
            Some("initialize") => {
                let session = sessions.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let capabilities = json!({"tools": {}});
                let hello = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "echo", "version": "1"}});
                let body =
                    json!({"jsonrpc": "2.0", "id": message["id"], "result": hello}).to_string();
                let headers =
                    format!("content-type: application/json\r\nmcp-session-id: {session}\r\n");
                write_text(stream, &http_response("200 OK", &headers, &body));
                return AfterResponse::KeepOpen;
            }
            Some("tools/list") => {
                let tool = json!({"name": "whoami", "description": format!("Says {token}"), "inputSchema": {"type": "object"}});
                json!({"tools": [tool]})
            }
            Some("tools/call") => json!({"content": [{"type": "text", "text": token}]}),
            _ => Value::Null,
        };
        match (message["id"].is_null(), result) {
            (true, _) if recorded.line.starts_with("GET") => {
                write_text(stream, &http_response("405 Method Not Allowed", "", ""))
            }
            (true, _) => write_text(stream, &http_response("202 Accepted", "", "")),
            (false, Value::Null) => {
                let error = json!({"code": -32601, "message": "no such method"});
                write_text(
                    stream,
                    &json_response(
                        &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string(),
                    ),
                );
            }
            (false, result) => {
                write_text(
                    stream,
                    &json_response(
                        &json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
                            .to_string(),
                    ),
                );
            }
        }
        AfterResponse::KeepOpen
    })
}

fn endpoint(site: &TestServer) -> HttpEndpoint {
    HttpEndpoint { bearer: Some(ConfigText::from("request:X-Token")), ..site.endpoint() }
}

fn server(endpoint: HttpEndpoint) -> ServerConfig {
    ServerConfig::new(SourceId::new("echo").expect("an id"), ServerTransport::Http(endpoint))
}

fn users(endpoint: HttpEndpoint) -> PerUserServer {
    let context = ServerContext::new(
        Arc::new(MemoryStore::default()) as Arc<dyn Store>,
        "project".to_owned(),
        connect_context(),
    );
    PerUserServer::new(server(endpoint), Arc::new(context.expect("a key")), |source| source)
        .expect("a key")
}

fn by(user: Option<&str>, token: Option<&str>) -> Cx {
    let headers = token.map(|token| ("x-token".to_owned(), token.to_owned())).into_iter().collect();
    Cx { user: user.map(Into::into), headers, ..Cx::new(Caller::Mcp) }
}

/// The description of `whoami`, and its result, for this request.
async fn whoami(users: &PerUserServer, cx: &Cx) -> (String, String) {
    let source = users.sources(cx).await.pop().expect("one source");
    assert_eq!(source.kind(), SourceKind::Request);
    let found: Vec<_> = source.discover(cx.clone()).collect().await;
    let tool = found.into_iter().find_map(|item| match item {
        Ok(DiscoveryItem::Tool(tool)) => Some(tool),
        _ => None,
    });
    let tool = tool.expect("a tool");
    assert_eq!(tool.id, ToolId::new(source.id().clone(), ToolName::new("whoami").expect("a name")));
    let call = ToolCall::new(tool.id.clone(), Arguments::new());
    let call = authorize(call, &tool, AuthorizationContext::new(cx.caller)).expect("it is allowed");
    let output = source.call(call, cx.clone()).await.expect("an answer");
    (
        tool.description.clone().unwrap_or_default(),
        output.content()[0]["text"].as_str().unwrap_or_default().to_owned(),
    )
}

fn tokens(requests: &[RecordedRequest]) -> Vec<&str> {
    requests.iter().map(|item| item.header("authorization").unwrap_or("none")).collect()
}

/// T30, T32: concurrent users, each with their own token and session.
#[tokio::test]
async fn each_token_reaches_the_server_with_its_users_requests_only() {
    let site = echo();
    let users = users(endpoint(&site));
    let requests: Vec<Cx> = (0..40)
        .map(|index| {
            by(
                [None, Some("ann"), Some("bob")][index % 3],
                Some(["token-one", "token-two", "token-ten"][index / 3 % 3]),
            )
        })
        .collect();
    let all =
        join_all(requests.iter().map(|cx| async {
            (header(cx, "x-token").expect("a token"), whoami(&users, cx).await)
        }));
    for (token, (description, text)) in all.await {
        assert_eq!(
            (description, text),
            (format!("Says Bearer {token}"), format!("Bearer {token}"))
        );
    }
    assert_eq!(users.len(), 9, "one server for each user and token");
    let requests = site.requests();
    // A session belongs to one token.
    let mut sessions = std::collections::HashMap::new();
    for value in &requests {
        if let (Some(session), Some(token)) =
            (value.header("mcp-session-id"), value.header("authorization"))
        {
            assert_eq!(*sessions.entry(session.to_owned()).or_insert(token), token);
        }
    }
    assert!(
        requests.iter().all(|item| item.header("x-token").is_none()),
        "no other header is forwarded"
    );
    assert!(!tokens(&requests).contains(&"none"));
}

/// A user's tools are cached: the server is listed once.
#[tokio::test]
async fn a_users_tools_are_listed_once_while_cached() {
    let site = echo();
    let users = users(endpoint(&site));
    let cx = by(Some("ann"), Some("token-one"));
    for _ in 0..3 {
        drop(users.sources(&cx).await);
    }
    let lists = site.requests().iter().filter(|item| item.json()["method"] == "tools/list").count();
    assert_eq!(lists, 1);
}

/// T31, T33: a token that looks like a reference to a secret or to a file is only a token.
#[tokio::test]
async fn request_header_values_are_never_references() {
    let site = echo();
    for (form, wanted) in [
        (
            HttpEndpoint { bearer: Some(ConfigText::from("request:x-token")), ..site.endpoint() },
            "Bearer ",
        ),
        (
            HttpEndpoint {
                headers: [("Authorization".to_owned(), ConfigText::from("request:x-token"))].into(),
                ..site.endpoint()
            },
            "",
        ),
    ] {
        let users = users(form);
        for token in
            ["env:HOME", "file:/etc/passwd", "${HOME}", "keyring:x", "request:x-token", "$${x}"]
        {
            assert_eq!(whoami(&users, &by(None, Some(token))).await.1, format!("{wanted}{token}"));
        }
    }
}

#[tokio::test]
async fn a_request_without_the_header_gets_an_explanation() {
    let site = echo();
    let users = users(endpoint(&site));
    let twice = Cx {
        headers: Arc::new([
            ("x-token".to_owned(), "one".to_owned()),
            ("x-token".to_owned(), "two".to_owned()),
        ]),
        ..Cx::new(Caller::Mcp)
    };
    for cx in [by(None, None), by(Some("ann"), None), by(None, Some(" ")), twice] {
        assert_eq!(users.key(&cx).as_deref(), Some("nobody"));
        let source = users.sources(&cx).await.pop().expect("one source");
        let found: Vec<_> = source.discover(cx).collect().await;
        let [Ok(DiscoveryItem::Diagnostic(problem))] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(problem.message, "`echo` needs your own token, sent as header `x-token`");
    }
    assert!(site.requests().is_empty());
}

#[tokio::test]
async fn a_rejected_token_is_not_cached() {
    let site = echo();
    let users = users(endpoint(&site));
    let cx = by(None, Some("wrong-token"));
    let source = users.sources(&cx).await.pop().expect("one source");
    let found: Vec<_> = source.discover(cx).collect().await;
    let [Err(error)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(error.to_string(), "source `echo`: it rejected the token sent as header `x-token`");
    assert!(!error.to_string().contains("wrong-token"));
    assert!(users.is_empty());
}

/// T32: the cache key includes the user and all header values. This test fails if either is
/// missing.
#[tokio::test]
async fn a_cache_key_reveals_nothing_and_is_unique() {
    let site = echo();
    let users = users(endpoint(&site));
    let all = [
        by(None, Some("a")),
        by(None, Some("b")),
        by(Some("ann"), Some("a")),
        by(Some("bob"), Some("a")),
    ];
    let keys: std::collections::HashSet<_> =
        all.iter().map(|item| users.key(item).expect("a key")).collect();
    assert_eq!(keys.len(), all.len());
    assert!(keys.iter().all(|key| key.len() == 64), "hashes: {keys:?}");
}

#[test]
fn only_http_headers_may_refer_to_a_request() {
    let http = |change: fn(&mut HttpEndpoint)| {
        let mut endpoint =
            HttpEndpoint { url: ConfigText::from("http://localhost/"), ..HttpEndpoint::default() };
        change(&mut endpoint);
        server(endpoint)
    };
    let program = |change: fn(&mut Program)| {
        let mut program = Program { command: ConfigText::from("cat"), ..Program::default() };
        change(&mut program);
        ServerConfig::new(SourceId::new("it").expect("an id"), ServerTransport::Stdio(program))
    };
    assert_eq!(
        check_request_headers(&http(
            |value| value.bearer = Some(ConfigText::from("request:X-Token"))
        )),
        Ok(())
    );
    assert_eq!(check_request_headers(&program(|_| ())), Ok(()));
    for wrong in [
        http(|value| value.bearer = Some(ConfigText::from("request:Authorization"))),
        http(|value| value.bearer = Some(ConfigText::from("request:cookie"))),
        http(|value| value.bearer = Some(ConfigText::from("request:"))),
        http(|value| value.url = ConfigText::from("request:x-url")),
        program(|value| value.command = ConfigText::from("request:x")),
        program(|value| value.args = vec![ConfigText::from("request:x")]),
        program(|value| drop(value.env.insert("TOKEN".to_owned(), ConfigText::from("request:x")))),
    ] {
        assert!(check_request_headers(&wrong).is_err(), "{wrong:?}");
    }
}

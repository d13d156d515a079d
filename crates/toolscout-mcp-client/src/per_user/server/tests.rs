//! 1. Each user's token reaches the server with that user's requests only.
//! 2. A header value is used literally, and never interpreted as a reference.
//! 3. A request without a token, or with a rejected one, gets an explanation.

use super::*;
use crate::http::fixture::{Asked, Site, Then, answer, dial, json_answer, say};
use crate::{ConfigText, HttpEndpoint, Program};
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::path::Path;
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{Arguments, Caller, Store, ToolId};

/// A server that includes each user's token in its tools and results, and counts sessions.
fn echo() -> Site {
    let sessions = std::sync::atomic::AtomicUsize::new(0);
    Site::new(move |asked, stream| {
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        let message = asked.json();
        if token == "Bearer wrong-token" {
            say(stream, &answer("401 Unauthorized", "www-authenticate: Bearer\r\n", ""));
            return Then::Stay;
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
                say(stream, &answer("200 OK", &headers, &body));
                return Then::Stay;
            }
            Some("tools/list") => {
                let tool = json!({"name": "whoami", "description": format!("Says {token}"), "inputSchema": {"type": "object"}});
                json!({"tools": [tool]})
            }
            Some("tools/call") => json!({"content": [{"type": "text", "text": token}]}),
            _ => Value::Null,
        };
        match (message["id"].is_null(), result) {
            (true, _) if asked.line.starts_with("GET") => {
                say(stream, &answer("405 Method Not Allowed", "", ""))
            }
            (true, _) => say(stream, &answer("202 Accepted", "", "")),
            (false, Value::Null) => {
                let error = json!({"code": -32601, "message": "no such method"});
                say(
                    stream,
                    &json_answer(
                        &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string(),
                    ),
                );
            }
            (false, result) => {
                say(
                    stream,
                    &json_answer(
                        &json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
                            .to_string(),
                    ),
                );
            }
        }
        Then::Stay
    })
}

fn endpoint(site: &Site) -> HttpEndpoint {
    HttpEndpoint { bearer: Some(ConfigText::from("request:X-Token")), ..site.endpoint() }
}

fn server(endpoint: HttpEndpoint) -> ServerConfig {
    ServerConfig::new(SourceId::new("echo").expect("an id"), ServerTransport::Http(endpoint))
}

fn users(endpoint: HttpEndpoint) -> PerUserServer {
    let shared = ServerContext::new(
        Arc::new(MemoryStore::default()) as Arc<dyn Store>,
        Path::new("/"),
        dial(),
    );
    PerUserServer::new(server(endpoint), Arc::new(shared.expect("a key")), |source| source)
        .expect("a key")
}

fn by(user: Option<&str>, token: Option<&str>) -> Cx {
    let headers = token.map(|it| ("x-token".to_owned(), it.to_owned())).into_iter().collect();
    Cx { user: user.map(Into::into), headers, ..Cx::new(Caller::Mcp) }
}

/// The description of `whoami`, and its result, for this request.
async fn whoami(users: &PerUserServer, cx: &Cx) -> (String, String) {
    let source = users.sources(cx).await.pop().expect("one source");
    assert_eq!(source.origin(), SourceKind::Request);
    let found: Vec<_> = source.discover(cx.clone()).collect().await;
    let tool = found.into_iter().find_map(|it| match it {
        Ok(DiscoveryItem::Tool(tool)) => Some(tool),
        _ => None,
    });
    let tool = tool.expect("a tool");
    assert_eq!(tool.id, ToolId::new(source.id().clone(), ToolName::new("whoami").expect("a name")));
    let call = ToolCall::new(tool.id.clone(), Arguments::new());
    let call = authorize(call, &tool, AuthorizationContext::of(cx.caller)).expect("it is allowed");
    let output = source.call(call, cx.clone()).await.expect("an answer");
    (
        tool.description.clone().unwrap_or_default(),
        output.content()[0]["text"].as_str().unwrap_or_default().to_owned(),
    )
}

fn tokens(asked: &[Asked]) -> Vec<&str> {
    asked.iter().map(|it| it.header("authorization").unwrap_or("none")).collect()
}

/// T30, T32: concurrent users, each with their own token and session.
#[tokio::test]
async fn each_token_reaches_the_server_with_its_users_requests_only() {
    let site = echo();
    let users = users(endpoint(&site));
    let requests: Vec<Cx> = (0..40)
        .map(|it| {
            by(
                [None, Some("ann"), Some("bob")][it % 3],
                Some(["token-one", "token-two", "token-ten"][it / 3 % 3]),
            )
        })
        .collect();
    let all =
        join_all(requests.iter().map(|cx| async {
            (header(cx, "x-token").expect("a token"), whoami(&users, cx).await)
        }));
    for (token, (description, said)) in all.await {
        assert_eq!(
            (description, said),
            (format!("Says Bearer {token}"), format!("Bearer {token}"))
        );
    }
    assert_eq!(users.len(), 9, "one for each user with each token");
    let asked = site.asked();
    // A session belongs to one token.
    let mut sessions = std::collections::HashMap::new();
    for it in &asked {
        if let (Some(session), Some(token)) =
            (it.header("mcp-session-id"), it.header("authorization"))
        {
            assert_eq!(*sessions.entry(session.to_owned()).or_insert(token), token);
        }
    }
    assert!(asked.iter().all(|it| it.header("x-token").is_none()), "and nothing else is passed on");
    assert!(!tokens(&asked).contains(&"none"));
}

/// A user's tools are cached: the server is listed once.
#[tokio::test]
async fn a_users_tools_are_listed_once_while_they_are_kept() {
    let site = echo();
    let users = users(endpoint(&site));
    let cx = by(Some("ann"), Some("token-one"));
    for _ in 0..3 {
        drop(users.sources(&cx).await);
    }
    let lists = site.asked().iter().filter(|it| it.json()["method"] == "tools/list").count();
    assert_eq!(lists, 1);
}

/// T31, T33: a token that looks like a reference to a secret or to a file is only a token.
#[tokio::test]
async fn what_a_request_brings_is_never_taken_for_a_reference() {
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
async fn who_brings_nothing_is_told_what_to_bring() {
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
        assert_eq!(
            problem.message,
            "`echo` needs a login: it is asked with your own token, sent as header `x-token`"
        );
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn a_token_that_is_not_taken_is_not_remembered() {
    let site = echo();
    let users = users(endpoint(&site));
    let cx = by(None, Some("wrong-token"));
    let source = users.sources(&cx).await.pop().expect("one source");
    let found: Vec<_> = source.discover(cx).collect().await;
    let [Err(error)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        error.to_string(),
        "source `echo`: it does not take the token sent as header `x-token`"
    );
    assert!(!error.to_string().contains("wrong-token"));
    assert!(users.is_empty());
}

/// T32: the cache key includes the user and all header values. This test fails if either is
/// missing.
#[tokio::test]
async fn a_key_tells_nothing_and_is_nobody_elses() {
    let site = echo();
    let users = users(endpoint(&site));
    let all = [
        by(None, Some("a")),
        by(None, Some("b")),
        by(Some("ann"), Some("a")),
        by(Some("bob"), Some("a")),
    ];
    let keys: std::collections::HashSet<_> =
        all.iter().map(|it| users.key(it).expect("a key")).collect();
    assert_eq!(keys.len(), all.len());
    assert!(keys.iter().all(|it| it.len() == 64), "hashes: {keys:?}");
}

#[test]
fn only_headers_of_a_server_on_the_web_can_come_from_a_request() {
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
        check_request_headers(&http(|it| it.bearer = Some(ConfigText::from("request:X-Token")))),
        Ok(())
    );
    assert_eq!(check_request_headers(&program(|_| ())), Ok(()));
    for wrong in [
        http(|it| it.bearer = Some(ConfigText::from("request:Authorization"))),
        http(|it| it.bearer = Some(ConfigText::from("request:cookie"))),
        http(|it| it.bearer = Some(ConfigText::from("request:"))),
        http(|it| it.url = ConfigText::from("request:x-url")),
        program(|it| it.command = ConfigText::from("request:x")),
        program(|it| it.args = vec![ConfigText::from("request:x")]),
        program(|it| drop(it.env.insert("TOKEN".to_owned(), ConfigText::from("request:x")))),
    ] {
        assert!(check_request_headers(&wrong).is_err(), "{wrong:?}");
    }
}

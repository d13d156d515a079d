use super::{ask, site};
use crate::api::Events;
use crate::http::Auth;
use crate::http::fixture::{BOB, terms, tokens};

/// A path, what came with it, and what must be said about it.
const WRONG: [(&str, &str, Option<&str>, &str); 14] = [
    ("GET", "/api/search?qq=mail", None, "`qq`"),
    ("GET", "/api/search?q=a&q=b", None, "twice"),
    ("GET", "/api/search?limit=0", None, "`limit`"),
    ("GET", "/api/search?limit=many", None, "`limit`"),
    ("GET", "/api/search?q=%ff", None, "UTF-8"),
    ("GET", "/api/search?q=%2", None, "UTF-8"),
    ("GET", "/api/search?profile=magic", None, "profile"),
    ("GET", "/api/tools?cursor=x", None, "cursor"),
    ("GET", "/api/me?x", None, "`x`"),
    ("POST", "/api/reviews", Some("{\"server\":1}"), "`server`"),
    ("POST", "/api/reviews", Some("{}"), "decision"),
    ("POST", "/api/reviews", Some("[]"), "object"),
    ("POST", "/api/reviews", Some("{"), "JSON"),
    ("POST", "/api/reviews", Some("{\"decision\":\"x\"}"), "`decision`"),
];

#[tokio::test]
async fn what_is_wrong_is_told_and_where() {
    let site = site(terms(tokens()), Events::default()).await;
    let bearer = format!("Authorization: Bearer {BOB}");
    for (method, path, body, said) in WRONG {
        let answer = ask(&site, method, path, &["Host: localhost", &bearer], body).await;
        let trouble = answer.json();
        assert_eq!((answer.status, &trouble["code"]), (400, &"VALIDATION_FAILED".into()), "{path}: {answer:?}");
        assert!(trouble["error"].as_str().is_some_and(|it| it.contains(said)), "{path}: {trouble}");
    }
}

/// A form of a foreign page, which any browser sends unasked, is no JSON.
#[tokio::test]
async fn a_body_of_another_kind_is_not_looked_at() {
    let site = site(terms(Auth::None), Events::default()).await;
    let form = "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 16\r\n\r\n{\"name\":\"hello\"}";
    let answer = site.ask(form).await;
    assert_eq!((answer.status, &answer.json()["code"]), (400, &"VALIDATION_FAILED".into()));
}

#[tokio::test]
async fn whatever_is_refused_is_refused_in_one_shape() {
    let site = site(terms(Auth::None), Events::default()).await;
    for (method, path, status, code) in [
        ("GET", "/api/nothing", 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/api", 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/api/", 404, "RESOURCE_NOT_FOUND"),
        ("PATCH", "/api/sessions", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/api/health", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/metrics", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/tools/mail/nothing", 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/api/tools/NO%20ID/x", 404, "RESOURCE_NOT_FOUND"),
    ] {
        let answer = ask(&site, method, path, &["Host: localhost"], None).await;
        assert_eq!((answer.status, &answer.json()["code"]), (status, &code.into()), "{method} {path}: {answer:?}");
        assert!(answer.json()["error"].is_string());
    }
    let methods = ask(&site, "PATCH", "/api/sessions", &["Host: localhost"], None).await;
    assert_eq!(methods.header("allow"), Some("GET, POST"));
    let elsewhere = ask(&site, "GET", "/elsewhere", &["Host: localhost"], None).await;
    assert_eq!(elsewhere.code(), -32000, "what is not under `/api` says it as before");
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read() {
    let site = site(terms(Auth::None), Events::default()).await;
    let head = "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{";
    let answer = site.ask(head).await;
    assert_eq!((answer.status, &answer.json()["code"]), (413, &"TOO_LARGE".into()));
}

/// D-17.
#[tokio::test]
async fn another_project_and_another_session_are_not_found() {
    let site = site(terms(Auth::None), Events::default()).await;
    for (path, said) in [
        ("/api/projects/nobody/configuration", "Project not found"),
        ("/api/sessions/nobody/configuration", "Session not found"),
    ] {
        let answer = ask(&site, "GET", path, &["Host: localhost"], None).await;
        assert_eq!(answer.status, 404);
        assert_eq!(answer.json(), serde_json::json!({"error": said, "code": "RESOURCE_NOT_FOUND"}));
    }
}

/// A session belongs to who made it, and ends when they say so.
#[tokio::test]
async fn a_session_is_made_seen_and_ended() {
    let site = site(terms(Auth::None), Events::default()).await;
    let made = ask(&site, "POST", "/api/sessions", &["Host: localhost"], Some("{\"name\":\"me\"}")).await;
    assert_eq!(made.status, 201);
    let id = made.json()["session"]["id"].as_str().expect("an id").to_owned();
    let seen = ask(&site, "GET", "/api/sessions", &["Host: localhost"], None).await.json();
    assert_eq!((&seen["sessions"][0]["id"], &seen["sessions"][0]["client"]), (&id.as_str().into(), &"me".into()));
    let path = format!("/api/sessions/{id}");
    let held = ask(&site, "GET", &format!("{path}/configuration"), &["Host: localhost"], None).await.json();
    assert_eq!(held["configuration"]["source"], "cached");
    assert_eq!(ask(&site, "DELETE", &path, &["Host: localhost"], None).await.status, 204);
    assert_eq!(ask(&site, "DELETE", &path, &["Host: localhost"], None).await.status, 404);
}

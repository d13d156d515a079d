//! Proves that
//! 1. a link opens the UI, and the UI's requests have the operator role from then on,
//! 2. a pasted token does the same for its principal, and the error for a wrong token names the
//!    command to type,
//! 3. requests that a browser sends by itself change nothing, signed in or not.

use super::super::fixture::{ADA, BOB, Site, WireResponse, terms, tokens};
use super::super::{Auth, Listener, Principal, Routes, Terms};
use super::*;
use axum::Extension;
use axum::routing::any;

async fn site(auth: Auth) -> (Site, Arc<SignIns>) {
    let role = async |Extension(extension): Extension<Principal>| format!("{:?}", extension.role);
    let sign_ins = SignIns::new();
    let terms = Terms { sign_ins: Some(sign_ins.clone()), ..terms(auth) };
    let listener = Listener::bind(terms).await.expect("bound");
    (Site::serve(listener, Routes::new().guarded(Router::new().route("/who", any(role)))), sign_ins)
}

/// A browser with its stored cookie and key.
struct Browser<'a> {
    site: &'a Site,
    cookie: String,
    key: String,
}

impl<'a> Browser<'a> {
    fn new(site: &'a Site, response: &WireResponse, key: &str) -> Self {
        let cookie = response.header("set-cookie").expect("a cookie");
        for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=43200"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        assert!(!key.is_empty() && !cookie.contains(key));
        Self { site, cookie, key: key.to_owned() }
    }

    async fn send(&self, method: &str, path: &str, more: &[&str]) -> WireResponse {
        let Self { site, cookie, key } = self;
        let more: String = more.iter().map(|item| format!("{item}\r\n")).collect();
        let addr = site.addr;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {addr}\r\nCookie: {cookie}\r\nX-Toolscout-Key: {key}\r\n"
        );
        site.send(format!("{head}Content-Length: 2\r\n{more}\r\n{{}}")).await
    }

    fn origin(&self) -> String {
        format!("Origin: http://{}", self.site.addr)
    }
}

const JSON: &str = "Content-Type: application/json";

async fn follow_link<'a>(site: &'a Site, sign_ins: &SignIns) -> Browser<'a> {
    let link = sign_ins.link().expect("a link");
    let response = site.send(format!("GET {link} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert_eq!(response.status, 303);
    let location = response.header("location").expect("a `Location` header").to_owned();
    let key = location.strip_prefix("/#key=").unwrap_or_else(|| panic!("{location}"));
    assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    Browser::new(site, &response, key)
}

#[tokio::test]
async fn a_sign_in_link_grants_the_operator_role() {
    for auth in [tokens(), Auth::None] {
        let (site, sign_ins) = site(auth).await;
        let browser = follow_link(&site, &sign_ins).await;
        assert_eq!(browser.send("GET", "/who", &[]).await.body, "Operator");
    }
}

#[tokio::test]
async fn a_used_link_redirects_without_a_session() {
    let (site, sign_ins) = site(tokens()).await;
    let link = sign_ins.link().expect("a link");
    let head = site.send(format!("HEAD {link} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert!(head.header("set-cookie").is_none(), "a HEAD request does not sign in");
    for (path, location) in
        [(link.as_str(), None), (&link, Some("/#link-used")), ("/signin", Some("/"))]
    {
        let response =
            site.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
        assert_eq!(response.header("set-cookie").is_some(), location.is_none());
        assert!(
            location.is_none_or(|location| response.header("location") == Some(location)),
            "{response:?}"
        );
    }
}

async fn paste_token(site: &Site, token: &str, headers: &[&str]) -> WireResponse {
    let body = json!({ "token": token }).to_string();
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let (addr, length) = (site.addr, body.len());
    site.send(format!(
        "POST /signin HTTP/1.1\r\nHost: {addr}\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    ))
    .await
}

#[tokio::test]
async fn a_token_can_be_pasted() {
    let (site, _) = site(tokens()).await;
    let origin = format!("Origin: http://{}", site.addr);
    for (token, role) in [(ADA, "Agent"), (BOB, "Operator")] {
        let response = paste_token(&site, token, &[&origin, JSON]).await;
        assert_eq!(response.status, 200);
        let browser =
            Browser::new(&site, &response, response.json()["key"].as_str().expect("a key"));
        assert_eq!(browser.send("GET", "/who", &[]).await.body, role);
    }
    for wrong in ["", "nonsense", "a\nb", &ADA[1..]] {
        let response = paste_token(&site, wrong, &[&origin, JSON]).await;
        assert_eq!((response.status, response.header("set-cookie")), (401, None), "{wrong:?}");
        assert!(
            response.json()["hint"].as_str().is_some_and(|hint| hint.contains("`toolscout ui`"))
        );
    }
    for headers in [&[JSON][..], &[&origin], &["Origin: https://evil.example", JSON]] {
        assert!(
            paste_token(&site, BOB, headers).await.header("set-cookie").is_none(),
            "{headers:?}"
        );
    }
}

#[tokio::test]
async fn without_authentication_no_token_grants_the_operator_role() {
    let (site, _) = site(Auth::None).await;
    let response = paste_token(&site, BOB, &[&format!("Origin: http://{}", site.addr), JSON]).await;
    assert_eq!((response.status, response.header("set-cookie")), (401, None));
}

#[tokio::test]
async fn only_the_ui_itself_may_send_changes() {
    let (site, sign_ins) = site(tokens()).await;
    let browser = follow_link(&site, &sign_ins).await;
    let origin = browser.origin();
    assert_eq!(browser.send("POST", "/who", &[&origin, JSON]).await.status, 200);
    assert_eq!(browser.send("POST", "/who", &[JSON]).await.status, 403);
    assert_eq!(browser.send("POST", "/who", &[&origin]).await.status, 415);
    assert_eq!(
        browser.send("POST", "/who", &[&origin, "Content-Type: text/plain"]).await.status,
        415
    );
    assert_eq!(
        browser.send("DELETE", "/who", &["Origin: http://127.0.0.1:1", JSON]).await.status,
        403
    );
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let (site, sign_ins) = site(tokens()).await;
    let browser = follow_link(&site, &sign_ins).await;
    assert_eq!(
        browser.send("POST", "/signout", &[JSON]).await.status,
        403,
        "a request without `Origin` is refused"
    );
    let response = browser.send("POST", "/signout", &[&browser.origin(), JSON]).await;
    assert_eq!(response.status, 204);
    assert!(response.header("set-cookie").is_some_and(|header| header.contains("Max-Age=0")));
    assert_eq!(browser.send("GET", "/who", &[]).await.status, 401);
}

#[tokio::test]
async fn without_a_ui_there_is_no_sign_in() {
    let listener = Listener::bind(terms(tokens())).await.expect("bound");
    let site = Site::serve(listener, Routes::new());
    let response =
        site.send(format!("GET /signin?code=x HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert_eq!((response.status, response.header("location")), (401, None));
}

//! Proves that
//! 1. a link opens the UI, and the UI's requests have the operator role from then on,
//! 2. a pasted token does the same for its principal, and the error for a wrong token names the
//!    command to type,
//! 3. requests that a browser sends by itself change nothing, signed in or not.

use super::super::fixture::{ADA, Answer, BOB, Site, terms, tokens};
use super::super::{Auth, Listener, Principal, Routes, Terms};
use super::*;
use axum::Extension;
use axum::routing::any;

async fn site(auth: Auth) -> (Site, Arc<SignIns>) {
    let who = async |Extension(it): Extension<Principal>| format!("{:?}", it.role);
    let sign_ins = SignIns::new();
    let terms = Terms { sign_ins: Some(sign_ins.clone()), ..terms(auth) };
    let listener = Listener::bind(terms).await.expect("bound");
    (Site::serve(listener, Routes::new().guarded(Router::new().route("/who", any(who)))), sign_ins)
}

/// A browser with its stored cookie and key.
struct Browser<'a> {
    site: &'a Site,
    cookie: String,
    key: String,
}

impl<'a> Browser<'a> {
    fn of(site: &'a Site, came: &Answer, key: &str) -> Self {
        let cookie = came.header("set-cookie").expect("a cookie");
        for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=43200"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        assert!(!key.is_empty() && !cookie.contains(key));
        Self { site, cookie, key: key.to_owned() }
    }

    async fn asks(&self, method: &str, path: &str, more: &[&str]) -> Answer {
        let Self { site, cookie, key } = self;
        let more: String = more.iter().map(|it| format!("{it}\r\n")).collect();
        let addr = site.addr;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {addr}\r\nCookie: {cookie}\r\nX-Toolscout-Key: {key}\r\n"
        );
        site.ask(format!("{head}Content-Length: 2\r\n{more}\r\n{{}}")).await
    }

    fn origin(&self) -> String {
        format!("Origin: http://{}", self.site.addr)
    }
}

const JSON: &str = "Content-Type: application/json";

async fn follow<'a>(site: &'a Site, sign_ins: &SignIns) -> Browser<'a> {
    let link = sign_ins.link().expect("a link");
    let came = site.ask(format!("GET {link} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert_eq!(came.status, 303);
    let place = came.header("location").expect("a place").to_owned();
    let key = place.strip_prefix("/#key=").unwrap_or_else(|| panic!("{place}"));
    assert_eq!(came.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(came.header("cache-control"), Some("no-store"));
    Browser::of(site, &came, key)
}

#[tokio::test]
async fn a_link_makes_the_page_the_operators() {
    for auth in [tokens(), Auth::None] {
        let (site, sign_ins) = site(auth).await;
        let browser = follow(&site, &sign_ins).await;
        assert_eq!(browser.asks("GET", "/who", &[]).await.body, "Operator");
    }
}

#[tokio::test]
async fn a_used_or_foreign_link_leads_to_a_page_that_says_so() {
    let (site, sign_ins) = site(tokens()).await;
    let link = sign_ins.link().expect("a link");
    let looked = site.ask(format!("HEAD {link} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert!(looked.header("set-cookie").is_none(), "who only looks is not signed in");
    for (path, place) in
        [(link.as_str(), None), (&link, Some("/#link-used")), ("/signin", Some("/"))]
    {
        let came = site.ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
        assert_eq!(came.header("set-cookie").is_some(), place.is_none());
        assert!(place.is_none_or(|it| came.header("location") == Some(it)), "{came:?}");
    }
}

async fn paste(site: &Site, token: &str, headers: &[&str]) -> Answer {
    let body = json!({ "token": token }).to_string();
    let headers: String = headers.iter().map(|it| format!("{it}\r\n")).collect();
    let (addr, length) = (site.addr, body.len());
    site.ask(format!(
        "POST /signin HTTP/1.1\r\nHost: {addr}\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    ))
    .await
}

#[tokio::test]
async fn a_token_can_be_pasted() {
    let (site, _) = site(tokens()).await;
    let origin = format!("Origin: http://{}", site.addr);
    for (token, role) in [(ADA, "Agent"), (BOB, "Operator")] {
        let came = paste(&site, token, &[&origin, JSON]).await;
        assert_eq!(came.status, 200);
        let browser = Browser::of(&site, &came, came.json()["key"].as_str().expect("a key"));
        assert_eq!(browser.asks("GET", "/who", &[]).await.body, role);
    }
    for wrong in ["", "nonsense", "a\nb", &ADA[1..]] {
        let came = paste(&site, wrong, &[&origin, JSON]).await;
        assert_eq!((came.status, came.header("set-cookie")), (401, None), "{wrong:?}");
        assert!(came.json()["hint"].as_str().is_some_and(|it| it.contains("`toolscout ui`")));
    }
    for headers in [&[JSON][..], &[&origin], &["Origin: https://evil.example", JSON]] {
        assert!(paste(&site, BOB, headers).await.header("set-cookie").is_none(), "{headers:?}");
    }
}

#[tokio::test]
async fn where_everybody_is_let_in_no_token_makes_an_operator() {
    let (site, _) = site(Auth::None).await;
    let came = paste(&site, BOB, &[&format!("Origin: http://{}", site.addr), JSON]).await;
    assert_eq!((came.status, came.header("set-cookie")), (401, None));
}

#[tokio::test]
async fn only_the_page_itself_changes_anything() {
    let (site, sign_ins) = site(tokens()).await;
    let browser = follow(&site, &sign_ins).await;
    let origin = browser.origin();
    assert_eq!(browser.asks("POST", "/who", &[&origin, JSON]).await.status, 200);
    assert_eq!(browser.asks("POST", "/who", &[JSON]).await.status, 403);
    assert_eq!(browser.asks("POST", "/who", &[&origin]).await.status, 415);
    assert_eq!(
        browser.asks("POST", "/who", &[&origin, "Content-Type: text/plain"]).await.status,
        415
    );
    assert_eq!(
        browser.asks("DELETE", "/who", &["Origin: http://127.0.0.1:1", JSON]).await.status,
        403
    );
}

#[tokio::test]
async fn who_signs_out_is_out() {
    let (site, sign_ins) = site(tokens()).await;
    let browser = follow(&site, &sign_ins).await;
    assert_eq!(
        browser.asks("POST", "/signout", &[JSON]).await.status,
        403,
        "nobody else signs me out"
    );
    let gone = browser.asks("POST", "/signout", &[&browser.origin(), JSON]).await;
    assert_eq!(gone.status, 204);
    assert!(gone.header("set-cookie").is_some_and(|it| it.contains("Max-Age=0")));
    assert_eq!(browser.asks("GET", "/who", &[]).await.status, 401);
}

#[tokio::test]
async fn without_a_page_nobody_signs_in() {
    let listener = Listener::bind(terms(tokens())).await.expect("bound");
    let site = Site::serve(listener, Routes::new());
    let came =
        site.ask(format!("GET /signin?code=x HTTP/1.1\r\nHost: {}\r\n\r\n", site.addr)).await;
    assert_eq!((came.status, came.header("location")), (401, None));
}

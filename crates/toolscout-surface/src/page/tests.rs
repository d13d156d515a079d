//! Proves that
//! 1. the UI loads only our own files, under a policy that allows nothing else,
//! 2. it is small, and is not sent again to a client that has it cached,
//! 3. no element of it can be created from text.

use super::files::ALL;
use super::routes;
use crate::http::fixture::{Site, WireResponse, terms, tokens};
use crate::http::{Listener, Routes};

async fn site() -> Site {
    let listener = Listener::bind(terms(tokens())).await.expect("bound");
    Site::serve(listener, Routes::new().open(routes()))
}

async fn get(site: &Site, path: &str, more: &str) -> WireResponse {
    site.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", site.addr)).await
}

#[tokio::test]
async fn every_file_is_public_and_has_security_headers() {
    let site = site().await;
    for file in &ALL {
        let response = get(&site, file.path, "").await;
        assert_eq!(
            (response.status, response.header("content-type")),
            (200, Some(file.media_type)),
            "{}",
            file.path
        );
        assert_eq!(response.body, file.text);
        let policy = response.header("content-security-policy").expect("a policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "trusted-types 'none'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(response.header(name), Some(value), "{}", file.path);
        }
    }
    assert_eq!(get(&site, "/page/other.js", "").await.status, 401);
}

#[tokio::test]
async fn a_cached_file_is_not_sent_again() {
    let site = site().await;
    let first = get(&site, "/page/main.js", "").await;
    let etag = first.header("etag").expect("a tag").to_owned();
    for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}")] {
        let cached = get(&site, "/page/main.js", &format!("If-None-Match: {known}\r\n")).await;
        assert_eq!((cached.status, cached.body.as_str()), (304, ""), "{known}");
    }
    assert_eq!(get(&site, "/page/main.js", "If-None-Match: \"other\"\r\n").await.status, 200);
}

#[tokio::test]
async fn files_are_compressed_for_clients_that_accept_gzip() {
    let site = site().await;
    let mut sum = 0;
    for file in &ALL {
        let mut wire = site.dial().await;
        wire.send(format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: br, gzip\r\n\r\n",
            file.path, site.addr
        ))
        .await;
        let head = wire.head().await;
        assert_eq!(head.header("content-encoding"), Some("gzip"), "{}", file.path);
        sum += head
            .header("content-length")
            .and_then(|header| header.parse::<usize>().ok())
            .expect("a length");
    }
    assert!(sum <= 100_000, "all files together take {sum} bytes");
    let plain = get(&site, "/", "Accept-Encoding: gzip;q=0, identity\r\n").await;
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("accept-encoding"))
    );
}

/// The browser refuses this, too; this test finds it earlier.
#[test]
fn no_script_creates_elements_from_text() {
    let patterns = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "new Function",
    ];
    let more_patterns = [
        "createContextualFragment",
        "setHTML",
        "srcdoc",
        "javascript:",
        "onclick=",
        "style=\"",
        "http://",
        "https://",
    ];
    for file in ALL.iter().filter(|item| !item.path.ends_with(".svg")) {
        for pattern in patterns.iter().chain(&more_patterns) {
            // An example of a URL, and the name of the namespace of SVG: neither is requested.
            let is_name = (*pattern == "https://"
                && file.text.contains("https://mcp.example.com/mcp"))
                || (*pattern == "http://" && file.text.contains("http://www.w3.org/2000/svg"));
            assert!(is_name || !file.text.contains(pattern), "{} has `{pattern}`", file.path);
        }
    }
}

#[test]
fn every_referenced_file_exists() {
    for file in &ALL {
        let named = file.text.split(['"', '\'']).filter_map(|part| match part.strip_prefix("./") {
            Some(name) if name.ends_with(".js") => Some(format!("/page/{name}")),
            _ => part.starts_with("/page/").then(|| part.to_owned()),
        });
        for path in named {
            assert!(ALL.iter().any(|item| item.path == path), "{} names `{path}`", file.path);
        }
    }
}

//! Proves that
//! 1. the UI loads only our own files, under a policy that allows nothing else,
//! 2. it is small, and is not sent again to a client that has it cached,
//! 3. no element of it can be created from text.

use super::files::ALL;
use super::routes;
use crate::http::fixture::{Answer, Site, terms, tokens};
use crate::http::{Listener, Routes};

async fn site() -> Site {
    let listener = Listener::bind(terms(tokens())).await.expect("bound");
    Site::serve(listener, Routes::new().open(routes()))
}

async fn ask(site: &Site, path: &str, more: &str) -> Answer {
    site.ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", site.addr)).await
}

#[tokio::test]
async fn every_file_is_there_for_anybody_and_for_nothing_else() {
    let site = site().await;
    for file in &ALL {
        let answer = ask(&site, file.path, "").await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(file.kind)),
            "{}",
            file.path
        );
        assert_eq!(answer.body, file.text);
        let policy = answer.header("content-security-policy").expect("a policy");
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
            assert_eq!(answer.header(name), Some(value), "{}", file.path);
        }
    }
    assert_eq!(ask(&site, "/page/other.js", "").await.status, 401);
}

#[tokio::test]
async fn who_has_a_file_is_not_sent_it_again() {
    let site = site().await;
    let first = ask(&site, "/page/main.js", "").await;
    let tag = first.header("etag").expect("a tag").to_owned();
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}")] {
        let again = ask(&site, "/page/main.js", &format!("If-None-Match: {known}\r\n")).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{known}");
    }
    assert_eq!(ask(&site, "/page/main.js", "If-None-Match: \"other\"\r\n").await.status, 200);
}

#[tokio::test]
async fn files_are_packed_for_who_takes_that() {
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
            .and_then(|it| it.parse::<usize>().ok())
            .expect("a length");
    }
    assert!(sum < 60_000, "all files together take {sum} bytes");
    let plain = ask(&site, "/", "Accept-Encoding: gzip;q=0, identity\r\n").await;
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("accept-encoding"))
    );
}

/// The browser refuses this, too; this test finds it earlier.
#[test]
fn no_element_is_made_from_a_text() {
    let ways = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "new Function",
    ];
    let more = [
        "createContextualFragment",
        "setHTML",
        "srcdoc",
        "javascript:",
        "onclick=",
        "style=\"",
        "http://",
        "https://",
    ];
    for file in ALL.iter().filter(|it| !it.path.ends_with(".svg")) {
        for way in ways.iter().chain(&more) {
            let is_example =
                *way == "https://" && file.text.contains("https://mcp.example.com/mcp");
            assert!(is_example || !file.text.contains(way), "{} has `{way}`", file.path);
        }
    }
}

#[test]
fn every_file_that_is_named_is_there() {
    for file in &ALL {
        let named = file.text.split(['"', '\'']).filter_map(|it| match it.strip_prefix("./") {
            Some(name) if name.ends_with(".js") => Some(format!("/page/{name}")),
            _ => it.starts_with("/page/").then(|| it.to_owned()),
        });
        for path in named {
            assert!(ALL.iter().any(|it| it.path == path), "{} names `{path}`", file.path);
        }
    }
}

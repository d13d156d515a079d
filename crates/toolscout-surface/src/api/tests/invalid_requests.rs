use super::{send, site};
use crate::http::Auth;
use crate::http::fixture::{BOB, terms, tokens};

/// A request, and the text that the error must contain.
const INVALID: [(&str, &str, Option<&str>, &str); 13] = [
    ("GET", "/api/greetings/ada?tmes=2", None, "`tmes`"),
    ("GET", "/api/greetings/ada?times=1&times=2", None, "duplicate query parameter `times`"),
    ("GET", "/api/greetings/ada?times=0", None, "`times`"),
    ("GET", "/api/greetings/ada?times=many", None, "`times`"),
    ("GET", "/api/greetings/ada?words=%ff", None, "UTF-8"),
    ("GET", "/api/greetings/ada?words=%2", None, "UTF-8"),
    ("GET", "/api/greetings/ada?name=bob", None, "`name` is given more than once"),
    ("GET", "/api/health?x", None, "`x`"),
    ("POST", "/api/greetings", Some("{\"name\":1}"), "`name`"),
    ("POST", "/api/greetings", Some("{}"), "name"),
    ("POST", "/api/greetings", Some("[]"), "object"),
    ("POST", "/api/greetings", Some("{"), "JSON"),
    ("POST", "/api/greetings?dryRun=maybe", Some("{\"name\":\"x\"}"), "`dryRun`"),
];

#[tokio::test]
async fn an_error_names_the_invalid_part_of_a_request() {
    let site = site(terms(tokens())).await;
    let bearer = format!("Authorization: Bearer {BOB}");
    for (method, path, body, expected) in INVALID {
        let response = send(&site, method, path, &["Host: localhost", &bearer], body).await;
        let error = response.json();
        assert_eq!(
            (response.status, &error["code"]),
            (400, &"VALIDATION_FAILED".into()),
            "{path}: {response:?}"
        );
        assert!(
            error["error"].as_str().is_some_and(|error| error.contains(expected)),
            "{path}: {error}"
        );
    }
    let repeated = send(
        &site,
        "GET",
        "/api/greetings/ada?words=and&words=bob",
        &["Host: localhost", &bearer],
        None,
    )
    .await;
    assert_eq!(repeated.json()["text"], "ada and bob", "a list parameter may be repeated");
}

/// Any web page can make a browser send a form to any server; a form is not JSON.
#[tokio::test]
async fn a_body_of_another_media_type_is_refused() {
    let site = site(terms(tokens())).await;
    let form = format!(
        "POST /api/greetings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {BOB}\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\n{{\"name\":\"ada\"}}"
    );
    let response = site.send(form).await;
    assert_eq!((response.status, &response.json()["code"]), (400, &"VALIDATION_FAILED".into()));
}

#[tokio::test]
async fn errors_have_one_shape() {
    let site = site(terms(Auth::None)).await;
    for (method, path, status, code) in [
        ("GET", "/api/nothing", 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/api", 404, "RESOURCE_NOT_FOUND"),
        ("GET", "/api/", 404, "RESOURCE_NOT_FOUND"),
        ("PATCH", "/api/greetings/ada", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/api/health", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/metrics", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/openapi.json", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/greetings/nobody", 404, "RESOURCE_NOT_FOUND"),
    ] {
        let response = send(&site, method, path, &["Host: localhost"], None).await;
        assert_eq!(
            (response.status, &response.json()["code"]),
            (status, &code.into()),
            "{method} {path}: {response:?}"
        );
        assert!(response.json()["error"].is_string());
    }
    let methods = send(&site, "PATCH", "/api/greetings/ada", &["Host: localhost"], None).await;
    assert_eq!(methods.header("allow"), Some("GET"));
    let elsewhere = send(&site, "GET", "/elsewhere", &["Host: localhost"], None).await;
    assert_eq!(elsewhere.code(), -32000, "a path outside `/api` gets an error of the MCP endpoint");
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read() {
    let site = site(terms(tokens())).await;
    let head = format!(
        "POST /api/greetings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {BOB}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{{"
    );
    let response = site.send(head).await;
    assert_eq!((response.status, &response.json()["code"]), (413, &"TOO_LARGE".into()));
}

//! 1. Arguments go to the positions in the recipe and can never become another part of the request.
//! 2. Responses become results; secrets and redirects stay with their origin.
//! 3. Time and size limits are enforced.

use super::body::fill;
use super::{MAX_RESPONSE_BYTES, build, output_of_body};
use crate::recipe::{HttpRecipe, Recipe};
use crate::run::fixture::{call, cx, text};
use crate::run::run;
use crate::sandbox::ToolSandbox;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use toolscout_core::{ErrorKind, ToolOutput};

/// Sends these responses, one per connection, and returns the received requests.
fn serve(answers: Vec<String>) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback works");
    let address = listener.local_addr().expect("it has an address");
    let server_thread = std::thread::spawn(move || {
        let each = answers.into_iter().map(|answer| {
            let (mut stream, _) = listener.accept().expect("a client connects");
            let request = read_request(&mut BufReader::new(&mut stream));
            // A client that has read enough may close the connection early.
            let _ = stream.write_all(answer.as_bytes());
            request
        });
        each.collect()
    });
    (address, server_thread)
}

fn read_request(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|line| line > 0) {}
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("the body is complete");
    head + &String::from_utf8_lossy(&body)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn recipe(method: &str, url: &str) -> HttpRecipe {
    HttpRecipe {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        env: Vec::new(),
        timeout_ms: 20_000,
    }
}

async fn done(recipe: HttpRecipe, arguments: Value) -> ToolOutput {
    run(&Recipe::Http(recipe), &call("t", arguments), &ToolSandbox::default(), &cx())
        .await
        .expect("the call succeeds")
}

fn url_of(template: &str, arguments: Value) -> Result<String, String> {
    let built = build(&recipe("GET", template), &call("t", arguments), |_| None);
    built.map(|value| value.url().to_string()).map_err(|err| err.to_string())
}

#[test]
fn arguments_stay_in_their_place_of_the_address() {
    let hostile = json!({"id": "a/b?c=d&e#f %", "q": "x&y=z"});
    assert_eq!(
        url_of("http://h/items/{id}?q={q}", hostile).expect("the URL is valid"),
        "http://h/items/a%2Fb%3Fc%3Dd%26e%23f%20%25?q=x%26y%3Dz"
    );
    assert_eq!(
        url_of("http://h/{a.b}", json!({"a": {"b": 7}})).expect("the URL is valid"),
        "http://h/7"
    );
}

#[test]
fn an_argument_cannot_climb_up_the_address() {
    for value in ["..", ".", ""] {
        let err = url_of("http://h/users/{id}/posts", json!({"id": value})).expect_err("refused");
        assert!(err.contains("which is not allowed"), "{err}");
    }
    assert!(url_of("http://h/a{id}", json!({"id": ".."})).is_ok());
}

#[test]
fn absent_arguments_leave_the_query_and_lack_in_the_path() {
    assert_eq!(
        url_of("http://h/x?a={a}&b={b}&c=1", json!({"b": 2})).expect("the URL is valid"),
        "http://h/x?b=2&c=1"
    );
    assert_eq!(url_of("http://h/x?a={a}", json!({})).expect("the URL is valid"), "http://h/x");
    assert_eq!(
        url_of("http://h/x?t={t}", json!({"t": ["a", "b"]})).expect("the URL is valid"),
        "http://h/x?t=a&t=b"
    );
    assert_eq!(
        url_of("http://h/{id}", json!({})).expect_err("an argument is missing"),
        "the URL needs the argument `id`"
    );
}

#[test]
fn what_has_no_place_is_added_to_the_query_of_requests_without_a_body() {
    assert_eq!(
        url_of("http://h/{id}", json!({"id": 1, "q": "a b"})).expect("the URL is valid"),
        "http://h/1?q=a+b"
    );
}

#[test]
fn only_web_addresses_are_addresses() {
    assert!(url_of("file:///etc/passwd", json!({})).is_err());
    assert!(url_of("{url}", json!({"url": "http://elsewhere/"})).is_err());
}

#[tokio::test]
async fn a_post_carries_the_unused_arguments_as_json_and_gets_structure_back() {
    let (address, server_thread) =
        serve(vec![answer("200 OK", "content-type: application/json\r\n", "{\"ok\": 1.0}\n")]);
    let output = done(
        recipe("post", &format!("http://{address}/x/{{id}}")),
        json!({"id": 5, "a": [1], "b": "c"}),
    )
    .await;
    assert_eq!(text(&output), "{\"ok\": 1.0}");
    assert!(
        output.raw().as_str().ends_with("\"structuredContent\":{\"ok\": 1.0}}"),
        "{:?}",
        output.raw()
    );
    let request = server_thread.join().expect("the server received requests").remove(0);
    assert!(request.starts_with("POST /x/5 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":[1],\"b\":\"c\"}"), "{request}");
}

#[tokio::test]
async fn a_refusal_is_a_failure_with_status_and_words() {
    let (address, _asked) = serve(vec![answer("503 Service Unavailable", "", "come back later")]);
    let output = done(recipe("GET", &format!("http://{address}/x?key=secret")), json!({})).await;
    assert!(output.is_error());
    assert_eq!(
        text(&output),
        format!("GET http://{address}/x answered 503 Service Unavailable\n\ncome back later")
    );
}

#[tokio::test]
async fn redirects_are_followed_within_an_origin_only() {
    let moved = answer("302 Found", "location: /there\r\n", "");
    let (address, server_thread) = serve(vec![moved, answer("200 OK", "", "here")]);
    assert_eq!(text(&done(recipe("GET", &format!("http://{address}/x")), json!({})).await), "here");
    assert!(
        server_thread.join().expect("the server received requests")[1].starts_with("GET /there ")
    );

    // The other origin is a port without a listener: following would be an error, not a result.
    let away = answer("302 Found", "location: http://127.0.0.1:1/there\r\n", "");
    let (address, _asked) = serve(vec![away]);
    let output = done(recipe("GET", &format!("http://{address}/x")), json!({})).await;
    assert!(output.is_error());
    assert!(
        text(&output).contains("the redirect to http://127.0.0.1:1/there is not followed"),
        "{}",
        text(&output)
    );
}

#[tokio::test]
async fn responses_that_are_too_large_or_too_late_are_errors() {
    let (address, _asked) = serve(vec![answer("200 OK", "", &"x".repeat(MAX_RESPONSE_BYTES + 1))]);
    let get = Recipe::Http(recipe("GET", &format!("http://{address}/")));
    let err = run(&get, &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("the response is too large");
    assert!(err.to_string().contains("answered with more than 8 MiB"), "{err}");

    // Accepts connections into its queue and never responds.
    let silent = TcpListener::bind("127.0.0.1:0").expect("loopback works");
    let mut slow =
        recipe("GET", &format!("http://{}/", silent.local_addr().expect("it has an address")));
    slow.timeout_ms = 100;
    let err = run(&Recipe::Http(slow), &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("the request times out");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    assert!(err.to_string().ends_with("/ timed out after 100 ms"), "{err}");
}

#[tokio::test]
async fn an_unreachable_server_is_unavailable() {
    let get = Recipe::Http(recipe("GET", "http://127.0.0.1:1/x?key=secret"));
    let err = run(&get, &call("t", json!({})), &ToolSandbox::default(), &cx())
        .await
        .expect_err("no listener");
    assert_eq!(err.kind(), ErrorKind::Unavailable);
    let message = err.to_string();
    assert!(message.starts_with("source `local`: GET http://127.0.0.1:1/x failed: "), "{message}");
    assert!(!message.contains("secret"));
}

fn header(template: &str, env: &[&str], arguments: Value) -> Result<Option<String>, String> {
    let mut recipe = recipe("GET", "http://h/");
    recipe.headers = vec![("x-test".to_owned(), template.to_owned())];
    recipe.env = env.iter().map(|env| (*env).to_owned()).collect();
    let built = build(&recipe, &call("t", arguments), |name| {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    });
    let value = |header_value: &HeaderValue| header_value.to_str().expect("text").to_owned();
    built.map(|inner| inner.headers().get("x-test").map(value)).map_err(|err| err.to_string())
}

#[test]
fn headers_read_only_listed_variables() {
    assert_eq!(
        header("Bearer env:TOKEN", &["TOKEN"], json!({})),
        Ok(Some("Bearer s3cret".to_owned()))
    );
    let refused = header("env:TOKEN", &[], json!({})).expect_err("the variable is not passed on");
    assert_eq!(
        refused,
        "a header refers to `env:TOKEN`, but `TOKEN` is not in the tool's `env` list"
    );
    let unset = header("env:OTHER", &["OTHER"], json!({})).expect_err("not set");
    assert_eq!(unset, "the tool needs the environment variable `OTHER`, which is not set");
}

#[test]
fn arguments_cannot_reference_variables_or_add_headers() {
    assert_eq!(
        header("{a}", &["TOKEN"], json!({"a": "env:TOKEN"})),
        Ok(Some("env:TOKEN".to_owned()))
    );
    assert_eq!(header("{a}", &[], json!({})), Ok(None));
    assert!(header("{a}", &[], json!({"a": "x\r\nevil: 1"})).is_err());
}

fn body(template: &str, kind: Option<&'static str>, arguments: Value) -> String {
    let kind = kind.map(HeaderValue::from_static);
    let arguments = arguments.as_object().expect("an object").clone();
    fill(template, &arguments, kind.as_ref()).expect("the template is valid").text
}

#[test]
fn bodies_are_escaped_for_their_format() {
    let hostile = json!({"q": "a\"b", "n": 3, "list": [1]});
    let tree = r#"{"query":"{q}","text":"say {q}","n":"{n}","list":"{list}","gone":"{gone}"}"#;
    assert_eq!(
        body(tree, None, hostile.clone()),
        r#"{"query":"a\"b","text":"say a\"b","n":3,"list":[1]}"#
    );
    assert_eq!(
        body(r#"{"q": {q}, "n": {n}, "t": "{n}!"}"#, None, hostile.clone()),
        r#"{"q":"a\"b","n":3,"t":"3!"}"#
    );
    let form = Some("application/x-www-form-urlencoded");
    assert_eq!(body("q={q}&n={n}", form, json!({"q": "a&b=c", "n": 1})), "q=a%26b%3Dc&n=1");
    assert_eq!(body("{q}", Some("text/plain"), hostile.clone()), "a\"b");
    assert_eq!(body("{q}", None, hostile), "a\"b");
}

#[test]
fn responses_are_never_parsed_as_complete_results() {
    let output = output_of_body(br#"{"content":[],"isError":true}"#, "application/json");
    assert!(!output.is_error());
    assert_eq!(output.structured_content(), Some(json!({"content": [], "isError": true})));
    assert_eq!(output_of_body(b"{}", "text/html").structured_content(), None);
    assert_eq!(output_of_body(b"plain\n", ""), ToolOutput::text("plain"));
}

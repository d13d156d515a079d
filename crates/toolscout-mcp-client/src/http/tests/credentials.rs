use super::super::HttpWire;
use super::super::fixture::{Hearing, Site, Then, answer, dial, json_answer, request, say, soon};
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
struct Purse(Mutex<Vec<&'static str>>);

impl TokenProvider for Purse {
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>> {
        let token = self.0.lock().first().map(|it| (*it).to_owned());
        Box::pin(async move { Ok(token) })
    }

    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool> {
        let mut tokens = self.0.lock();
        tokens.retain(|it| *it != token);
        let is_worth_it = !tokens.is_empty();
        Box::pin(async move { is_worth_it })
    }
}

fn dial_with(tokens: &[&'static str]) -> ConnectContext {
    ConnectContext { tokens: Some(Arc::new(Purse(Mutex::new(tokens.to_vec())))), ..dial() }
}

/// A site that accepts only the good token.
fn guarded() -> Site {
    Site::new(|asked, stream| {
        let is_good = asked.header("authorization") == Some("Bearer good");
        let refused = || answer("401 Unauthorized", "www-authenticate: Bearer scope=\"x\"\r\n", "");
        say(stream, &if is_good { json_answer(&asked.reply()) } else { refused() });
        Then::Stay
    })
}

#[tokio::test]
async fn a_token_that_is_not_taken_is_replaced_and_the_request_repeated_once() {
    let site = guarded();
    let (wire, mut hearing) = wire_with(&site.endpoint(), &dial_with(&["old", "good"])).await;
    for id in 1..=2 {
        wire.send(request(id, "tools/list")).await.expect("taken");
        assert!(matches!(hearing.next().await, super::super::fixture::Heard::Message(_)));
    }
    let sent: Vec<_> =
        site.asked().iter().map(|it| it.header("authorization").map(str::to_owned)).collect();
    assert_eq!(sent, ["Bearer old", "Bearer good", "Bearer good"].map(|it| Some(it.to_owned())));
    let asked = site.asked();
    assert_eq!(asked[0].body, asked[1].body);
}

#[tokio::test]
async fn a_server_that_takes_no_token_is_asked_twice_at_most() {
    let site = guarded();
    let (wire, mut hearing) = wire_with(&site.endpoint(), &dial_with(&["a", "b", "c"])).await;
    wire.send(request(1, "tools/list")).await.expect("taken");
    assert!(matches!(hearing.failure().await, ClientError::Login { challenge: Some(_), .. }));
    assert_eq!(site.asked().len(), 2);
}

#[tokio::test]
async fn who_has_no_other_token_does_not_ask_again() {
    for tokens in [&["a"][..], &[]] {
        let site = guarded();
        let (wire, mut hearing) = wire_with(&site.endpoint(), &dial_with(tokens)).await;
        wire.send(request(1, "tools/list")).await.expect("taken");
        assert!(matches!(hearing.failure().await, ClientError::Login { .. }));
        assert_eq!(site.asked().len(), 1);
    }
}

fn secretive(site: &Site) -> (HttpEndpoint, ConnectContext) {
    let url = site.url().replace("/mcp", "/mcp?key=env:none").replace("env:none", SECRET);
    let mut endpoint = HttpEndpoint {
        url: url.as_str().into(),
        bearer: Some("env:TOKEN".into()),
        ..HttpEndpoint::default()
    };
    endpoint.headers.insert("X-Api-Key".to_owned(), "${TOKEN}".into());
    let dial = ConnectContext {
        lookup: ReferenceLookup::of(|name| (name == "TOKEN").then(|| OsString::from(SECRET))),
        ..dial()
    };
    (endpoint, dial)
}

#[tokio::test]
async fn configured_credentials_are_sent() {
    let site = Site::new(|asked, stream| {
        say(stream, &json_answer(&asked.reply()));
        Then::Stay
    });
    let (endpoint, dial) = secretive(&site);
    let (wire, mut hearing) = wire_with(&endpoint, &dial).await;
    wire.send(request(1, "tools/list")).await.expect("taken");
    hearing.next().await;
    let asked = &site.asked()[0];
    assert_eq!(asked.line, format!("POST /mcp?key={SECRET} HTTP/1.1"));
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(asked.header("x-api-key"), Some(SECRET));
}

#[tokio::test]
async fn a_name_and_password_in_the_address_become_a_header() {
    let site = Site::new(|asked, stream| {
        say(stream, &json_answer(&asked.reply()));
        Then::Stay
    });
    let url = site.url().replace("http://", "http://me:p%40ss@");
    let (wire, mut hearing) =
        wire_with(&HttpEndpoint { url: url.as_str().into(), ..HttpEndpoint::default() }, &dial())
            .await;
    wire.send(request(1, "tools/list")).await.expect("taken");
    hearing.next().await;
    // me:p@ss
    assert_eq!(site.asked()[0].header("authorization"), Some("Basic bWU6cEBzcw=="));
    assert_eq!(wire.connection.remote.name(), site.url());
}

/// T33: no error repeats a secret that was sent, for any response.
#[tokio::test]
async fn no_error_holds_a_secret() {
    let answers = [
        answer("401 Unauthorized", "", ""),
        answer("403 Forbidden", "", ""),
        answer("404 Not Found", "", ""),
        answer("429 Too Many Requests", "", ""),
        answer("500 Oops", "", ""),
        answer("307 Temporary Redirect", &format!("location: /other?key={SECRET}\r\n"), ""),
        answer("200 OK", "content-type: text/html\r\n", SECRET),
        answer("200 OK", "content-type: text/event-stream\r\n", ""),
        json_answer(SECRET),
        "HTTP/1.1 what\r\n\r\n".to_owned(),
    ];
    for said in answers {
        let site = Site::new({
            let said = said.clone();
            move |_, stream| {
                say(stream, &said);
                Then::HangUp
            }
        });
        let (endpoint, dial) = secretive(&site);
        let (wire, mut hearing) = wire_with(&endpoint, &dial).await;
        wire.send(request(1, "tools/list")).await.expect("taken");
        let mut heard = hearing.next().await;
        if matches!(heard, super::super::fixture::Heard::Message(_)) {
            heard = hearing.next().await;
        }
        assert!(!format!("{heard:?}").contains(SECRET), "{said}: {heard:?}");
    }
}

async fn refused(endpoint: HttpEndpoint, dial: &ConnectContext) -> String {
    let (ear, _hearing) = Hearing::new();
    match HttpWire::open(&endpoint, dial, ear, soon()).await {
        Err(error @ ClientError::Invalid { .. }) => error.to_string(),
        Err(error) => panic!("not invalid: {error:?}"),
        Ok(_) => panic!("it opens"),
    }
}

#[tokio::test]
async fn settings_that_cannot_be_sent_are_named_without_their_value() {
    let url = "http://127.0.0.1:9/mcp";
    let dial = ConnectContext {
        lookup: ReferenceLookup::of(|_| Some(OsString::from(format!("{SECRET}\nX: 1")))),
        ..dial()
    };
    let with_header = |name: &str, value: &str| {
        let headers = [(name.to_owned(), value.into())].into();
        HttpEndpoint { url: url.into(), headers, ..HttpEndpoint::default() }
    };
    let error = refused(with_header("X-Key", "env:KEY"), &dial).await;
    assert_eq!(error, "header `X-Key` holds what no header can carry");
    let error = refused(with_header("Bad Name", "x"), &dial).await;
    assert_eq!(error, "header `Bad Name` is no header name");
    let error = refused(with_header("Mcp-Session-Id", "x"), &dial).await;
    assert_eq!(
        error,
        "header `Mcp-Session-Id` cannot be set; remove it from the server's `headers`"
    );
    let bearer =
        HttpEndpoint { url: url.into(), bearer: Some("env:KEY".into()), ..HttpEndpoint::default() };
    assert_eq!(refused(bearer, &dial).await, "the server's token holds what no header can carry");
    let url = HttpEndpoint { url: "env:KEY".into(), ..HttpEndpoint::default() };
    assert!(!refused(url, &dial).await.contains(SECRET));
}

/// An address that is a reference may be a secret as a whole.
#[tokio::test]
async fn of_an_address_that_is_referred_to_only_the_origin_is_named() {
    let dial = ConnectContext {
        lookup: ReferenceLookup::of(|_| Some(OsString::from("http://127.0.0.1:9/s/s3cr3t/mcp"))),
        ..dial()
    };
    let (ear, _hearing) = Hearing::new();
    let endpoint = HttpEndpoint { url: "env:URL".into(), ..HttpEndpoint::default() };
    let wire = HttpWire::open(&endpoint, &dial, ear, soon()).await.expect("fine");
    assert_eq!(wire.connection.remote.name(), "http://127.0.0.1:9");
}

use super::super::fixture::{ADA, limited, soon, terms, tokens};
use super::super::{Auth, Error, Limits, Listener, Routes, Terms};
use super::site;
use crate::http::fixture::Site;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Notify;

fn listen_on(addr: &str, auth: Auth) -> Terms {
    Terms::new(addr.parse().expect("an address"), auth)
}

/// T26.
#[tokio::test]
async fn a_listener_reachable_from_other_machines_requires_authentication() {
    for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8080", "[::ffff:127.0.0.1]:0"] {
        let error = Listener::bind(listen_on(open, Auth::None)).await.err().expect(open);
        assert!(matches!(error, Error::Open { .. }), "{open}: {error}");
        assert!(error.to_string().contains("--auth token"), "{error}");
    }
    for closed in ["127.0.0.1:0", "127.0.0.9:0"] {
        assert!(Listener::bind(listen_on(closed, Auth::None)).await.is_ok(), "{closed}");
    }
    assert!(Listener::bind(listen_on("0.0.0.0:0", tokens())).await.is_ok());
    assert!(matches!(
        Listener::bind(listen_on("127.0.0.1:0", Auth::fixed_tokens(Vec::new()))).await,
        Err(Error::NoToken)
    ));
}

#[tokio::test]
async fn invalid_settings_are_rejected_before_binding() {
    let with = |hosts: &[&str], origins: &[&str]| Terms {
        allowed_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        allowed_origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
        ..terms(Auth::None)
    };
    for host in ["*", "http://x", "a b", ""] {
        assert!(matches!(Listener::bind(with(&[host], &[])).await, Err(Error::Host(_))), "{host}");
    }
    for origin in ["*", "null", "app.example.com", "https://app.example.com/"] {
        assert!(
            matches!(Listener::bind(with(&[], &[origin])).await, Err(Error::Origin(_))),
            "{origin}"
        );
    }
    let taken = Listener::bind(terms(Auth::None)).await.expect("bound");
    let error = Listener::bind(Terms::new(taken.addr(), Auth::None))
        .await
        .err()
        .expect("the address is in use");
    assert!(error.to_string().contains(&taken.addr().to_string()), "{error}");
}

/// The address at which a request arrived is an allowed host: DNS cannot redirect an address.
#[tokio::test]
async fn the_local_address_of_a_connection_is_an_allowed_host() {
    let site = site(listen_on("127.0.0.9:0", Auth::None)).await;
    let request = |host: &str| format!("GET /known HTTP/1.1\r\nHost: {host}\r\n\r\n");
    assert_eq!(site.send(request("127.0.0.9")).await.status, 200);
    assert_eq!(site.send(request("127.0.0.8")).await.status, 403);
}

#[tokio::test]
async fn slow_clients_are_disconnected_and_others_are_served() {
    let time = Duration::from_millis(200);
    let limits =
        Limits { first_head_time: time, head_time: time, connections: 8, ..Limits::default() };
    let site = site(limited(Auth::None, limits)).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut wire = site.dial().await;
        wire.send("GET /known HTTP/1.1\r\nHost: local").await;
        slow.push(wire);
    }
    // This request waits until the slow connections are closed.
    assert_eq!(site.send("GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n").await.status, 200);
    for mut wire in slow {
        wire.closed().await;
    }
}

/// V-72: connections without an authenticated request make room, whatever they have sent.
#[tokio::test]
async fn silent_connections_lock_nobody_out() {
    let hour = Duration::from_secs(3_600);
    let limits =
        Limits { first_head_time: hour, head_time: hour, connections: 8, ..Limits::default() };
    let site = site(limited(tokens(), limits)).await;
    let known =
        format!("GET /known HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ADA}\r\n\r\n");
    let mut honest = site.dial().await;
    honest.send(&known).await;
    assert_eq!(honest.response().await.status, 200);
    let mut silent = Vec::new();
    for number in 0..60 {
        let mut wire = site.dial().await;
        match number % 3 {
            0 => {}
            1 => wire.send("GET /known HTTP/1.1\r\nHost: local").await,
            _ => {
                wire.send("GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
                assert_eq!(wire.response().await.status, 401);
            }
        }
        silent.push(wire);
        if number % 10 == 9 {
            assert_eq!(site.send(&known).await.status, 200, "a new connection, {number}");
        }
    }
    for wire in silent.iter_mut().take(50) {
        wire.closed().await;
    }
    honest.send(&known).await;
    assert_eq!(honest.response().await.status, 200, "the authenticated connection stays");
}

/// V-73.
#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let limits = Limits { first_head_time: Duration::from_millis(50), ..Limits::default() };
    let site = site(limited(Auth::None, limits)).await;
    let mut used = site.dial().await;
    used.send("GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(used.response().await.status, 200);
    assert!(site.dial().await.closed().await, "a silent connection is closed");
    let mut slow = site.dial().await;
    slow.send("GET /kno").await;
    assert!(slow.closed().await, "a slow connection is closed");
    used.send("GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(
        used.response().await.status,
        200,
        "the time limit applies to the first request only"
    );
}

#[tokio::test]
async fn oversized_headers_and_malformed_requests_are_rejected() {
    let site = site(terms(Auth::None)).await;
    let long = format!(
        "GET /known HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n",
        "x".repeat(40 << 10)
    );
    assert_eq!(site.send(long).await.status, 431);
    let many: String = (0..200).map(|index| format!("X-{index}: 1\r\n")).collect();
    assert_eq!(
        site.send(format!("GET /known HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")).await.status,
        431
    );
    for nonsense in [
        "\u{16}\u{3}\u{1}",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut wire = site.dial().await;
        wire.send(nonsense).await;
        wire.send("\r\n\r\n").await;
        wire.closed().await;
    }
    assert_eq!(site.send("GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n").await.status, 200);
}

/// T41: no new connections, running requests get their response, idle connections are closed.
#[tokio::test]
async fn running_requests_finish_at_shutdown() {
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (started, go) = (started.clone(), go.clone());
        get(async move || {
            started.notify_one();
            go.notified().await;
            "done"
        })
    };
    let listener = Listener::bind(terms(Auth::None)).await.expect("bound");
    let shutdown = listener.shutdown();
    let mut site = Site::serve(listener, Routes::new().guarded(Router::new().route("/slow", slow)));
    let mut idle = site.dial().await;
    idle.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(idle.response().await.status, 404);
    let mut busy = site.dial().await;
    busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    soon(started.notified()).await;
    site.stop();
    soon(shutdown.cancelled()).await;
    assert!(idle.closed().await);
    assert!(TcpStream::connect(site.addr).await.is_err(), "new connections are refused");
    go.notify_one();
    let response = busy.response().await;
    assert_eq!(
        (response.status, response.body.as_str(), response.header("connection")),
        (200, "done", Some("close"))
    );
    site.stopped().await;
}

#[tokio::test]
async fn requests_that_exceed_the_drain_time_are_aborted() {
    let listener = Listener::bind(limited(
        Auth::None,
        Limits { drain_time: Duration::from_millis(50), ..Limits::default() },
    ));
    let started = Arc::new(Notify::new());
    let endless = {
        let started = started.clone();
        get(async move || {
            started.notify_one();
            std::future::pending::<()>().await;
        })
    };
    let mut site = Site::serve(
        listener.await.expect("bound"),
        Routes::new().guarded(Router::new().route("/endless", endless)),
    );
    let mut busy = site.dial().await;
    busy.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    soon(started.notified()).await;
    site.stop();
    site.stopped().await;
    assert!(busy.closed().await);
}

//! A fuzz target: the bytes of a connection.

use super::{Auth, Authenticator, Connections, Ends, HostCheck, Site, serve_stream};
use crate::http::auth::Token;
use crate::http::{CancelSource, CancelToken, Limits, Role, Routes, SignIns};
use axum::Router;
use axum::routing::any;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

const TOKEN: &str = "fuzz-token-3f9c1a7e55d2";
/// Only the guarded route sends this.
const GUARDED: &str = "guarded-content-58b1";

thread_local! {
    /// The source is kept, because dropping it stops the server.
    static SERVER: (Runtime, CancelSource, Arc<Site>) = server();
}

/// Sends the bytes on a connection. Only a request with the token gets the content of a guarded
/// route; every response is HTTP.
pub fn http(bytes: &[u8]) {
    let response =
        SERVER.with(|(runtime, _, site)| runtime.block_on(exchange(site.clone(), bytes)));
    let text = String::from_utf8_lossy(&response);
    assert!(response.is_empty() || text.starts_with("HTTP/1."), "{text}");
    let request = String::from_utf8_lossy(bytes);
    if text.contains(GUARDED) {
        assert!(request.contains(TOKEN), "a guarded route needs the token");
    }
}

async fn exchange(site: Arc<Site>, bytes: &[u8]) -> Vec<u8> {
    let (mut client, server) = tokio::io::duplex(256 << 10);
    let ends = Ends { local: local(), peer: local() };
    let connection = Arc::new(Arc::<Connections>::default().add(local()));
    let talk = async {
        let mut response = Vec::new();
        // The server may close the connection before it has read everything.
        let _ = client.write_all(bytes).await;
        let _ = client.shutdown().await;
        let _ = client.read_to_end(&mut response).await;
        response
    };
    tokio::join!(serve_stream(site, server, ends, connection), talk).1
}

fn local() -> IpAddr {
    IpAddr::V4(Ipv4Addr::LOCALHOST)
}

fn server() -> (Runtime, CancelSource, Arc<Site>) {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let source = CancelSource::new();
    let site = Arc::new(site(source.token()));
    (runtime, source, site)
}

fn site(shutdown: CancelToken) -> Site {
    let token = Token::new("fuzz", TOKEN, Role::Agent).expect("the token is long enough");
    let auth = Arc::new(Auth::fixed_tokens(vec![token]));
    let sign_ins = Some(SignIns::new());
    let routes = Routes::new()
        .open(Router::new().route("/health", any(async || "ok")))
        .guarded(Router::new().route("/guarded", any(async || GUARDED)));
    let origins = ["https://app.example.com".to_owned()];
    Site {
        host_check: HostCheck::new(&["gateway.example".to_owned()], &origins).expect("valid"),
        router: routes.into_router(Authenticator { auth, sign_ins }),
        limits: Limits::default(),
        shutdown,
    }
}

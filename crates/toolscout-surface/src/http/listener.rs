//! Listens on an address, and serves connections until it is stopped.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;

use super::auth::{Auth, Authenticator, SignIns};
use super::body::drain;
use super::connections::{Connections, OpenConnection};
use super::host_check::HostCheck;
use super::rejection::for_api;
use super::shares::ClientAddress;
use super::{CancelSource, CancelToken, Error, Limits, Routes, cors};
use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Request};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;

/// The settings of a listener.
pub struct Terms {
    pub addr: SocketAddr,
    /// The authentication method.
    pub auth: Auth,
    /// Names of this machine, with or without a port. `localhost`, loopback and the address
    /// itself are always allowed.
    pub allowed_hosts: Vec<String>,
    /// Foreign origins that may send requests: `https://app.example.com`. Only these get CORS
    /// headers.
    pub allowed_origins: Vec<String>,
    /// Sessions of the UI; `None` if there is no UI.
    pub sign_ins: Option<Arc<SignIns>>,
    /// Sizes, times and counts.
    pub limits: Limits,
}

impl Terms {
    /// Settings with the default limits.
    pub fn new(addr: SocketAddr, auth: Auth) -> Self {
        let limits = Limits::default();
        Self {
            addr,
            auth,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            sign_ins: None,
            limits,
        }
    }
}

/// Listens on an address.
pub struct Listener {
    socket: TcpListener,
    addr: SocketAddr,
    authenticator: Authenticator,
    host_check: HostCheck,
    limits: Limits,
    shutdown: CancelSource,
}

impl Listener {
    /// Binds the address. Connections wait until [`Listener::serve`] runs.
    pub async fn bind(terms: Terms) -> Result<Self, Error> {
        let Terms { addr, auth, allowed_hosts, allowed_origins, sign_ins, limits } = terms;
        if matches!(auth, Auth::None) && !addr.ip().is_loopback() {
            return Err(Error::Open { addr });
        }
        auth.check()?;
        let host_check = HostCheck::new(&allowed_hosts, &allowed_origins)?;
        let bound = async {
            let socket = TcpListener::bind(addr).await?;
            let addr = socket.local_addr()?;
            Ok((socket, addr))
        };
        let (socket, addr) = bound.await.map_err(|error| Error::Bind { addr, error })?;
        let authenticator = Authenticator { auth: Arc::new(auth), sign_ins };
        Ok(Self { socket, addr, authenticator, host_check, limits, shutdown: CancelSource::new() })
    }

    /// The bound address; port 0 is replaced by the actual port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Cancelled when the listener stops, so that endless streams end.
    pub fn shutdown(&self) -> CancelToken {
        self.shutdown.token()
    }

    /// Serves until `stop` resolves; then it accepts no more connections, and gives running
    /// requests some time to finish.
    pub async fn serve(self, routes: Routes, stop: impl Future<Output = ()>) {
        let Self { socket, authenticator, host_check, limits, shutdown, .. } = self;
        let (router, shutdown_token) = (routes.into_router(authenticator), shutdown.token());
        let site = Arc::new(Site { host_check, router, limits, shutdown: shutdown_token });
        let mut connections = JoinSet::new();
        let open = Arc::<Connections>::default();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next() => {}
                accepted = socket.accept(),
                    if connections.len() < site.limits.connections || open.has_evictable() =>
                {
                    // An error most likely means that the process is out of file descriptors.
                    if accepted.is_err() || connections.len() >= site.limits.connections {
                        open.evict();
                    }
                    match accepted {
                        Ok((stream, peer)) => {
                            let connection = Arc::new(open.add(peer.ip()));
                            connections.spawn(serve_connection(site.clone(), stream, connection));
                        }
                        // An immediate retry would only keep a core busy.
                        Err(_) => sleep(Duration::from_millis(50)).await,
                    }
                }
            }
        }
        drop(socket);
        shutdown.cancel();
        let drained = async { while connections.join_next().await.is_some() {} };
        let _ = timeout(site.limits.drain_time, drained).await;
        connections.shutdown().await;
    }
}

/// The state that all connections share.
struct Site {
    host_check: HostCheck,
    router: Router,
    limits: Limits,
    shutdown: CancelToken,
}

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
struct Ends {
    local: IpAddr,
    peer: IpAddr,
}

async fn serve_connection(site: Arc<Site>, stream: TcpStream, open: Arc<OpenConnection>) {
    // A response is several small writes: Nagle's algorithm would delay each by 40 ms.
    let prepared = stream.set_nodelay(true).and_then(|()| stream.local_addr());
    let (Ok(local), Ok(peer)) = (prepared, stream.peer_addr()) else { return };
    serve_stream(site, stream, Ends { local: local.ip(), peer: peer.ip() }, open).await;
}

async fn serve_stream(
    site: Arc<Site>,
    stream: impl AsyncRead + AsyncWrite,
    ends: Ends,
    open: Arc<OpenConnection>,
) {
    // A client that stops reading would occupy the connection, and the memory of the response.
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(site.limits.stall_time));
    let (responding, kept) = (site.clone(), open.clone());
    let (first_head, mut has_head) = watch::channel(false);
    let service = service_fn(move |request| {
        first_head.send_replace(true);
        respond(responding.clone(), ends, request, kept.clone())
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(site.limits.head_time);
    http.max_header_size(site.limits.headers);
    let mut connection = pin!(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
    let is_late = async {
        if timeout(site.limits.first_head_time, has_head.wait_for(|it| *it)).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // However the connection ended, no client is left to notify.
        _ = connection.as_mut() => return,
        () = is_late => return,
        () = open.evicted() => return,
        () = site.shutdown.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Responds to a request: every request passes the host and origin check before any other code
/// reads it.
async fn respond(
    site: Arc<Site>,
    ends: Ends,
    request: Request<Incoming>,
    connection: Arc<OpenConnection>,
) -> Result<Response, Infallible> {
    let (mut head, body) = request.into_parts();
    head.extensions.insert(ClientAddress(ends.peer));
    head.extensions.insert(connection);
    let path = head.uri.path().to_owned();
    let mut response = match site.host_check.check(&head, ends.local) {
        Err(rejection) => {
            drain(Body::new(body)).await;
            rejection.into_response()
        }
        Ok(Some(origin)) if cors::is_preflight(&head) => cors::preflight(&origin),
        Ok(origin) => {
            let router = TowerToHyperService::new(site.router.clone());
            let Ok(mut response) = router.call(Request::from_parts(head, Body::new(body))).await;
            if let Some(origin) = &origin {
                cors::allow(&mut response, origin);
            }
            response
        }
    };
    // Responses are not cached, and browsers must not guess another media type.
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(for_api(&path, response))
}

//! Listens on an address, and serves connections until it is told to stop.

use super::auth::{Auth, SignIns};
use super::body::drain;
use super::door::Door;
use super::guard::Guard;
use super::refusal::{for_api, is_of_api};
use super::stall::Stalling;
use super::{End, Ending, Error, Limits, Routes, cors};
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
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How to listen.
pub struct Terms {
    /// Where.
    pub addr: SocketAddr,
    /// Who may.
    pub auth: Auth,
    /// Names this computer has for others, with a port or without. `localhost`, loopback and the address itself always count.
    pub allowed_hosts: Vec<String>,
    /// Foreign pages that may ask: `https://app.example.com`. They are given CORS headers, and nobody else is.
    pub allowed_origins: Vec<String>,
    /// Who came in at the page; none where there is no page.
    pub sign_ins: Option<Arc<SignIns>>,
    /// How much.
    pub limits: Limits,
}

impl Terms {
    /// Listening here, to these, and else as usual.
    pub fn new(addr: SocketAddr, auth: Auth) -> Self {
        let limits = Limits::default();
        Self { addr, auth, allowed_hosts: Vec::new(), allowed_origins: Vec::new(), sign_ins: None, limits }
    }
}

/// Listens on an address.
pub struct Listener {
    socket: TcpListener,
    addr: SocketAddr,
    door: Door,
    guard: Guard,
    limits: Limits,
    end: End,
}

impl Listener {
    /// Takes the address. From here on connections wait; nothing is answered before [`Listener::serve`].
    pub async fn bind(terms: Terms) -> Result<Self, Error> {
        let Terms { addr, auth, allowed_hosts, allowed_origins, sign_ins, limits } = terms;
        if matches!(auth, Auth::None) && !addr.ip().is_loopback() {
            return Err(Error::Open { addr });
        }
        auth.check()?;
        let guard = Guard::new(&allowed_hosts, &allowed_origins)?;
        let bound = async {
            let socket = TcpListener::bind(addr).await?;
            let addr = socket.local_addr()?;
            Ok((socket, addr))
        };
        let (socket, addr) = bound.await.map_err(|error| Error::Bind { addr, error })?;
        let door = Door { auth: Arc::new(auth), sign_ins };
        Ok(Self { socket, addr, door, guard, limits, end: End::new() })
    }

    /// Where it listens; of port 0 something has become.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// How much is taken.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Over when the listener is told to stop: streams that would go on for ever end then.
    pub fn ending(&self) -> Ending {
        self.end.watch()
    }

    /// Serves until `stop`; then takes nobody new, lets what is under way end for a while, and leaves.
    pub async fn serve(self, routes: Routes, stop: impl Future<Output = ()>) {
        let Self { socket, door, guard, limits, end, .. } = self;
        let site = Arc::new(Site { guard, router: routes.into_router(door), limits, ending: end.watch() });
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next() => {}
                accepted = socket.accept(), if connections.len() < site.limits.connections => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(serve(site.clone(), stream));
                    }
                    // Out of files, most likely. Trying again at once would only keep a core busy.
                    Err(_) => sleep(Duration::from_millis(50)).await,
                },
            }
        }
        drop(socket);
        end.end();
        let drained = async { while connections.join_next().await.is_some() {} };
        let _ = timeout(site.limits.drain_time, drained).await;
        connections.shutdown().await;
    }
}

struct Site {
    guard: Guard,
    router: Router,
    limits: Limits,
    ending: Ending,
}

async fn serve(site: Arc<Site>, stream: TcpStream) {
    // Answers come in several small writes: waiting to fill a packet would cost 40 ms each.
    let prepared = stream.set_nodelay(true).and_then(|()| stream.local_addr());
    let Ok(local) = prepared else { return };
    let stream = TokioIo::new(Stalling::new(stream, site.limits.stall_time));
    let answering = site.clone();
    let service = service_fn(move |request| answer(answering.clone(), local.ip(), request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(site.limits.head_time);
    http.max_header_size(site.limits.headers);
    let mut connection = pin!(http.serve_connection(stream, service));
    tokio::select! {
        // However it ended, there is nobody left to tell.
        _ = connection.as_mut() => return,
        () = site.ending.over() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Every request comes by here, before anything else looks at it.
async fn answer(site: Arc<Site>, local: IpAddr, request: Request<Incoming>) -> Result<Response, Infallible> {
    let (head, body) = request.into_parts();
    let is_of_api = is_of_api(head.uri.path());
    let finished = |response| finished(if is_of_api { for_api(response) } else { response });
    let origin = match site.guard.check(&head, local) {
        Ok(origin) => origin,
        Err(refusal) => {
            drain(Body::new(body)).await;
            return Ok(finished(refusal.into_response()));
        }
    };
    if let Some(origin) = &origin
        && cors::is_preflight(&head)
    {
        return Ok(finished(cors::preflight(origin)));
    }
    let router = TowerToHyperService::new(site.router.clone());
    let Ok(mut response) = router.call(Request::from_parts(head, Body::new(body))).await;
    if let Some(origin) = &origin {
        cors::allow(&mut response, origin);
    }
    Ok(finished(response))
}

/// Nothing we say is to be kept by others, or to be taken for something else than we say it is.
fn finished(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

//! HTTP over the control socket: connects a command to the process that hosts the servers of
//! its project.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{Method, Request, StatusCode};
use futures_util::StreamExt;
use hyper::server::conn::http1 as server;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::net::UnixStream;

/// The timeout for the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The media type of a response with progress.
pub const EVENT_STREAM: &str = "text/event-stream";
/// The header with the exit code of an operation, in text responses.
pub const EXIT_CODE: &str = "toolscout-exit-code";
/// The maximum size of a response in bytes; results of tools may be large.
const MAX_RESPONSE: usize = 64 << 20;

/// The routes of the control socket.
#[derive(Clone)]
pub struct SocketRouter(pub(crate) Router);

/// Serves one connection until it ends; dropping the future cancels running requests.
pub async fn serve(stream: UnixStream, router: SocketRouter) {
    let service = TowerToHyperService::new(router.0);
    let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
        service.call(request.map(Body::new))
    });
    let mut http = server::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(HEADER_TIMEOUT);
    // The client may disconnect at any time; this is not an error.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

/// A response over the control socket.
#[derive(Debug)]
pub struct SocketResponse {
    /// The HTTP status.
    pub status: StatusCode,
    /// The exit code of the operation, if the response is text.
    pub exit: Option<u8>,
    /// The body.
    pub body: Bytes,
}

/// One request over the control socket.
pub struct SocketRequest<'a> {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'a str,
    /// The path with query.
    pub path: &'a str,
    /// The media type of the response; for an event stream, the body is the data of the last
    /// event.
    pub accept: &'a str,
    /// The JSON body.
    pub json: Option<Vec<u8>>,
}

/// Sends one request. `report` receives the data of progress events. An error means that no
/// process listens there, or that the connection broke.
pub async fn send(
    socket: &Path,
    request: SocketRequest<'_>,
    mut report: impl FnMut(&str) + Send,
) -> io::Result<SocketResponse> {
    let stream = UnixStream::connect(socket).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    let SocketRequest { method, path, accept, json } = request;
    let method = Method::from_bytes(method.as_bytes()).map_err(io::Error::other)?;
    let is_stream = accept == EVENT_STREAM;
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost")
        .header(ACCEPT, accept);
    if json.is_some() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    let request = request.body(Body::from(json.unwrap_or_default())).map_err(io::Error::other)?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        let mut status = response.status();
        let exit =
            response.headers().get(EXIT_CODE).and_then(|value| value.to_str().ok()?.parse().ok());
        let mut stream = Body::new(response.into_body()).into_data_stream();
        let mut bytes = Vec::new();
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk.map_err(io::Error::other)?);
            if bytes.len() > MAX_RESPONSE {
                return Err(io::Error::other("the response is too large"));
            }
            if is_stream && take_events(&mut bytes, &mut report) == Some("error") {
                status = StatusCode::FAILED_DEPENDENCY;
            }
        }
        Ok(SocketResponse { status, exit, body: bytes.into() })
    };
    // The connection has to be driven while the response is awaited.
    tokio::select! {
        biased;
        response = exchange => response,
        Err(error) = connection => Err(io::Error::other(error)),
    }
}

/// Reports the progress events at the start of the buffer. At the last event, leaves its data
/// in the buffer and returns its kind.
fn take_events(bytes: &mut Vec<u8>, report: &mut impl FnMut(&str)) -> Option<&'static str> {
    while let Some(end) = bytes.windows(2).position(|pair| pair == b"\n\n") {
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
        let (kind, data) = (field("event:")?, field("data:")?);
        if kind != "progress" {
            *bytes = data.as_bytes().to_vec();
            return Some(if kind == "error" { "error" } else { "result" });
        }
        report(data);
        bytes.drain(..end + 2);
    }
    None
}

//! A threaded web server with scripted responses, and an observer that records all events.

use super::super::ClientError;
use super::super::limits::Limits;
use super::super::value::{ConfigText, ReferenceLookup};
use super::super::wire::{Outgoing, WireObserver};
use super::super::{ConnectContext, HttpEndpoint};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The reply of a well-behaved server.
    pub(crate) fn reply(&self) -> String {
        json!({"jsonrpc": "2.0", "id": self.json()["id"], "result": {}}).to_string()
    }
}

/// Whether the connection serves another request.
#[derive(PartialEq, Eq)]
pub(crate) enum AfterResponse {
    KeepOpen,
    Close,
}

/// A web server on loopback. Stopped when the test ends.
pub(crate) struct TestServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    is_stopped: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

impl TestServer {
    /// Serves each request with this function, and each connection on its own thread.
    pub(crate) fn new(
        serve: impl Fn(&RecordedRequest, &mut TcpStream) -> AfterResponse + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback works");
        let address = listener.local_addr().expect("it has an address");
        let site = Self {
            address,
            requests: Arc::default(),
            is_stopped: Arc::default(),
            connections: Arc::default(),
        };
        let (requests, is_stopped, connections) =
            (site.requests.clone(), site.is_stopped.clone(), site.connections.clone());
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if is_stopped.load(Ordering::SeqCst) {
                    break;
                }
                connections.lock().push(stream.try_clone().expect("a second handle"));
                let (serve, requests) = (serve.clone(), requests.clone());
                std::thread::spawn(move || serve_connection(stream, &*serve, &requests));
            }
        });
        site
    }

    /// Answers every request with this text.
    pub(crate) fn always(http_response: impl Into<String>) -> Self {
        let http_response = http_response.into();
        Self::new(move |_, stream| {
            write_text(stream, &http_response);
            AfterResponse::KeepOpen
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn endpoint(&self) -> HttpEndpoint {
        HttpEndpoint { url: ConfigText::from(self.url().as_str()), ..HttpEndpoint::default() }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().clone()
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.lock().len()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        for stream in self.connections.lock().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve_connection(
    mut stream: TcpStream,
    serve: &(dyn Fn(&RecordedRequest, &mut TcpStream) -> AfterResponse + Send + Sync),
    requests: &Mutex<Vec<RecordedRequest>>,
) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    while let Some(request) = read_request(&mut reader) {
        requests.lock().push(request.clone());
        if serve(&request, &mut stream) == AfterResponse::Close {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn read_request(reader: &mut impl BufRead) -> Option<RecordedRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let line = lines.remove(0);
    let headers: HashMap<_, _> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .and_then(|content_length| content_length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(RecordedRequest { line, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Writes the text. A failure is ignored, because the client may have closed the connection.
pub(crate) fn write_text(stream: &mut TcpStream, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}

/// A complete response.
pub(crate) fn http_response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

/// A complete JSON response.
pub(crate) fn json_response(body: &str) -> String {
    http_response("200 OK", "content-type: application/json\r\n", body)
}

/// The head of an event stream that lasts until the connection is closed.
pub(crate) const EVENT_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// An event that the observer received.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WireEvent {
    Message(String),
    Failed(u64, ClientError),
    Lost(ClientError),
}

/// An observer that records events.
pub(crate) struct EventRecorder(UnboundedSender<WireEvent>);

impl WireObserver for EventRecorder {
    fn message(&self, bytes: &[u8]) {
        let _ = self.0.send(WireEvent::Message(String::from_utf8_lossy(bytes).into_owned()));
    }

    fn failed(&self, id: u64, error: ClientError) {
        let _ = self.0.send(WireEvent::Failed(id, error));
    }

    fn lost(&self, error: ClientError) {
        let _ = self.0.send(WireEvent::Lost(error));
    }
}

/// The other end of [`EventRecorder`].
pub(crate) struct WireEvents(UnboundedReceiver<WireEvent>);

impl WireEvents {
    /// Creates an observer, and the receiver of its events.
    pub(crate) fn new() -> (Arc<EventRecorder>, Self) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Arc::new(EventRecorder(sender)), Self(receiver))
    }

    /// The next event.
    pub(crate) async fn next(&mut self) -> WireEvent {
        let event = tokio::time::timeout(Duration::from_secs(20), self.0.recv()).await;
        event.expect("an event arrives in time").expect("the channel is open")
    }

    /// The error that the next request fails with.
    pub(crate) async fn failure(&mut self) -> ClientError {
        match self.next().await {
            WireEvent::Failed(_, error) => error,
            other => panic!("not a failure: {other:?}"),
        }
    }

    /// Whether there is no unread event.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.0.try_recv().is_err()
    }
}

pub(crate) fn connect_context() -> ConnectContext {
    ConnectContext {
        lookup: ReferenceLookup::new(|_| None),
        ..ConnectContext::new(PathBuf::from("/"))
    }
}

/// A context with messages of at most this many bytes.
pub(crate) fn context_with_message_limit(message: usize) -> ConnectContext {
    ConnectContext {
        limits: Arc::new(Limits { message, ..Limits::default() }),
        ..connect_context()
    }
}

pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// A legacy request.
pub(crate) fn request(id: u64, method: &str) -> Outgoing {
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}).to_string();
    Outgoing {
        body,
        id: Some(id),
        method: Some(method.to_owned()),
        name: None,
        mirrored: Vec::new(),
        deadline: soon(),
        extra_time: Duration::ZERO,
    }
}

pub(crate) fn notification(method: &str) -> Outgoing {
    let body = json!({"jsonrpc": "2.0", "method": method}).to_string();
    Outgoing {
        body,
        id: None,
        method: Some(method.to_owned()),
        name: None,
        mirrored: Vec::new(),
        deadline: soon(),
        extra_time: Duration::ZERO,
    }
}

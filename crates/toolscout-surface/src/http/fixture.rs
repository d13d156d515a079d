//! A listener for tests, and a client that sends and records the exact bytes on the wire,
//! well-formed or not.

use super::{Auth, Limits, Listener, Role, Routes, Terms, auth::Token};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

pub(crate) const ADA: &str = "ada-has-a-long-secret";
pub(crate) const BOB: &str = "bob-has-another-secret";

/// Fails a test that would wait forever.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), future).await.expect("completes within a minute")
}

/// Polls until the condition holds, for changes at the other end that emit no event.
pub(crate) async fn eventually(condition: impl Fn() -> bool) {
    let polling = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    soon(polling).await;
}

/// Tokens for Ada, an agent, and Bob, an operator.
pub(crate) fn tokens() -> Auth {
    let token =
        |name, secret, role| Token::new(name, secret, role).expect("the secret is long enough");
    Auth::fixed_tokens(vec![token("ada", ADA, Role::Agent), token("bob", BOB, Role::Operator)])
}

pub(crate) fn terms(auth: Auth) -> Terms {
    Terms::new("127.0.0.1:0".parse().expect("an address"), auth)
}

pub(crate) fn limited(auth: Auth, limits: Limits) -> Terms {
    Terms { limits, ..terms(auth) }
}

/// A listener that serves until it is dropped.
pub(crate) struct Site {
    pub(crate) addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinSet<()>,
}

impl Site {
    pub(crate) fn serve(listener: Listener, routes: Routes) -> Self {
        let (stop, stopped) = oneshot::channel();
        let addr = listener.addr();
        let mut serving = JoinSet::new();
        serving.spawn(listener.serve(routes, async {
            let _ = stopped.await;
        }));
        Self { addr, stop: Some(stop), serving }
    }

    pub(crate) async fn dial(&self) -> Wire {
        Wire::dial(self.addr).await
    }

    /// Sends one request on a new connection.
    pub(crate) async fn send(&self, request: impl AsRef<str>) -> WireResponse {
        let mut wire = self.dial().await;
        wire.send(request).await;
        wire.response().await
    }

    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    pub(crate) async fn stopped(&mut self) {
        soon(self.serving.join_next())
            .await
            .expect("the server was started")
            .expect("the server does not panic");
    }
}

/// One connection.
pub(crate) struct Wire {
    stream: TcpStream,
    unread: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct WireResponse {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl WireResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn header_names(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?} should be JSON"))
    }

    /// The code of the JSON-RPC error in it.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{self:?} should be a JSON-RPC error"))
    }
}

impl Wire {
    pub(crate) async fn dial(addr: SocketAddr) -> Self {
        Self {
            stream: TcpStream::connect(addr).await.expect("the server listens"),
            unread: Vec::new(),
        }
    }

    pub(crate) async fn send(&mut self, text: impl AsRef<str>) {
        self.stream.write_all(text.as_ref().as_bytes()).await.expect("sent");
    }

    /// Sends bytes; the other end may have closed the connection.
    pub(crate) async fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok()
    }

    /// Reads a whole response.
    pub(crate) async fn response(&mut self) -> WireResponse {
        let mut response = self.head().await;
        response.body =
            match (response.header("content-length"), response.header("transfer-encoding")) {
                (Some(length), _) => {
                    let length = length.parse().expect("a length");
                    String::from_utf8(self.bytes(length).await).expect("text")
                }
                (None, Some(_)) => {
                    let mut body = String::new();
                    while let Some(chunk) = self.chunk().await {
                        body += &chunk;
                    }
                    body
                }
                (None, None) => String::new(),
            };
        response
    }

    /// Reads the head of a streamed response.
    pub(crate) async fn head(&mut self) -> WireResponse {
        let mut lines = Vec::new();
        loop {
            match self.line().await {
                Some(line) if line.is_empty() => break,
                Some(line) => lines.push(line),
                None => panic!("the connection was closed after {lines:?}"),
            }
        }
        let status = lines[0].split(' ').nth(1).expect("a status").parse().expect("a number");
        let headers = lines[1..].iter().map(|line| line.split_once(": ").expect("a header"));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        WireResponse { status, headers, body: String::new() }
    }

    /// The next chunk of a streamed response; `None` if the response or the connection has
    /// ended.
    pub(crate) async fn chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.line().await?, 16).expect("a length");
        let bytes = self.bytes(length).await;
        self.line().await;
        (length > 0).then(|| String::from_utf8(bytes).expect("text"))
    }

    /// The next chunk that is not a keep-alive comment.
    pub(crate) async fn event(&mut self) -> Option<String> {
        loop {
            match self.chunk().await? {
                comment if comment.starts_with(':') => {}
                event => return Some(event),
            }
        }
    }

    /// Waits until the other end closes the connection; returns whether it sent nothing before.
    pub(crate) async fn closed(&mut self) -> bool {
        let mut rest = Vec::new();
        // The way in which the connection was closed does not matter.
        let _ = soon(self.stream.read_to_end(&mut rest)).await;
        self.unread.is_empty() && rest.is_empty()
    }

    /// The number of unread bytes.
    pub(crate) async fn unread_bytes(&mut self) -> usize {
        let mut rest = Vec::new();
        let _ = soon(self.stream.read_to_end(&mut rest)).await;
        self.unread.len() + rest.len()
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(index) = self.unread.windows(2).position(|window| window == b"\r\n") {
                let line = self.unread.drain(..index + 2).take(index).collect();
                return Some(String::from_utf8(line).expect("text"));
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    async fn bytes(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            assert!(self.fill().await, "the connection was closed in the middle");
        }
        self.unread.drain(..length).collect()
    }

    async fn fill(&mut self) -> bool {
        let mut buffer = [0; 16 << 10];
        let read = soon(self.stream.read(&mut buffer)).await.unwrap_or(0);
        self.unread.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

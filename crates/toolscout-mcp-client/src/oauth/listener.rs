//! A loopback HTTP listener for the redirect that ends a browser login.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const PATH: &str = "/callback";
/// The longest request head, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 10;
/// The time limit per connection; browsers open connections in advance and leave them idle.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of concurrent connections; more wait in the backlog.
const MAX_CONNECTIONS: usize = 32;

/// A local port that the browser is redirected to.
#[derive(Debug)]
pub(super) struct CallbackListener {
    socket: TcpListener,
    port: u16,
}

impl CallbackListener {
    /// Binds this port, or any free one.
    pub(super) async fn bind(port: Option<u16>) -> io::Result<Self> {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = socket.local_addr()?.port();
        Ok(Self { socket, port })
    }

    /// The redirect URI.
    pub(super) fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for a request that `accept` accepts. Other requests are answered with an error, and do
    /// not delay it.
    /// Cancel-safe: open connections are dropped, the port stays bound.
    pub(super) async fn wait<T, E>(
        &self,
        accept: impl Fn(&str) -> Option<Result<T, E>>,
    ) -> Result<T, E> {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.socket.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                    Ok((stream, _)) => connections.push(serve_connection(stream, &accept)),
                    // The process is probably out of file descriptors; some will be free soon.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                finished = connections.next(), if !connections.is_empty() => if let Some(Some(outcome)) = finished {
                    return outcome;
                },
            }
        }
    }
}

/// Reads a request and responds; returns its parameters, if they were accepted.
async fn serve_connection<T, E>(
    mut stream: TcpStream,
    accept: &impl Fn(&str) -> Option<Result<T, E>>,
) -> Option<Result<T, E>> {
    let head = tokio::time::timeout(CONNECTION_TIMEOUT, read_head(&mut stream)).await.ok()??;
    let outcome = query(&head).map(accept);
    let (status, page) = match &outcome {
        None => ("404 Not Found", "Not found."),
        Some(None) => {
            ("400 Bad Request", "This does not belong to the login that toolscout is waiting for.")
        }
        Some(Some(Err(_))) => (
            "200 OK",
            "The login failed. See the terminal for the reason; you can close this page.",
        ),
        Some(Some(Ok(_))) => {
            ("200 OK", "Done. You can close this page and go back to the terminal.")
        }
    };
    // The parameters are valid even if the page cannot be sent.
    let _ = tokio::time::timeout(CONNECTION_TIMEOUT, reply(&mut stream, status, page)).await;
    outcome.flatten()
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if head.len() >= MAX_HEAD_BYTES || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

/// The query, if this is a request for the callback.
fn query(head: &str) -> Option<&str> {
    let target = head.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    target.strip_prefix(PATH)?.strip_prefix('?')
}

async fn reply(stream: &mut TcpStream, status: &str, page: &str) -> io::Result<()> {
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         referrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n{page}\n",
        page.len() + 1
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

//! A program that receives calls at a URL, as its author would write it.

use ring::hmac;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any request takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The response of a program.
pub(super) enum Reply {
    /// A status with more header lines, and a body.
    Send(&'static str, String),
    /// No response. The program waits until the caller closes the connection.
    Never,
}

/// A program with one callback URL. Its thread ends with the test.
pub(super) struct Program {
    pub(super) url: String,
    requests: Receiver<Received>,
}

/// A call that the program received.
pub(super) struct Received {
    head: String,
    body: String,
    /// Whether the caller closed the connection before the response.
    pub(super) is_abandoned: bool,
}

impl Program {
    /// Starts a program that gives this reply to every call.
    pub(super) fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/call", listener.local_addr().expect("an address"));
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            listener
                .incoming()
                .map_while(Result::ok)
                .try_for_each(|stream| sender.send(answer(stream, &reply)))
        });
        Self { url, requests }
    }

    /// A program whose result is this text.
    pub(super) fn saying(text: &str) -> Self {
        Self::start(Reply::Send("200 OK\r\nContent-Type: text/plain", text.to_owned()))
    }

    /// The next call, which has been answered.
    pub(super) fn received(&self) -> Received {
        self.requests.recv_timeout(PATIENCE).expect("a call")
    }

    /// Whether no call arrived since the last one.
    pub(super) fn was_not_called(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

impl Received {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Whether the signature was made with this secret.
    pub(super) fn is_signed_with(&self, secret: &str) -> bool {
        let (timestamp, signature) =
            (self.header("x-toolscout-timestamp"), self.header("x-toolscout-signature"));
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, format!("{timestamp}.{}", self.body).as_bytes());
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        signature == format!("sha256={hex}")
    }

    fn header(&self, name: &str) -> String {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("no header {name}: {}", self.head)).1.to_owned()
    }
}

fn answer(stream: TcpStream, reply: &Reply) -> Received {
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let body = String::from_utf8(body).expect("text");
    let is_abandoned = match reply {
        Reply::Send(status, text) => {
            let length = text.len();
            let response = format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}"
            );
            // The caller may close the connection before it has read a long response.
            let _ = reader.get_mut().write_all(response.as_bytes());
            false
        }
        Reply::Never => matches!(reader.read(&mut [0]), Ok(0)),
    };
    Received { head, body, is_abandoned }
}

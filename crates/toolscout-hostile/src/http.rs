//! The HTTP transport: one thread per connection, loopback only.

use crate::posted::{Answered, PostedRequest};
use crate::process::{background, pause_for_ever};
use crate::server::HostileServer;
use crate::server::request::ResponseSink;
use parking_lot::Mutex;
use serde_json::json;
use std::convert::Infallible;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;

/// Prints and logs the port, then serves forever.
pub(crate) fn serve(server: &Arc<HostileServer>, port: u16) -> io::Result<Infallible> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    server.log.event("start", json!({ "http": port }));
    writeln!(io::stdout(), "listening 127.0.0.1:{port}")?;
    // Clients may connect while the server still starts; they wait, as with a slow program.
    let _ = (server.acts().start)(server);
    loop {
        let (stream, _) = listener.accept()?;
        // Responses are written in pieces; with Nagle's algorithm each would wait for the
        // acknowledgement of the previous one.
        stream.set_nodelay(true)?;
        let server = Arc::clone(server);
        background(move || {
            if let Err(err) = converse(&server, stream) {
                server.log.event("http_error", json!({ "error": err.to_string() }));
            }
        });
    }
}

/// The status line and headers of a response.
pub(crate) fn head(status: &str, headers: &[(&str, String)]) -> Vec<u8> {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}\r\n").into_bytes()
}

/// A whole response with a correct length.
pub(crate) fn respond(
    stream: &mut TcpStream,
    status: &str,
    headers: &[(&str, String)],
    body: &[u8],
) -> io::Result<()> {
    let headers: Vec<_> =
        headers.iter().cloned().chain([("Content-Length", body.len().to_string())]).collect();
    stream.write_all(&head(status, &headers))?;
    stream.write_all(body)
}

fn converse(server: &Arc<HostileServer>, mut stream: TcpStream) -> io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    while let Some(mut posted) = PostedRequest::read(&mut input)? {
        server.log.event("http", posted.as_event());
        if let Answered::Wholly = (server.acts().http)(server, &mut stream, &mut posted)? {
            break;
        }
        if server.options.has_more() && posted.may_take_long() {
            stream_answer(server, &stream, &posted)?;
        } else {
            answer(server, &mut stream, &posted)?;
        }
    }
    Ok(())
}

/// Sends each message as an event immediately, until the connection ends.
fn stream_answer(
    server: &Arc<HostileServer>,
    stream: &TcpStream,
    posted: &PostedRequest,
) -> io::Result<()> {
    let mut own = stream.try_clone()?;
    own.write_all(&head(
        "200 OK",
        &[("Content-Type", "text/event-stream".to_owned()), ("Connection", "close".to_owned())],
    ))?;
    // A client that has disconnected misses the rest.
    let _ = server.take(&posted.body, &ResponseSink::Events(Arc::new(Mutex::new(own))));
    match posted.method().as_deref() {
        Some("subscriptions/listen") => Ok(()),
        _ => stream.shutdown(Shutdown::Write),
    }
}

fn answer(
    server: &Arc<HostileServer>,
    stream: &mut TcpStream,
    posted: &PostedRequest,
) -> io::Result<()> {
    if !posted.line.starts_with("POST ") {
        return respond(stream, "405 Method Not Allowed", &[], b"");
    }
    let body = Arc::default();
    // Writing into a body cannot fail.
    let _ = server.take(&posted.body, &ResponseSink::Body(Arc::clone(&body)));
    let written = std::mem::take(&mut *body.lock());
    let lines: Vec<&[u8]> =
        written.split(|byte| *byte == b'\n').filter(|part| !part.is_empty()).collect();
    let typed = |kind: &str| {
        [("Content-Type", kind.to_owned())]
            .into_iter()
            .chain(posted.extra.clone())
            .collect::<Vec<_>>()
    };
    match lines[..] {
        [] if posted.wants_an_answer() => {
            pause_for_ever();
            Ok(())
        }
        [] => respond(stream, "202 Accepted", &[], b""),
        [line] => respond(stream, "200 OK", &typed("application/json"), line),
        _ => {
            let events: Vec<u8> =
                lines.iter().flat_map(|line| [b"data: ", *line, b"\n\n"].concat()).collect();
            respond(stream, "200 OK", &typed("text/event-stream"), &events)
        }
    }
}

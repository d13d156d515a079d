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

/// Says on stdout and in the log where it listens, then serves for ever.
pub(crate) fn serve(server: &Arc<HostileServer>, port: u16) -> io::Result<Infallible> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    server.log.event("start", json!({ "http": port }));
    writeln!(io::stdout(), "listening 127.0.0.1:{port}")?;
    // Clients may connect while we are still starting; they wait, as with a slow program.
    let _ = (server.acts().start)(server);
    loop {
        let (stream, _) = listener.accept()?;
        // Answers go out in pieces; held back, each would take as long as the other side takes to say that it got the one before.
        stream.set_nodelay(true)?;
        let server = Arc::clone(server);
        background(move || {
            if let Err(err) = converse(&server, stream) {
                server.log.event("http_error", json!({ "error": err.to_string() }));
            }
        });
    }
}

/// The first lines of a response.
pub(crate) fn head(status: &str, headers: &[(&str, String)]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}\r\n").into_bytes()
}

/// A whole response; its length is said truthfully.
pub(crate) fn respond(stream: &mut TcpStream, status: &str, headers: &[(&str, String)], body: &[u8]) -> io::Result<()> {
    let headers: Vec<_> = headers.iter().cloned().chain([("Content-Length", body.len().to_string())]).collect();
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

/// Says each thing when it happens, up to the end of the connection.
fn stream_answer(server: &Arc<HostileServer>, stream: &TcpStream, posted: &PostedRequest) -> io::Result<()> {
    let mut own = stream.try_clone()?;
    own.write_all(&head(
        "200 OK",
        &[("Content-Type", "text/event-stream".to_owned()), ("Connection", "close".to_owned())],
    ))?;
    // Who has hung up misses the rest.
    let _ = server.take(&posted.body, &ResponseSink::Events(Arc::new(Mutex::new(own))));
    match posted.method().as_deref() {
        Some("subscriptions/listen") => Ok(()),
        _ => stream.shutdown(Shutdown::Write),
    }
}

fn answer(server: &Arc<HostileServer>, stream: &mut TcpStream, posted: &PostedRequest) -> io::Result<()> {
    if !posted.line.starts_with("POST ") {
        return respond(stream, "405 Method Not Allowed", &[], b"");
    }
    let body = Arc::default();
    // Into a body everything can be written.
    let _ = server.take(&posted.body, &ResponseSink::Body(Arc::clone(&body)));
    let written = std::mem::take(&mut *body.lock());
    let lines: Vec<&[u8]> = written.split(|it| *it == b'\n').filter(|it| !it.is_empty()).collect();
    let typed =
        |kind: &str| [("Content-Type", kind.to_owned())].into_iter().chain(posted.extra.clone()).collect::<Vec<_>>();
    match lines[..] {
        [] if posted.wants_an_answer() => {
            pause_for_ever();
            Ok(())
        }
        [] => respond(stream, "202 Accepted", &[], b""),
        [line] => respond(stream, "200 OK", &typed("application/json"), line),
        _ => {
            let events: Vec<u8> = lines.iter().flat_map(|it| [b"data: ", *it, b"\n\n"].concat()).collect();
            respond(stream, "200 OK", &typed("text/event-stream"), &events)
        }
    }
}

//! The stdio transport: lines in, lines out, until the input ends.

use crate::server::HostileServer;
use crate::server::request::ResponseSink;
use serde_json::json;
use std::convert::Infallible;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::parent_id;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(crate) fn serve(server: &Arc<HostileServer>) -> io::Result<Infallible> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    server.log.event("start", json!({ "argv": words, "ppid": parent_id() }));
    let acts = server.acts();
    match (acts.start)(server).and_then(|()| read(server)) {
        Ok(()) => {
            server.log.event("eof", json!({}));
            (acts.end_of_input)();
        }
        Err(_) => {
            server.log.event("broken_pipe", json!({}));
            (acts.broken_pipe)();
        }
    }
    server.exit(0)
}

fn read(server: &Arc<HostileServer>) -> crate::server::request::Sent {
    // Our own buffer, to check whether it contains more input.
    let mut input = BufReader::with_capacity(64 << 10, io::stdin().lock());
    let mut line = Vec::new();
    // An unreadable stdin counts as ended.
    while input.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
        server.take(&line, &ResponseSink::Stdout)?;
        line.clear();
        if server.options.quick && input.buffer().is_empty() {
            server.flush()?;
        }
        if server.is_deaf.load(Ordering::SeqCst) {
            crate::process::pause_for_ever();
        }
    }
    Ok(())
}

//! The ways in which a client takes more than its share.

use super::site::{CrowdSite, HonestClient, execute};
use serde_json::{Value, json};
use std::any::Any;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// One behavior. It lasts until the value is dropped.
pub(super) struct Behavior {
    pub(super) name: &'static str,
    pub(super) begin: fn(&CrowdSite, &str) -> anyhow::Result<Box<dyn Any>>,
}

pub(super) const BEHAVIORS: &[Behavior] = &[
    Behavior { name: "64 calls that hang", begin: hang },
    Behavior { name: "100 pending approvals", begin: request_approvals },
    Behavior { name: "256 streams", begin: open_streams },
    Behavior { name: "4,096 silent connections", begin: connect },
    Behavior { name: "16 parallel searches", begin: search },
    Behavior { name: "60 held bodies of 7 MiB", begin: hold_bodies },
];

fn hang(site: &CrowdSite, token: &str) -> anyhow::Result<Box<dyn Any>> {
    let greedy = site.session(token)?;
    let body = message("tools/call", &execute("s/sleep", &json!({"seconds": 300})));
    let begin = |_| greedy.begin(site.addr, "POST", body.len(), body.as_bytes());
    let streams: Vec<TcpStream> = (0..64).map(begin).collect::<Result<_, _>>()?;
    Ok(Box::new(streams))
}

fn request_approvals(site: &CrowdSite, token: &str) -> anyhow::Result<Box<dyn Any>> {
    let mut greedy = site.session(token)?;
    for number in 0..100 {
        greedy.call("tools/call", execute("s/fail", &json!({"number": number})))?;
    }
    Ok(Box::new(()))
}

/// A session has four streams at most.
fn open_streams(site: &CrowdSite, token: &str) -> anyhow::Result<Box<dyn Any>> {
    let sessions = (0..64).map(|_| site.session(token)).collect::<Result<Vec<_>, _>>()?;
    let mut streams = Vec::new();
    for session in sessions.iter().cycle().take(256) {
        streams.push(session.begin(site.addr, "GET", 0, b"")?);
    }
    Ok(Box::new(streams))
}

/// Opens as many as the system permits.
fn connect(site: &CrowdSite, _: &str) -> anyhow::Result<Box<dyn Any>> {
    let streams: Vec<TcpStream> =
        (0..4_096).map_while(|_| TcpStream::connect(site.addr).ok()).collect();
    if streams.len() < 4_096 {
        eprintln!("note: only {} silent connections; raise `ulimit -n`", streams.len());
    }
    Ok(Box::new(streams))
}

fn search(site: &CrowdSite, token: &str) -> anyhow::Result<Box<dyn Any>> {
    let is_over = Arc::new(AtomicBool::new(false));
    let sessions = (0..16).map(|_| site.session(token)).collect::<Result<Vec<_>, _>>()?;
    let threads = sessions.into_iter().map(|greedy| {
        let is_over = is_over.clone();
        thread::spawn(move || keep_searching(greedy, &is_over))
    });
    Ok(Box::new(Searches { threads: threads.collect(), is_over }))
}

fn keep_searching(mut greedy: HonestClient, is_over: &AtomicBool) {
    let mut number = 0;
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let arguments = json!({"query": format!("echo the text number {number}")});
        let _ = greedy.call("tools/call", json!({"name": "tool_search", "arguments": arguments}));
    }
}

fn hold_bodies(site: &CrowdSite, token: &str) -> anyhow::Result<Box<dyn Any>> {
    let (greedy, part) = (site.session(token)?, vec![b' '; 7 << 20]);
    let begin = |_| greedy.begin(site.addr, "POST", 8_000_000, &part);
    let streams: Vec<TcpStream> = (0..60).map(begin).collect::<Result<_, _>>()?;
    Ok(Box::new(streams))
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// Threads that search until this is dropped.
struct Searches {
    threads: Vec<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
}

impl Drop for Searches {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

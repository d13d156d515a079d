//! The catalog over HTTP: thousands of tools from many servers, on one connection, without starting
//! a server.

use super::BenchmarkPlan;
use super::clock::Samples;
use super::crowd::{ServerBehaviour, ServerCrowd};
use super::gateway::Served;
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The number of requests per figure.
const REQUESTS: usize = 200;
/// The goal for the median, in milliseconds.
const GOAL: f64 = 10.0;
/// The timeout of a request.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let crowd = ServerCrowd::new(bench, &vec![ServerBehaviour::Large; bench.servers])?;
    crowd.refresh()?;
    crowd.started()?;
    let served = Served::start(crowd.world())?;
    let mut connection = ApiConnection::open(served.addr)?;
    let since = Instant::now();
    let catalog = connection.get("/api/projects/current/configuration")?;
    let first = Samples::of(vec![since.elapsed()])?;
    for number in 0..bench.servers {
        ensure!(
            catalog.contains(&format!("\"s{number:03}/")),
            "the catalog lacks the tools of s{number:03}"
        );
    }
    let tools = catalog.matches("\"type\":\"mcp\"").count();
    let size = format!("{} KB, {tools} tools", catalog.len() / 1_000);
    let mut rows = vec![
        BenchmarkRow::time("`GET` of the project configuration, first request", &first).note(size),
        connection
            .timed("`GET` of the project configuration", "/api/projects/current/configuration")?
            .goal(GOAL),
    ];
    let others = [
        ("`GET /api/servers`", "/api/servers"),
        ("`GET /api/tools`, 100 tools", "/api/tools"),
        ("`GET /api/search?q=…`", "/api/search?q=give+back+a+text"),
    ];
    for (what, path) in others {
        rows.push(connection.timed(what, path)?);
    }
    rows.push(BenchmarkRow::count("servers started", crowd.started()?).goal(0.0));
    Ok(rows)
}

/// A client with a persistent connection.
struct ApiConnection {
    stream: BufReader<TcpStream>,
    addr: SocketAddr,
}

impl ApiConnection {
    fn open(addr: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(addr).context("connect")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream), addr })
    }

    fn timed(&mut self, what: &str, path: &str) -> anyhow::Result<BenchmarkRow> {
        let mut times = Vec::new();
        for _ in 0..REQUESTS {
            let since = Instant::now();
            self.get(path)?;
            times.push(since.elapsed());
        }
        Ok(BenchmarkRow::time(what, &Samples::of(times)?))
    }

    /// The body of a response; an error response is not measured.
    fn get(&mut self, path: &str) -> anyhow::Result<String> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.addr);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length) = (String::new(), None);
        loop {
            line.clear();
            ensure!(self.stream.read_line(&mut line)? > 0, "it hung up");
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().ok()
                }
                Some(_) => {}
                None if line.trim_end().is_empty() => break,
                None => ensure!(line.starts_with("HTTP/1.1 200 "), "{path}: {line}"),
            }
        }
        let mut body = vec![0; length.context("a response without a length")?];
        self.stream.read_exact(&mut body)?;
        String::from_utf8(body).context("the response is not UTF-8")
    }
}

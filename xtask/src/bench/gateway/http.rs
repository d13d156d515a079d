//! Many concurrent HTTP clients, each on its own connection, of a tool that is code of the server
//! itself.

use super::super::BenchmarkPlan;
use super::super::clock::Samples;
use super::super::table::BenchmarkRow;
use super::super::wire::cpu_time;
use super::super::world::BenchmarkWorld;
use super::per_call;
use anyhow::{Context, bail, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CLIENTS: usize = 64;
/// Five thousand calls per second, as microseconds per call.
const GOAL: f64 = 200.0;
/// The timeout of a request.
const PATIENCE: Duration = Duration::from_secs(30);

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_tool","arguments":{"name":"health_check","arguments":{"target":"disk"}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.own_server, 0)?;
    let served = Served::start(&world)?;
    let calls = bench.calls.max(CLIENTS);
    flight(served.addr, CLIENTS, calls)?;
    let (mut times, mut spent) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds.min(7) {
        let before = cpu_time(served.child.id());
        times.push(per_call(flight(served.addr, CLIENTS, calls)?, calls));
        let after = cpu_time(served.child.id());
        spent.extend(
            after.zip(before).map(|(after, before)| per_call(after.saturating_sub(before), calls)),
        );
    }
    let times = Samples::of(times)?;
    let each_second = format!("{:.0} calls per second at best", 1.0 / times.best().as_secs_f64());
    let what = format!("`execute_tool` over HTTP, {CLIENTS} clients, tool in the same process");
    let mut rows = vec![BenchmarkRow::short_time(what, &times).goal(GOAL).note(each_second)];
    rows.extend(
        Samples::of(spent)
            .ok()
            .map(|samples| BenchmarkRow::short_time("CPU time of the server per call", &samples)),
    );
    Ok(rows)
}

/// The total time for this many clients and calls; each client calls sequentially.
pub(in crate::bench) fn flight(
    addr: SocketAddr,
    clients: usize,
    calls: usize,
) -> anyhow::Result<Duration> {
    let mut connections =
        (0..clients).map(|_| GatewayConnection::open(addr)).collect::<anyhow::Result<Vec<_>>>()?;
    let since = Instant::now();
    thread::scope(|scope| {
        let each = |number: usize| calls / clients + usize::from(number < calls % clients);
        let work: Vec<_> = connections
            .iter_mut()
            .enumerate()
            .map(|(number, connection)| {
                scope.spawn(move || (0..each(number)).try_for_each(|_| connection.call()))
            })
            .collect();
        for done in work {
            match done.join() {
                Ok(done) => done?,
                Err(_) => bail!("a client broke down"),
            }
        }
        Ok(since.elapsed())
    })
}

/// A client of the modern era, in which every call is independent.
struct GatewayConnection {
    stream: BufReader<TcpStream>,
    request: String,
    line: String,
    body: Vec<u8>,
}

impl GatewayConnection {
    fn open(addr: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(addr).context("connect")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: execute_tool\r\nContent-Length: {}\r\n\r\n{CALL}",
            CALL.len()
        );
        Ok(Self { stream: BufReader::new(stream), request, line: String::new(), body: Vec::new() })
    }

    /// A call and its response; an error is not measured.
    fn call(&mut self) -> anyhow::Result<()> {
        self.stream.get_mut().write_all(self.request.as_bytes())?;
        let mut length = None;
        loop {
            self.line.clear();
            ensure!(self.stream.read_line(&mut self.line)? > 0, "it hung up");
            match self.line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().ok()
                }
                Some(_) => {}
                None if self.line.trim_end().is_empty() => break,
                None => ensure!(self.line.starts_with("HTTP/1.1 200 "), "{}", self.line),
            }
        }
        self.body.resize(length.context("a response without a length")?, 0);
        self.stream.read_exact(&mut self.body)?;
        let said = String::from_utf8_lossy(&self.body);
        ensure!(said.contains("\"result\"") && !said.contains("\"isError\":true"), "{said}");
        Ok(())
    }
}

/// A listening program, without authentication on this machine; ended on drop.
pub(in crate::bench) struct Served {
    child: Child,
    pub(in crate::bench) addr: SocketAddr,
}

impl Served {
    pub(in crate::bench) fn start(world: &BenchmarkWorld) -> anyhow::Result<Self> {
        let mut command = world.toolscout(&["serve", "--http", "127.0.0.1:0", "--auth", "none"]);
        let mut child =
            command.stderr(Stdio::piped()).spawn().context("start `toolscout serve`")?;
        let mut said = BufReader::new(child.stderr.take().context("its errors")?);
        let mut line = String::new();
        let found = said.read_line(&mut line).ok();
        let addr =
            found.and_then(|_| line.split_once("http://")?.1.split('/').next()?.parse().ok());
        // Keeps reading, so that the program never blocks on its output.
        thread::spawn(move || said.lines().for_each(drop));
        match addr {
            Some(addr) => Ok(Self { child, addr }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("it does not say where it listens: {line}")
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! A minimal client: writes and reads lines.

use anyhow::{Context, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The resolution of the kernel's processor times.
const TICK: Duration = Duration::from_millis(10);

/// A session over pipes.
pub(super) struct StdioConversation {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    line: String,
}

impl StdioConversation {
    /// Starts the program and performs the handshake.
    pub(super) fn greet(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().context("its output")?);
        let mut wire =
            Self { input: child.stdin.take(), child, output, next: 1, line: String::new() };
        wire.ask(
            "initialize",
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#,
        )?;
        wire.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(wire)
    }

    /// Sends a request, and waits for the response.
    pub(super) fn ask(&mut self, method: &str, params: &str) -> anyhow::Result<()> {
        let request = self.request(method, params);
        self.send(&request)?;
        self.answer()
    }

    /// The time of each of this many sequential calls.
    pub(super) fn calls(&mut self, params: &str, count: usize) -> anyhow::Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let request = self.request("tools/call", params);
            let since = Instant::now();
            self.send(&request)?;
            self.answer()?;
            times.push(since.elapsed());
        }
        Ok(times)
    }

    /// The total time of this many calls, with `together` in flight.
    pub(super) fn flight(
        &mut self,
        params: &str,
        count: usize,
        together: usize,
    ) -> anyhow::Result<Duration> {
        let since = Instant::now();
        let first: String =
            (0..together.min(count)).map(|_| self.request("tools/call", params)).collect();
        self.send(&first)?;
        let mut sent = together.min(count);
        for _ in 0..count {
            self.answer()?;
            if sent < count {
                let request = self.request("tools/call", params);
                self.send(&request)?;
                sent += 1;
            }
        }
        Ok(since.elapsed())
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes the input; the program must exit successfully.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        drop(self.input.take());
        ensure!(self.child.wait()?.success(), "it did not end well");
        Ok(())
    }

    fn request(&mut self, method: &str, params: &str) -> String {
        let id = self.next;
        self.next += 1;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    }

    fn send(&mut self, text: &str) -> anyhow::Result<()> {
        self.input.as_mut().context("its input")?.write_all(text.as_bytes()).context("send a line")
    }

    /// Reads one response; notifications are skipped, and an error is not measured.
    fn answer(&mut self) -> anyhow::Result<()> {
        loop {
            self.line.clear();
            ensure!(self.output.read_line(&mut self.line)? > 0, "it ended before it answered");
            if self.line.contains("\"id\":") {
                ensure!(
                    self.line.contains("\"result\"") && !self.line.contains("\"isError\":true"),
                    "{}",
                    self.line
                );
                return Ok(());
            }
        }
    }
}

impl Drop for StdioConversation {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The processor time of a process so far; `None` if the system does not report it.
pub(super) fn cpu_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
    Some(TICK * (ticks(11)? + ticks(12)?))
}

/// The current memory of a process in bytes; `None` if the system does not report it.
pub(super) fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

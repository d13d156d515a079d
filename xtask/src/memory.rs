//! The peak memory of a program, as counted by the kernel.
//!
//! The count is in `/proc/PID/status` only while the program runs. So its output is not read until
//! the count stops changing, which happens when the program blocks on a full pipe with all of its
//! output in memory. Then the count is read until the end, in case the rest of the work needs more.
//! A program whose output fits into a pipe does not block, and may be counted too low.

use anyhow::Context;
use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long the count must be unchanged before the program counts as blocked.
const STILL: Duration = Duration::from_millis(60);

/// In bytes; `None` if the system does not report it.
pub(crate) fn peak(mut command: Command) -> anyhow::Result<Option<u64>> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("start the program")?;
    let status = format!("/proc/{}/status", child.id());
    let mut output = child.stdout.take();
    let mut peak = None;
    let mut since = Instant::now();
    while child.try_wait()?.is_none() {
        let now = fs::read_to_string(&status).ok().and_then(|text| high_water(&text));
        if now > peak {
            (peak, since) = (now, Instant::now());
        }
        if since.elapsed() > STILL
            && let Some(mut output) = output.take()
        {
            thread::spawn(move || io::copy(&mut output, &mut io::sink()));
        }
        thread::yield_now();
    }
    Ok(peak)
}

/// Parses the line `VmHWM: 1234 kB`.
pub(crate) fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

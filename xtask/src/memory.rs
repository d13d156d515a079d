//! The most memory a program has at any moment, as the kernel counted it.
//!
//! The count is in `/proc/PID/status` while the program lives, and gone with it. So the program is held: nobody reads
//! its output until the count stands still, which is when it waits at a full pipe with all it has to say in memory.
//! After that the count is read on until the end, in case the rest of the work takes more. A program that says less than
//! a pipe holds is not held, and may be counted too low.

use anyhow::Context;
use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long the count must stand still before the program counts as waiting.
const STILL: Duration = Duration::from_millis(60);

/// In bytes; `None` where the system does not say.
pub(crate) fn peak(mut command: Command) -> anyhow::Result<Option<u64>> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("start the program")?;
    let status = format!("/proc/{}/status", child.id());
    let mut output = child.stdout.take();
    let mut peak = None;
    let mut since = Instant::now();
    while child.try_wait()?.is_none() {
        let now = fs::read_to_string(&status).ok().and_then(|it| high_water(&it));
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

/// The line `VmHWM: 1234 kB`.
pub(crate) fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

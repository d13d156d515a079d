//! A monitored command: its duration, its peak memory, and its output.
//!
//! The memory is read from `/proc` while the command runs. The kernel's accounting for a parent
//! would include the command's children, and some of those are large on purpose.

use crate::memory::high_water;
use anyhow::Context;
use std::fs;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The maximum size of captured output; the rest is read and dropped, so that the command never
/// blocks on a full pipe.
const KEPT: usize = 64 << 20;

/// The polling interval.
const LOOK: Duration = Duration::from_millis(1);

pub(crate) struct Watched {
    /// `None` if it was killed at the limit.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) time: Duration,
    /// In bytes; 0 if the system does not report it.
    pub(crate) peak: u64,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl Watched {
    pub(crate) fn run(command: &mut Command, limit: Duration) -> anyhow::Result<Self> {
        let start = Instant::now();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
        let out = child.stdout.take().map(keep);
        let err = child.stderr.take().map(keep);
        let (status, peak) = watch(&mut child, start + limit)?;
        let time = start.elapsed();
        let said = |join_handle: Option<JoinHandle<Vec<u8>>>| {
            join_handle.and_then(|value| value.join().ok()).unwrap_or_default()
        };
        Ok(Self { status, time, peak, out: said(out), err: said(err) })
    }

    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub(crate) fn complained(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

fn watch(child: &mut Child, end: Instant) -> anyhow::Result<(Option<ExitStatus>, u64)> {
    let place = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let now = fs::read_to_string(&place).ok().and_then(|text| high_water(&text));
        peak = peak.max(now.unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), peak));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok((None, peak));
        }
        thread::park_timeout(LOOK);
    }
}

fn keep(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut chunk = vec![0; 64 << 10];
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            let room = KEPT.saturating_sub(kept.len());
            kept.extend_from_slice(&chunk[..count.min(room)]);
        }
        kept
    })
}

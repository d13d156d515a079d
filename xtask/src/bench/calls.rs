//! The overhead of our client over a bare pipe, compared with the official SDK.
//!
//! Three programs, each with its own server, take turns: a block of calls through a bare pipe, one
//! through our client, one through the SDK. So load on the machine affects all three, and none
//! waits in the process of another.

use super::BenchmarkPlan;
use super::clock::Samples;
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const BLOCKS: usize = 20;

/// Percentiles, and the maximum overhead of our client at each, in microseconds.
const GOALS: [(usize, f64); 2] = [(50, 60.0), (99, 300.0)];

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let programs = &bench.programs;
    let mut pipe = CallProgram::start(&programs.caller, &["pipe"], &programs.server)?;
    let mut client = CallProgram::start(&programs.caller, &["client"], &programs.server)?;
    let mut sdk = match &programs.sdk {
        Ok(program) => Ok(CallProgram::start(program, &[], &programs.server)?),
        Err(reason) => Err(reason),
    };
    let size = (bench.calls / BLOCKS).max(1);
    let mut callers: Vec<&mut CallProgram> =
        [&mut pipe, &mut client].into_iter().chain(sdk.as_mut().ok()).collect();
    callers.iter_mut().try_for_each(|caller| caller.warm_up(size))?;
    for _ in 0..BLOCKS {
        callers.iter_mut().try_for_each(|caller| caller.call(size))?;
    }
    let mut rows = Vec::new();
    for (percent, goal) in GOALS {
        let bare = pipe.blocks(percent)?;
        let ours = client.blocks(percent)?.above(&bare);
        rows.push(
            BenchmarkRow::short_time(format!("call over a plain pipe, p{percent}"), &bare)
                .note(pipe.over_all(percent)?),
        );
        let what = format!("overhead of toolscout's client, p{percent}");
        rows.push(
            BenchmarkRow::short_time(what, &ours)
                .goal(goal)
                .note(client.over_all_above(&pipe, percent)?),
        );
        let what = format!("overhead of the official SDK's client, p{percent}");
        rows.push(match &sdk {
            Ok(sdk) => {
                let theirs = sdk.blocks(percent)?.above(&bare);
                let note = format!(
                    "{}; toolscout's is {} of it",
                    sdk.over_all_above(&pipe, percent)?,
                    ours.times(&theirs)
                );
                BenchmarkRow::short_time(what, &theirs).note(note)
            }
            Err(reason) => BenchmarkRow::unknown(what, &format!("could not be built: {reason}")),
        });
    }
    Ok(rows)
}

/// A program that makes the requested number of calls, and prints the time of each.
struct CallProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    blocks: Vec<Samples>,
    all: Vec<Duration>,
}

impl CallProgram {
    fn start(program: &Path, words: &[&str], server: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(words)
            .arg(server)
            .args(["--ttl", "600"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
        let output = BufReader::new(child.stdout.take().context("its output")?);
        Ok(Self { input: child.stdin.take(), child, output, blocks: Vec::new(), all: Vec::new() })
    }

    /// A block that is not measured.
    fn warm_up(&mut self, count: usize) -> anyhow::Result<()> {
        self.times(count).map(drop)
    }

    fn call(&mut self, count: usize) -> anyhow::Result<()> {
        let times = self.times(count)?;
        self.all.extend_from_slice(&times);
        self.blocks.push(Samples::of(times)?);
        Ok(())
    }

    fn times(&mut self, count: usize) -> anyhow::Result<Vec<Duration>> {
        writeln!(self.input.as_mut().context("its input")?, "{count}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let times = line.split_whitespace().map(|word| Ok(Duration::from_nanos(word.parse()?)));
        let times = times.collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(
            times.len() == count,
            "{} calls were requested, and {} were made",
            count,
            times.len()
        );
        Ok(times)
    }

    /// This percentile of each block.
    fn blocks(&self, percent: usize) -> anyhow::Result<Samples> {
        Samples::of(self.blocks.iter().map(|block| block.percentile(percent)).collect())
    }

    fn over_all(&self, percent: usize) -> anyhow::Result<String> {
        let time = Samples::of(self.all.clone())?.percentile(percent);
        Ok(format!("{:.1} µs over all {} calls", time.as_secs_f64() * 1e6, self.all.len()))
    }

    fn over_all_above(&self, other: &Self, percent: usize) -> anyhow::Result<String> {
        let of = |value: &Self| {
            Samples::of(value.all.clone())
                .map(|sample| sample.percentile(percent).as_secs_f64() * 1e6)
        };
        Ok(format!("{:.1} µs over all {} calls", of(self)? - of(other)?, self.all.len()))
    }
}

impl Drop for CallProgram {
    fn drop(&mut self) {
        // Closing its input ends it, and its server.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

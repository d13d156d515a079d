//! The throughput of `observe` for an agent's messages, compared with `cat`.

use super::BenchmarkPlan;
use super::clock::Samples;
use super::table::BenchmarkRow;
use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The minimum throughput in megabytes per second.
const GOAL: f64 = 200.0;
const BLOCK: usize = 1 << 20;
const ROUNDS: usize = 5;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let megabytes = (bench.calls / 50).max(1);
    let mut rows = Vec::new();
    for (what, line) in [("a conversation", conversation()), ("only calls", uses())] {
        let block = line.repeat(BLOCK / line.len() + 1);
        let (mut cat, mut ours) = (Vec::new(), Vec::new());
        // In turns, so that load on the machine affects both.
        for _ in 0..ROUNDS.min(bench.rounds) {
            cat.push(pass("cat".as_ref(), &[], &block, megabytes)?);
            ours.push(pass(bench.programs.toolscout.as_os_str(), &["observe"], &block, megabytes)?);
        }
        let (cat, ours) = (Samples::of(cat)?, Samples::of(ours)?);
        let speed = |samples: &Samples| megabytes as f64 / samples.median().as_secs_f64().max(1e-9);
        let note = format!(
            "{:.0} MB/s; {} the time of `cat`, {:.0} MB/s",
            speed(&ours),
            ours.times(&cat),
            speed(&cat)
        );
        let goal = megabytes as f64 / GOAL * 1e3;
        rows.push(
            BenchmarkRow::time(
                format!("{megabytes} MB of {what} through `toolscout observe`"),
                &ours,
            )
            .goal(goal)
            .note(note),
        );
    }
    Ok(rows)
}

/// The time of this amount of data through a program, from pipe to pipe. All of it must come out.
fn pass(program: &OsStr, args: &[&str], block: &str, megabytes: usize) -> anyhow::Result<Duration> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(home.path())
        .env("TOOLSCOUT_SANDBOX", "off")
        .env("TOOLSCOUT_STATE_DIR", home.path().join("state"));
    command
        .env("TOOLSCOUT_CONFIG_DIR", home.path().join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
    let (mut input, mut output) =
        (child.stdin.take().context("its input")?, child.stdout.take().context("its output")?);
    let (block, wanted) = (block.to_owned(), megabytes * 1_000_000);
    let since = Instant::now();
    let writer = thread::spawn(move || {
        let mut left = wanted;
        while left > 0 {
            let count = left.min(block.len());
            input.write_all(&block.as_bytes()[..count])?;
            left -= count;
        }
        std::io::Result::Ok(())
    });
    let (mut came, mut buffer) = (0, vec![0; BLOCK]);
    loop {
        match output.read(&mut buffer)? {
            0 => break,
            count => came += count,
        }
    }
    let took = since.elapsed();
    writer.join().ok().context("the writer thread panicked")?.context("write")?;
    ensure!(
        child.wait()?.success() && came == wanted,
        "{came} of {wanted} bytes came through {command:?}"
    );
    Ok(took)
}

/// Text, an occasional call, and results that are longer than everything else.
fn conversation() -> String {
    let text = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Let me look at that."}]}}"#;
    let mut lines = format!("{}\n{text}\n{}", uses(), result(200));
    lines += &result(20_000);
    lines
}

fn uses() -> String {
    let used = r#"{"type":"tool_use","id":"toolu_01","name":"mcp__github__search_issues","input":{"query":"is:open label:bug","page":1}}"#;
    format!(
        "{{\"type\":\"assistant\",\"message\":{{\"role\":\"assistant\",\"content\":[{used}]}},\"session_id\":\"1f0c\"}}\n"
    )
}

fn result(words: usize) -> String {
    let text = "lorem ipsum ".repeat(words);
    format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_01\",\"content\":\"{text}\"}}]}}}}\n"
    )
}

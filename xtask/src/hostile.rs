//! Lets `toolscout` meet every mode of the hostile server, over every transport, and prints how each meeting went.
//!
//! Each meeting has a project of its own with two servers, the hostile one and an honest one. What must hold is asked in
//! [`verdict`]; what a mode may and may not get away with is the table in [`expect`].

pub(crate) mod build;
mod expect;
pub(crate) mod meeting;
mod survivors;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
mod watched;
mod world;

use anyhow::{Context, bail, ensure};
use meeting::{Meeting, Transport};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The two programs that meet.
pub(crate) struct Programs {
    pub(crate) toolscout: PathBuf,
    pub(crate) hostile: PathBuf,
}

/// A mode, as the server's own list has it.
struct Mode {
    name: String,
    transports: String,
}

/// Words are modes, `--stdio` or `--http` for one transport only, `--debug` for a build that is quick to make.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (flags, names): (Vec<&str>, Vec<&str>) = words.iter().map(String::as_str).partition(|it| it.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|it| !["--stdio", "--http", "--debug"].contains(it)) {
        bail!("`{unknown}` is not an option of `hostile`");
    }
    let programs = build::programs(flags.contains(&"--debug"))?;
    let modes = modes(&programs)?;
    let unknown = names.iter().find(|name| !modes.iter().any(|it| it.name == **name));
    ensure!(unknown.is_none(), "the hostile server has no mode `{}`", unknown.copied().unwrap_or_default());
    let wanted = modes.iter().filter(|it| names.is_empty() || names.contains(&it.name.as_str()));
    let base = Meeting::hold(&programs, "honest", Transport::Stdio).context("meet the honest mode")?.peak();
    let mut failed = 0;
    println!("| mode | transport | verdict | peak MB | ms | reason |\n|---|---|---|---:|---:|---|");
    for (mode, transport) in wanted.flat_map(|mode| transports(mode, &flags).map(move |it| (mode, it))) {
        let meeting = Meeting::hold(&programs, &mode.name, transport).with_context(|| format!("meet {}", mode.name))?;
        let reasons = verdict::reasons(&meeting, base);
        failed += usize::from(!reasons.is_empty());
        println!("{}", row(&meeting, &reasons));
    }
    ensure!(failed == 0, "{failed} meetings did not go well");
    Ok(())
}

fn modes(programs: &Programs) -> anyhow::Result<Vec<Mode>> {
    let output = Command::new(&programs.hostile).args(["--list", "--json"]).output().context("list the modes")?;
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).context("read the list of modes")?;
    let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    Ok(list.iter().map(|it| Mode { name: text(it, "name"), transports: text(it, "transport") }).collect())
}

fn transports<'a>(mode: &'a Mode, flags: &'a [&str]) -> impl Iterator<Item = Transport> + use<'a> {
    [(Transport::Stdio, "stdio", "--http"), (Transport::Http, "http", "--stdio")]
        .into_iter()
        .filter(|(_, word, only_other)| mode.transports.contains(word) && !flags.contains(only_other))
        .map(|(transport, _, _)| transport)
}

fn row(meeting: &Meeting, reasons: &[String]) -> String {
    let verdict = if reasons.is_empty() { "holds" } else { "**fails**" };
    let megabytes = meeting.peak() as f64 / (1 << 20) as f64;
    let said = if reasons.is_empty() { meeting.remark() } else { reasons.join("; ") };
    format!(
        "| {} | {} | {verdict} | {megabytes:.0} | {} | {} |",
        meeting.mode,
        meeting.transport,
        meeting.refresh.time.as_millis(),
        fit_for_a_cell(&said)
    )
}

/// One line of plain text, not too long, whatever a server said.
fn fit_for_a_cell(text: &str) -> String {
    let plain = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect::<String>().replace('|', "\\|");
    match plain.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}

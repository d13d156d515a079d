//! Runs `toolscout` against every mode of the hostile server, over every transport, and prints the
//! results.
//!
//! Each meeting has its own project with two servers, the hostile one and an honest one. The
//! conditions that must hold are in [`verdict`]; the expected result of each mode is the table in
//! [`expect`]. Modes whose effect takes time are in [`long`].

pub(crate) mod build;
mod expect;
mod long;
pub(crate) mod meeting;
mod options;
mod probe;
mod survivors;
mod table;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
mod watched;
mod world;

use anyhow::{Context, ensure};
use meeting::Meeting;
use options::Options;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use terms::{MeetingTransport, TimeLimits};

/// The two programs under test.
pub(crate) struct HostilePrograms {
    pub(crate) toolscout: PathBuf,
    pub(crate) hostile: PathBuf,
}

impl HostilePrograms {
    /// The command line of our own hostile server.
    fn own_server(&self) -> Vec<String> {
        vec![self.hostile.display().to_string()]
    }
}

/// A mode in the server's own list.
struct ListedMode {
    name: String,
    transports: String,
}

/// Parses the arguments; see [`Options`].
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(words)?;
    let programs = match &options.built {
        Some(folder) => build::in_folder(folder)?,
        None => build::programs(options.is_debug)?,
    };
    let server = options.server.clone().unwrap_or_else(|| programs.own_server());
    let modes = modes(&server)?;
    let unknown = options.modes.iter().find(|name| !modes.iter().any(|mode| mode.name == **name));
    ensure!(
        unknown.is_none(),
        "the hostile server has no mode `{}`",
        unknown.map_or("", |unknown| unknown)
    );
    if options.is_long {
        return long::run(&programs, &server, &options.modes);
    }
    meet_all(&programs, &server, &modes, &options)
}

fn meet_all(
    programs: &HostilePrograms,
    server: &[String],
    modes: &[ListedMode],
    options: &Options,
) -> anyhow::Result<()> {
    let terms = TimeLimits::FULL;
    let base = Meeting::of(programs, server, "honest", MeetingTransport::Stdio, &terms)
        .context("meet the honest mode")?
        .peak();
    let wanted =
        modes.iter().filter(|mode| options.modes.is_empty() || options.modes.contains(&mode.name));
    let (mut held, mut failed) = (0, 0);
    println!("{}", table::HEAD);
    for (mode, transport) in
        wanted.flat_map(|mode| transports(mode, options).map(move |transport| (mode, transport)))
    {
        let meeting = Meeting::of(programs, server, &mode.name, transport, &terms);
        let meeting = meeting.with_context(|| format!("meet {}", mode.name))?;
        let reasons = verdict::reasons(&meeting, base);
        held += 1;
        failed += usize::from(!reasons.is_empty());
        println!("{}", table::row(&meeting, &reasons));
    }
    ensure!(failed == 0, "{failed} of {held} meetings failed");
    Ok(())
}

fn modes(server: &[String]) -> anyhow::Result<Vec<ListedMode>> {
    let (program, words) = server.split_first().context("no server command is given")?;
    let output = Command::new(program)
        .args(words)
        .args(["--list", "--json"])
        .output()
        .context("list the modes")?;
    let list: Vec<Value> =
        serde_json::from_slice(&output.stdout).context("read the list of modes")?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    Ok(list
        .iter()
        .map(|item| ListedMode { name: text(item, "name"), transports: text(item, "transport") })
        .collect())
}

fn transports<'a>(
    mode: &'a ListedMode,
    options: &'a Options,
) -> impl Iterator<Item = MeetingTransport> + use<'a> {
    [(MeetingTransport::Stdio, "stdio"), (MeetingTransport::Http, "http")]
        .into_iter()
        .filter(|(item, word)| {
            mode.transports.contains(word) && options.only.is_none_or(|only| only == *item)
        })
        .map(|(transport, _)| transport)
}

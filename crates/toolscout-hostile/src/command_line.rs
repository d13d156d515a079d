//! The command line: which mode to serve, and its options.

use crate::honest;
use crate::modes::{Mode, modes};
use crate::options::Options;
use serde_json::json;
use std::fmt::Write;

/// The action of a command line.
pub(crate) enum CommandLineTask {
    Serve(&'static Mode),
    Print(String),
    /// Runs as a child that only sleeps.
    Idle,
}

const USAGE: &str = "\
usage: toolscout-hostile [--mode NAME] [OPTION]…
       toolscout-hostile --list [--json | --names]
       toolscout-hostile --describe NAME

  --http PORT     Streamable HTTP on loopback instead of stdio; with 0 a free port, printed on stdout
  --era ERA       dual (default), legacy or modern
  --name NAME     name of the server in the handshake
  --tools N       number of additional filler tools
  --rich          additional tools with reverse requests, logs and progress; resources and prompts
  --reference     tools, resources and prompts for the official conformance suite, instead of the usual ones
  --quick         answer calls in sequence, several with one write; for benchmarks
  --log FILE      append one line of JSON per event
  --delay S       delay of slow modes in seconds; for honest, delay of the start
  --size BYTES, --count N, --after N, --ttl-ms MS, --cache-scope public|private, --seed N, --state FILE, --target PATH, --canary URL
                  see --describe of the mode
  --ttl S         exit after this many seconds (120)
";

/// Parses the arguments; the error is a sentence for the user.
pub(crate) fn parse(
    words: impl Iterator<Item = String>,
) -> Result<(CommandLineTask, Options), String> {
    let mut options = Options::default();
    let mut asked = CommandLineFlags::default();
    let mut words = words.flat_map(split_at_equals);
    while let Some(word) = words.next() {
        if asked.take_flag(&word) {
            continue;
        }
        let value = words
            .next()
            .ok_or_else(|| format!("`{word}` needs a value, or is not an option\n{USAGE}"))?;
        if !asked.take(&word, &value) {
            options.take(&word, &value)?;
        }
    }
    options.rich = asked.rich;
    options.reference = asked.reference;
    options.quick = asked.quick;
    Ok((asked.task()?, options))
}

/// The action flags found so far.
#[derive(Default)]
struct CommandLineFlags {
    help: bool,
    list: bool,
    json: bool,
    names: bool,
    idle: bool,
    rich: bool,
    reference: bool,
    quick: bool,
    describe: Option<String>,
    mode: Option<String>,
}

impl CommandLineFlags {
    fn take_flag(&mut self, word: &str) -> bool {
        let flag = match word {
            "--help" | "-h" => &mut self.help,
            "--list" => &mut self.list,
            "--json" => &mut self.json,
            "--names" => &mut self.names,
            "--rich" => &mut self.rich,
            "--reference" => &mut self.reference,
            "--quick" => &mut self.quick,
            _ => return false,
        };
        *flag = true;
        true
    }

    fn take(&mut self, word: &str, value: &str) -> bool {
        match word {
            "--mode" => self.mode = Some(value.to_owned()),
            "--describe" => self.describe = Some(value.to_owned()),
            // Its value is only a marker in the process list.
            "--idle" => self.idle = true,
            _ => return false,
        }
        true
    }

    fn task(self) -> Result<CommandLineTask, String> {
        match self {
            Self { help: true, .. } => Ok(CommandLineTask::Print(USAGE.to_owned())),
            Self { idle: true, .. } => Ok(CommandLineTask::Idle),
            Self { list: true, json: true, .. } => Ok(CommandLineTask::Print(as_json())),
            Self { list: true, names: true, .. } => Ok(CommandLineTask::Print(
                modes().iter().map(|mode| format!("{}\n", mode.name)).collect(),
            )),
            Self { list: true, .. } => Ok(CommandLineTask::Print(as_table())),
            Self { describe: Some(name), .. } => {
                mode(&name).map(|mode| CommandLineTask::Print(described(mode)))
            }
            Self { mode: name, .. } => {
                mode(name.as_deref().unwrap_or(honest::NAME)).map(CommandLineTask::Serve)
            }
        }
    }
}

fn mode(name: &str) -> Result<&'static Mode, String> {
    modes()
        .iter()
        .find(|mode| mode.name == name)
        .ok_or_else(|| format!("`{name}` is not a mode; see --list"))
}

fn as_table() -> String {
    let mut text = String::new();
    for Mode { name, category, transports, does, .. } in modes() {
        let _ = writeln!(text, "{name:<20} {category:<10} {transports:<11} {does}");
    }
    let _ = writeln!(text, "# {} modes", modes().len());
    text
}

fn as_json() -> String {
    let list = modes().iter().map(|Mode { name, category, transports, does, must, .. }| {
        json!({ "name": name, "category": category, "transport": transports.to_string(), "does": does, "must": must })
    });
    format!("{:#}\n", list.collect::<serde_json::Value>())
}

fn described(Mode { name, category, transports, does, must, .. }: &Mode) -> String {
    format!("{name} [{category}, {transports}]\n  does: {does}\n  must: {must}\n")
}

/// Splits `--name=value` into `--name value`.
fn split_at_equals(word: String) -> Vec<String> {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") => vec![name.to_owned(), value.to_owned()],
        _ => vec![word],
    }
}

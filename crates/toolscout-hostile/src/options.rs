//! The command line: what to serve, and how much of it.

use crate::honest;
use crate::modes::{Mode, modes};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What the command line asks for.
pub(crate) enum Task {
    Serve(&'static Mode),
    Print(String),
    /// Be a child that only sleeps.
    Idle,
}

/// How much, how long, where to; each mode says which of these it looks at.
#[derive(Clone)]
pub(crate) struct Options {
    /// What the server calls itself, also in the log.
    pub(crate) name: String,
    pub(crate) log: Option<PathBuf>,
    /// Serve HTTP on this port of loopback; 0 is any that is free.
    pub(crate) http: Option<u16>,
    pub(crate) era: Era,
    /// Bytes.
    pub(crate) size: Option<usize>,
    pub(crate) count: Option<usize>,
    pub(crate) delay: Option<Duration>,
    /// How often a mode behaves before it does not.
    pub(crate) after: usize,
    /// Filler tools beside those every mode has.
    pub(crate) tools: usize,
    /// Whether there is more than tools, and tools that do more.
    pub(crate) rich: bool,
    /// Whether there is what the conformance suite wants, instead of the usual.
    pub(crate) reference: bool,
    /// Whether calls are answered where they are read, one after the other, and several with one write.
    pub(crate) quick: bool,
    /// Where a mode remembers something from one process to the next.
    pub(crate) state: Option<PathBuf>,
    /// What a mode may damage.
    pub(crate) target: Option<PathBuf>,
    /// A URL on loopback that nobody must ever ask for.
    pub(crate) canary: Option<String>,
    /// What lists say about how long they hold.
    pub(crate) ttl_ms: u64,
    pub(crate) seed: u64,
    /// The process ends itself after this long.
    pub(crate) ttl: Duration,
}

/// Which protocol an honest handshake knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Dual,
    Legacy,
    Modern,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "hostile".to_owned(),
            log: None,
            http: None,
            era: Era::Dual,
            size: None,
            count: None,
            delay: None,
            after: 1,
            tools: 0,
            rich: false,
            reference: false,
            quick: false,
            state: None,
            target: None,
            canary: None,
            ttl_ms: 0,
            seed: 1,
            ttl: Duration::from_secs(120),
        }
    }
}

const USAGE: &str = "\
usage: toolscout-hostile [--mode NAME] [OPTION]…
       toolscout-hostile --list [--json | --names]
       toolscout-hostile --describe NAME

  --http PORT     Streamable HTTP on loopback instead of stdio; 0 takes a free port, and stdout says which
  --era ERA       dual (default), legacy or modern
  --name NAME     what the server calls itself
  --tools N       so many filler tools beside the usual ones
  --rich          tools that ask back, log and report beside the usual ones; resources and prompts
  --reference     what the official conformance suite wants of a server, instead of the usual tools
  --quick         answer calls one after the other, and several with one write: for measuring others
  --log FILE      append one line of JSON per event
  --delay S       how long slow modes take; honest: how long the start takes
  --size BYTES, --count N, --after N, --ttl-ms MS, --seed N, --state FILE, --target PATH, --canary URL
                  see --describe of the mode
  --ttl S         end after so many seconds (120)
";

impl Options {
    /// Whether there is more than tools, and tools that do more.
    pub(crate) fn has_more(&self) -> bool {
        self.rich || self.reference
    }

    /// Reads the words after the program's name; an error is a sentence for a person.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<(Task, Self), String> {
        let mut options = Self::default();
        let mut asked = Asked::default();
        let mut words = words.flat_map(split_at_equals);
        while let Some(word) = words.next() {
            if asked.take_flag(&word) {
                continue;
            }
            let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not an option\n{USAGE}"))?;
            if !asked.take(&word, &value) {
                options.take(&word, &value)?;
            }
        }
        options.rich = asked.rich;
        options.reference = asked.reference;
        options.quick = asked.quick;
        Ok((asked.task()?, options))
    }

    fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "--name" => self.name = value.to_owned(),
            "--log" => self.log = Some(value.into()),
            "--http" => self.http = Some(number(word, value)?),
            "--era" => self.era = value.parse()?,
            "--size" => self.size = not_zero(number(word, value)?),
            "--count" => self.count = not_zero(number(word, value)?),
            "--delay" => self.delay = Some(seconds(word, value)?).filter(|it| !it.is_zero()),
            "--after" => self.after = number(word, value)?,
            "--tools" => self.tools = number(word, value)?,
            "--state" => self.state = Some(value.into()),
            "--target" => self.target = Some(value.into()),
            "--canary" => self.canary = Some(value.to_owned()),
            "--ttl-ms" => self.ttl_ms = number(word, value)?,
            "--seed" => self.seed = number(word, value)?,
            "--ttl" => self.ttl = seconds(word, value)?,
            _ => return Err(format!("`{word}` is not an option\n{USAGE}")),
        }
        Ok(())
    }
}

/// What to do, as far as the words so far say.
#[derive(Default)]
struct Asked {
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

impl Asked {
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
            // Its value is there to be seen in the list of processes.
            "--idle" => self.idle = true,
            _ => return false,
        }
        true
    }

    fn task(self) -> Result<Task, String> {
        match self {
            Self { help: true, .. } => Ok(Task::Print(USAGE.to_owned())),
            Self { idle: true, .. } => Ok(Task::Idle),
            Self { list: true, json: true, .. } => Ok(Task::Print(as_json())),
            Self { list: true, names: true, .. } => {
                Ok(Task::Print(modes().iter().map(|it| format!("{}\n", it.name)).collect()))
            }
            Self { list: true, .. } => Ok(Task::Print(as_table())),
            Self { describe: Some(name), .. } => mode(&name).map(|it| Task::Print(described(it))),
            Self { mode: name, .. } => mode(name.as_deref().unwrap_or(honest::NAME)).map(Task::Serve),
        }
    }
}

fn mode(name: &str) -> Result<&'static Mode, String> {
    modes().iter().find(|it| it.name == name).ok_or_else(|| format!("`{name}` is not a mode; see --list"))
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

/// `--name=value` is `--name value`.
fn split_at_equals(word: String) -> Vec<String> {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") => vec![name.to_owned(), value.to_owned()],
        _ => vec![word],
    }
}

fn number<T: FromStr>(word: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{word}` needs a number, not `{value}`"))
}

fn seconds(word: &str, value: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(number(word, value)?).map_err(|_| format!("`{word}` needs seconds, not `{value}`"))
}

fn not_zero(number: usize) -> Option<usize> {
    Some(number).filter(|it| *it != 0)
}

impl FromStr for Era {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "dual" => Ok(Self::Dual),
            "legacy" => Ok(Self::Legacy),
            "modern" => Ok(Self::Modern),
            _ => Err(format!("`{word}` is not an era; say dual, legacy or modern")),
        }
    }
}

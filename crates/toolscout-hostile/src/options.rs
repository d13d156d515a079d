//! What the command line sets: how much, how long, where to.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How much, how long, where to; each mode says which of these it looks at.
#[derive(Clone)]
pub(crate) struct Options {
    /// What the server calls itself, also in the log.
    pub(crate) name: String,
    pub(crate) log: Option<PathBuf>,
    /// Serve HTTP on this port of loopback; 0 is any that is free.
    pub(crate) http: Option<u16>,
    pub(crate) era: HandshakeEra,
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
pub(crate) enum HandshakeEra {
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
            era: HandshakeEra::Dual,
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

impl Options {
    /// Whether there is more than tools, and tools that do more.
    pub(crate) fn has_more(&self) -> bool {
        self.rich || self.reference
    }

    /// Takes one option and its value; an error is a sentence for a person.
    pub(crate) fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
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
            _ => return Err(format!("`{word}` is not an option; see --help")),
        }
        Ok(())
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

impl FromStr for HandshakeEra {
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

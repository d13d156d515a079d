//! The options of the command line: sizes, times and paths.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Sizes, times and paths; each mode documents which of them it uses.
#[derive(Clone)]
pub(crate) struct Options {
    /// The name of the server, also in the log.
    pub(crate) name: String,
    pub(crate) log: Option<PathBuf>,
    /// The loopback port for HTTP; 0 selects any free port.
    pub(crate) http: Option<u16>,
    pub(crate) era: HandshakeEra,
    /// In bytes.
    pub(crate) size: Option<usize>,
    pub(crate) count: Option<usize>,
    pub(crate) delay: Option<Duration>,
    /// The number of honest responses before a mode misbehaves.
    pub(crate) after: usize,
    /// The number of filler tools besides those of every mode.
    pub(crate) tools: usize,
    /// Whether it has resources, prompts and tools with more features.
    pub(crate) rich: bool,
    /// Whether it has the items of the conformance suite, instead of the default tools.
    pub(crate) reference: bool,
    /// Whether calls are handled sequentially on the reading thread, with several responses per
    /// write.
    pub(crate) quick: bool,
    /// The file in which a mode stores state between processes.
    pub(crate) state: Option<PathBuf>,
    /// The path that a mode may damage.
    pub(crate) target: Option<PathBuf>,
    /// A URL on loopback that must never be requested.
    pub(crate) canary: Option<String>,
    /// The `ttlMs` of lists.
    pub(crate) ttl_ms: u64,
    /// The `cacheScope` of lists.
    pub(crate) cache_scope: String,
    pub(crate) seed: u64,
    /// The process ends itself after this time.
    pub(crate) ttl: Duration,
}

/// The protocol versions of an honest handshake.
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
            cache_scope: "public".to_owned(),
            seed: 1,
            ttl: Duration::from_secs(120),
        }
    }
}

impl Options {
    /// Whether it has more than plain tools.
    pub(crate) fn has_more(&self) -> bool {
        self.rich || self.reference
    }

    /// Parses one option and its value; the error is a sentence for the user.
    pub(crate) fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "--name" => self.name = value.to_owned(),
            "--log" => self.log = Some(value.into()),
            "--http" => self.http = Some(number(word, value)?),
            "--era" => self.era = value.parse()?,
            "--size" => self.size = not_zero(number(word, value)?),
            "--count" => self.count = not_zero(number(word, value)?),
            "--delay" => {
                self.delay = Some(seconds(word, value)?).filter(|second| !second.is_zero())
            }
            "--after" => self.after = number(word, value)?,
            "--tools" => self.tools = number(word, value)?,
            "--state" => self.state = Some(value.into()),
            "--target" => self.target = Some(value.into()),
            "--canary" => self.canary = Some(value.to_owned()),
            "--ttl-ms" => self.ttl_ms = number(word, value)?,
            "--cache-scope" => self.cache_scope = value.to_owned(),
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
    Duration::try_from_secs_f64(number(word, value)?)
        .map_err(|_| format!("`{word}` needs seconds, not `{value}`"))
}

fn not_zero(number: usize) -> Option<usize> {
    Some(number).filter(|number| *number != 0)
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

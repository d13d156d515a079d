//! Servers as they are told and changed.

use crate::api::Trouble;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A server, and how it is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// What it is called.
    pub id: String,
    /// `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// What is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// What is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Variables it sees, or headers it is sent: references as written, and `[REDACTED]` for all else.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Headers sent to it, as `env` is shown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether it is used at all.
    pub enabled: bool,
    /// `configured`, `known`, `starting`, `running`, `idle` or `failed`.
    pub state: &'static str,
    /// `never`, `discovering`, `success` or `failed`.
    pub discovery_status: &'static str,
    /// When it was last asked for its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_discovery: Option<String>,
    /// Why that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_error: Option<String>,
    /// Why it is in trouble now, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether its tools may not be as they are remembered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// How many tools it has.
    pub tool_count: usize,
    /// How many of them wait for a person.
    pub held_count: usize,
    /// Whether what it had at first sight is approved.
    pub trusted: bool,
    /// The file that says all this.
    pub file: String,
    /// What may be done with its tools, by name, as its entry says.
    pub tools: BTreeMap<String, &'static str>,
}

/// A server to add.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct NewServer {
    /// What to call it: small letters, digits, `-` and `_`.
    pub id: String,
    /// What it is like.
    #[serde(flatten)]
    pub entry: ServerChange,
}

/// What a server is like; of one that is there, what shall be different.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerChange {
    /// The program to start.
    #[serde(default)]
    pub command: Option<String>,
    /// With what.
    #[serde(default)]
    pub args: Option<Vec<String>>,
    /// Variables it sees; best references such as `env:NAME`.
    #[serde(default)]
    pub env: Option<BTreeMap<String, String>>,
    /// Where it starts.
    #[serde(default)]
    pub cwd: Option<String>,
    /// The address to reach, instead of a program.
    #[serde(default)]
    pub url: Option<String>,
    /// Headers sent to it; best references such as `env:NAME`.
    #[serde(default)]
    pub headers: Option<BTreeMap<String, String>>,
    /// Whether it is used at all.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// What may be done with its tools, by name; `*` is for those not named.
    #[serde(default)]
    pub tools: Option<BTreeMap<String, PolicyWord>>,
}

/// What may be done with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PolicyWord {
    /// It runs.
    Allow,
    /// It runs when a person says yes.
    Ask,
    /// It is listed, and refused.
    Deny,
    /// It is not there at all.
    Disable,
}

/// What can be done with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Action {
    /// Start it, and keep it running.
    Start,
    /// End it; the next call starts it again.
    Stop,
    /// End it, and start it again.
    Restart,
    /// Use it again.
    Enable,
    /// Keep its entry, and use it no longer.
    Disable,
}

/// The last a server said beside the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Logs {
    /// In its own words, secrets hidden.
    pub logs: String,
    /// Whether it runs here; if not, there is nothing to tell.
    pub running: bool,
}

impl Action {
    /// What it is like while that is done.
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Start => "starting",
            Self::Stop => "stopping",
            Self::Restart => "restarting",
            Self::Enable => "enabled",
            Self::Disable => "disabled",
        }
    }
}

impl PolicyWord {
    /// As the door knows it.
    pub fn policy(self) -> toolscout_core::door::Policy {
        use toolscout_core::door::Policy;
        match self {
            Self::Allow => Policy::Allow,
            Self::Ask => Policy::Ask,
            Self::Deny => Policy::Deny,
            Self::Disable => Policy::Disable,
        }
    }
}

impl NewServer {
    /// A server is a program or an address, and nothing in between.
    pub(super) fn check(&self) -> Result<(), Trouble> {
        match (&self.entry.command, &self.entry.url) {
            (None, None) => Err(Trouble::invalid("`command` is missing").hint("or give a `url`")),
            _ => self.entry.check(),
        }
    }
}

impl ServerChange {
    pub(super) fn check(&self) -> Result<(), Trouble> {
        if self.command.is_some() && self.url.is_some() {
            return Err(Trouble::invalid("`command` and `url`: a server is a program or an address, not both"));
        }
        if self.command.as_ref().is_some_and(|it| it.trim().is_empty()) {
            return Err(Trouble::invalid("`command` is empty"));
        }
        let is_address = |it: &String| it.starts_with("http://") || it.starts_with("https://");
        if self.url.as_ref().is_some_and(|it| !is_address(it)) {
            return Err(Trouble::invalid("`url` must begin with `http://` or `https://`"));
        }
        let texts = || self.command.iter().chain(&self.url).chain(&self.cwd).chain(self.args.iter().flatten());
        let maps = || self.env.iter().chain(&self.headers).flatten().flat_map(|(name, value)| [name, value]);
        match texts().chain(maps()).any(|it| it.contains('\0')) {
            true => Err(Trouble::invalid("no text may hold a NUL")),
            false => Ok(()),
        }
    }

    /// Whether it says what runs, or with what.
    pub fn is_of_what_runs(&self) -> bool {
        let Self { command, args, env, cwd, url, headers, .. } = self;
        command.is_some() || args.is_some() || env.is_some() || cwd.is_some() || url.is_some() || headers.is_some()
    }
}

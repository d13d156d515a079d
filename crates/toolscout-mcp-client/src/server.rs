//! A server as a person configured it.

use super::ConfigText;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use toolscout_core::authorization::Policy;
use toolscout_core::{SourceId, Visibility};

/// A server as a person configured it: plain data, nothing of it resolved or started.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Its id, which is a part of the id of each of its tools.
    pub id: SourceId,
    /// How to reach it.
    pub transport: ServerTransport,
    /// A server that is not enabled is kept in the file and otherwise not there.
    pub enabled: bool,
    /// What may be done with its tools, by their names; `*` is for those not named.
    pub policies: BTreeMap<String, Policy>,
    /// Whether agents see its tools without searching.
    pub visibility: Visibility,
    /// Which of its tools are there at all.
    pub filter: ToolFilter,
    /// Whether a person added it: its tools, as first seen, are approved. Else each waits for a review.
    pub trusted: bool,
    /// What becomes of a tool whose definition changes.
    pub on_change: OnChange,
    /// Whether it is asked to search for itself, should it hide its tools behind `tool_search` and `execute_tool`; where
    /// nobody said so, once a person has approved of those two.
    pub delegate: Option<bool>,
    /// How long a discovery may take from start to end; `None` is the usual time.
    pub discovery_timeout: Option<Duration>,
    /// How long a call may take; `None` is the usual time.
    pub call_timeout: Option<Duration>,
    /// How long it is kept running without a call; `None` is the usual time.
    pub idle_timeout: Option<Duration>,
    /// The configuration file.
    pub configured_in: Option<PathBuf>,
}

impl ServerConfig {
    /// An enabled, trusted server with the usual settings.
    pub fn new(id: SourceId, transport: ServerTransport) -> Self {
        Self {
            id,
            transport,
            enabled: true,
            policies: BTreeMap::new(),
            visibility: Visibility::default(),
            filter: ToolFilter::default(),
            trusted: true,
            on_change: OnChange::default(),
            delegate: None,
            discovery_timeout: None,
            call_timeout: None,
            idle_timeout: None,
            configured_in: None,
        }
    }
}

/// How to reach a server.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerTransport {
    /// A child process that speaks on its standard input and output.
    Stdio(Program),
    /// An address on the web.
    Http(HttpEndpoint),
}

impl ServerTransport {
    /// The word shown in lists: `stdio`, `http`, `sse`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(HttpEndpoint { sse: false, .. }) => "http",
            Self::Http(_) => "sse",
        }
    }
}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Program {
    /// What to start: a name looked up in PATH, or a path.
    pub command: ConfigText,
    /// Its arguments, without its own name.
    pub args: Vec<ConfigText>,
    /// Variables it sees besides the usual few.
    pub env: BTreeMap<String, ConfigText>,
    /// Where it starts, absolute; the project's root if left out.
    pub cwd: Option<PathBuf>,
}

/// An address to reach.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HttpEndpoint {
    /// The address, `http` or `https`.
    pub url: ConfigText,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, ConfigText>,
    /// Sent as `Authorization: Bearer …`.
    pub bearer: Option<ConfigText>,
    /// The OAuth client id; registered dynamically if left out.
    pub client_id: Option<ConfigText>,
    /// The secret of the OAuth client, if it has one.
    pub client_secret: Option<ConfigText>,
    /// The scopes to request; those the server suggests if empty.
    pub scopes: Vec<String>,
    /// Whether it speaks the old transport: an event stream, and a second address for messages.
    pub sse: bool,
}

/// Which tools of a server are there at all. Names may hold `*`, which stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolFilter {
    /// Only these; all where left out.
    pub include: Option<Vec<String>>,
    /// And never these.
    pub exclude: Vec<String>,
}

/// What becomes of a tool whose definition changes after it was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnChange {
    /// It waits for a person to look at the change.
    #[default]
    Hold,
    /// It is taken as it comes.
    Accept,
}

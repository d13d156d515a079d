//! The configuration of a server.

use super::{ConfigText, Placement, ProtocolChoice};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::authorization::Policy;
use toolscout_core::redact::{self, REDACTED};
use toolscout_core::{SourceId, Visibility};
use toolscout_process::sandbox::SandboxSettings;

/// The configuration of a server: plain data, with nothing resolved or started.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// The id, which is a part of the id of each of its tools.
    pub id: SourceId,
    /// The transport to reach it.
    pub transport: ServerTransport,
    /// Whether it is enabled. A disabled server stays in the file and is otherwise ignored.
    pub enabled: bool,
    /// The policies by tool name; `*` applies to all other tools.
    pub policies: BTreeMap<String, Policy>,
    /// Whether agents see its tools without searching.
    pub visibility: Visibility,
    /// The tools that exist for toolscout.
    pub filter: ToolFilter,
    /// Whether a user added it: if so, its tools are approved as first seen; otherwise each is
    /// quarantined until it is reviewed.
    pub trusted: bool,
    /// The treatment of a tool whose definition changes.
    pub on_change: OnChange,
    /// The treatment of tools that the server did not have before; by default they are allowed if
    /// the server is trusted.
    pub new_tools: Option<NewTools>,
    /// Whether a failed discovery removes the cached tools.
    pub drop_on_failure: bool,
    /// Whether searches are delegated to the server, if it hides its tools behind `tool_search` and
    /// `execute_tool`. `None` means: once the operator has approved those two.
    pub delegate: Option<bool>,
    /// The protocol revision to speak with it.
    pub protocol: ProtocolChoice,
    /// The time limit of a whole discovery; `None` is the default.
    pub discovery_timeout: Option<Duration>,
    /// The time limit of a call; `None` is the default.
    pub call_timeout: Option<Duration>,
    /// How long it stays running without a call; `None` is the default.
    pub idle_timeout: Option<Duration>,
    /// On how many replicas of a fleet its program runs.
    pub placement: Placement,
    /// The labels of the replicas that can run it on behalf of all.
    pub needs: Vec<String>,
    /// What its program may reach.
    pub sandbox: SandboxSettings,
    /// The configuration file.
    pub configured_in: Option<PathBuf>,
}

impl ServerConfig {
    /// Creates an enabled, trusted server with the default settings.
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
            new_tools: None,
            drop_on_failure: false,
            delegate: None,
            protocol: ProtocolChoice::default(),
            discovery_timeout: None,
            call_timeout: None,
            idle_timeout: None,
            placement: Placement::default(),
            needs: Vec::new(),
            sandbox: SandboxSettings::default(),
            configured_in: None,
        }
    }

    /// Whether the program that starts the server may have to download it first.
    pub(super) fn is_installed_first(&self) -> bool {
        self.installer().is_some()
    }

    /// The program that starts the server and may have to download it first: `npx`, `uvx`.
    pub fn installer(&self) -> Option<&str> {
        let ServerTransport::Stdio(program) = &self.transport else { return None };
        toolscout_process::program::installer(Path::new(program.command.written()))
    }
}

/// The transport of a server.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerTransport {
    /// A child process with messages on stdin and stdout.
    Stdio(Program),
    /// A remote server over HTTP.
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

    /// All texts that may refer to variables, files or the keyring.
    pub fn texts(&self) -> Vec<&ConfigText> {
        match self {
            Self::Stdio(program) => std::iter::once(&program.command)
                .chain(&program.args)
                .chain(program.env.values())
                .collect(),
            Self::Http(endpoint) => std::iter::once(&endpoint.url)
                .chain(endpoint.headers.values())
                .chain(&endpoint.bearer)
                .chain(&endpoint.client_id)
                .chain(&endpoint.client_secret)
                .collect(),
        }
    }
}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Program {
    /// The program: a name looked up in PATH, or a path.
    pub command: ConfigText,
    /// The arguments, without the program's name.
    pub args: Vec<ConfigText>,
    /// Variables in addition to the default environment.
    pub env: BTreeMap<String, ConfigText>,
    /// The absolute working directory; the project's root if omitted.
    pub cwd: Option<PathBuf>,
}

/// A remote address.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HttpEndpoint {
    /// The address, `http` or `https`.
    pub url: ConfigText,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, ConfigText>,
    /// The token to send as `Authorization: Bearer …`.
    pub bearer: Option<ConfigText>,
    /// The OAuth client id; registered dynamically if omitted.
    pub client_id: Option<ConfigText>,
    /// The secret of the OAuth client, if it has one.
    pub client_secret: Option<ConfigText>,
    /// The scopes to request; those the server suggests if empty.
    pub scopes: Vec<String>,
    /// How toolscout gets a token.
    pub grant: OAuthGrant,
    /// Whether it uses the older HTTP with SSE transport: an event stream, and a second address for
    /// messages.
    pub sse: bool,
}

impl HttpEndpoint {
    /// The address for people: without its query, which may contain a key.
    pub fn redacted_url(&self) -> String {
        match self.url.written().split_once('?') {
            Some((base, _)) => format!("{}?{REDACTED}", redact::text(base)),
            None => redact::text(self.url.written()),
        }
    }
}

/// How toolscout gets an OAuth token for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OAuthGrant {
    /// A user logs in with `toolscout server login`.
    #[default]
    AuthorizationCode,
    /// The client id and secret of the entry are enough; no user is involved.
    ClientCredentials,
}

/// The tools of a server that exist for toolscout. Names may contain `*`, which matches any text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolFilter {
    /// Only these tools; all if omitted.
    pub include: Option<Vec<String>>,
    /// Never these tools.
    pub exclude: Vec<String>,
}

/// The treatment of a new tool of a known server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NewTools {
    /// The tool is quarantined until an operator reviews it.
    #[default]
    Review,
    /// The tool is approved, unless it has a severe finding.
    Allow,
}

/// The treatment of a tool whose definition changes after it was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnChange {
    /// The tool is quarantined until an operator reviews the change.
    #[default]
    Quarantine,
    /// The change is accepted without a review.
    Accept,
}

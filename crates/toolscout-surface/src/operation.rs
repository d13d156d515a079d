//! Operations: everything toolscout can do on request, from any surface.
//!
//! An operation has a typed input, a typed output and one `run`. The HTTP route with its
//! OpenAPI entry, the CLI command with its flags and help, the MCP tool and the request over
//! the control socket are all derived from it. Role check, input check, deadline, dry run and
//! redaction wrap `run` once, in [`BoundOperation::invoke`]; changes audit themselves through
//! [`toolscout_core::Cx::change`].
//!
//! The workspace type `W` is the state an operation works on. A list of operations is
//! [bound](BoundOperation::new) to one workspace; from then on the surfaces know only
//! [`BoundOperation`]s.

mod bound;
mod command;
mod error;
mod output;
mod request;
mod schema;
mod stream;
#[cfg(test)]
mod tests;

pub use crate::output::Text;
pub use bound::{BoundOperation, Operations, WorkspaceSlot, tool_error};
pub use command::OperationCommand;
pub use error::{ErrorCode, OperationError};
pub use output::OperationOutput;
pub use request::request_target;
pub(crate) use schema::{DRY_RUN, InputSchema, OutputSchema, inline_string_enums, schema_settings};
pub use stream::{ItemStream, StreamItem, StreamOperation};

use crate::exit::Exit;
use crate::output::json;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::time::Duration;
use toolscout_core::Cx;
use toolscout_core::change::PlannedChange;

/// One thing toolscout can do on request.
pub trait Operation<W>: Send + Sync + 'static {
    /// The input: becomes flags, path and query parameters, and the request body.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The output: becomes `--json`, the response body and the OpenAPI schema.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Name, access level, route and help texts.
    const SPEC: OperationSpec;

    /// Runs the operation. It announces a change with [`Cx::change`] before it writes anything.
    fn run(
        workspace: &W,
        input: Self::Input,
        cx: &Cx,
    ) -> impl Future<Output = Result<Self::Output, OperationError>> + Send;

    /// Renders the output as text for people.
    fn text(output: &Self::Output, text: &Text) -> String;

    /// Writes the `--json` output of the command. A command that lists prints the list itself;
    /// the other fields of the output (the next page, notes) are for HTTP clients, and the
    /// command prints them to stderr.
    fn write_json(output: &Self::Output, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, output)
    }

    /// Whether the command prints its text to stdout. The confirmation of a change is not data,
    /// so it goes to stderr.
    fn is_data(_: &Self::Output) -> bool {
        !matches!(Self::SPEC.effect, Effect::Change)
    }

    /// The change that a dry run would have made. An operation that shows more in a dry run
    /// than a summary of the change returns its output with the change in it, instead of the
    /// error of [`Cx::change`].
    fn planned(_: &Self::Output) -> Option<&PlannedChange> {
        None
    }

    /// The confirmation that follows the text; printed to stderr by commands.
    fn message(_: &Self::Output, _: &Text) -> String {
        String::new()
    }

    /// Warnings about the result: commands print them to stderr. The output contains them as
    /// well.
    fn warnings(_: &Self::Output) -> &[String] {
        &[]
    }

    /// Notes that explain the output: commands print them to stderr. The output contains them
    /// as well.
    fn notes(_: &Self::Output) -> Vec<String> {
        Vec::new()
    }

    /// The exit code of the command: an operation that checks something may fail although it ran.
    fn exit(_: &Self::Output) -> Exit {
        Exit::Done
    }
}

/// The facts about an operation that its types do not express.
#[derive(Debug, Clone, Copy)]
pub struct OperationSpec {
    /// The name in lists and logs: `policy set`.
    pub name: &'static str,
    /// Imperative, one line: `Set the policy of a tool`.
    pub summary: &'static str,
    /// Shown below the options in help.
    pub notes: &'static [&'static str],
    /// The required role.
    pub access: Access,
    /// Whether it changes anything.
    pub effect: Effect,
    /// The HTTP method, path and success status.
    pub route: HttpRoute,
    /// Another path of the same route, if well-known clients look there.
    pub alias: Option<&'static str>,
    /// The media type of its output over HTTP. Anything but JSON is its text for people.
    pub media_type: &'static str,
    /// The commands; if empty, one command with the operation's own name. [`CommandName::NONE`]
    /// is for an operation without a command.
    pub commands: &'static [CommandName],
    /// Command lines that work; shown in help, run as tests. For an operation without a command
    /// they are HTTP requests: method, path and body; `{id}` in a path is the id of an existing
    /// item.
    pub examples: &'static [&'static str],
    /// Whether its commands request a confirmation first.
    pub confirm: Confirm,
    /// Whether it reaches other machines. If so, its examples are not run as tests.
    pub needs_network: bool,
    /// Which process runs it, if it is invoked from the command line.
    pub host: HostUse,
    /// What its commands say about unavailable servers.
    pub unavailable_servers: UnavailableServers,
    /// The maximum run time; a request may set a shorter deadline.
    pub deadline: Option<Duration>,
    /// Whether it counts as a decision although it changes nothing: its output gives operator
    /// rights, it runs a program that the request names, or it acts as the program that registered
    /// tools. A tool or server of toolscout cannot use it.
    pub is_decision: bool,
    /// Whether it shows and uses only the tools of the client's profile. Any other operation
    /// refuses a client whose token is limited to a profile.
    pub keeps_profile: bool,
    /// The meta tool that offers it to models. Any other operation that only reads becomes an
    /// MCP tool if the operator exposes it.
    pub meta_tool: Option<MetaTool>,
}

impl OperationSpec {
    /// An operation that changes nothing, open to agents.
    pub const fn read(name: &'static str, summary: &'static str, path: &'static str) -> Self {
        Self {
            name,
            summary,
            notes: &[],
            access: Access::Agent,
            effect: Effect::Read,
            route: HttpRoute { method: "GET", path, status: 200 },
            alias: None,
            media_type: "application/json",
            commands: &[],
            examples: &[],
            confirm: Confirm::Never,
            needs_network: false,
            host: HostUse::Never,
            unavailable_servers: UnavailableServers::Omit,
            deadline: None,
            is_decision: false,
            keeps_profile: false,
            meta_tool: None,
        }
    }

    /// An operation that changes nothing, on the command line only: it works on files of the
    /// local machine.
    pub const fn local(name: &'static str, summary: &'static str) -> Self {
        Self { access: Access::Operator, ..Self::read(name, summary, "") }
    }

    /// An operation that changes something, on the command line only.
    pub const fn local_change(name: &'static str, summary: &'static str) -> Self {
        Self::change(name, summary, "POST", "")
    }

    /// An operation that changes something, for operators.
    pub const fn change(
        name: &'static str,
        summary: &'static str,
        method: &'static str,
        path: &'static str,
    ) -> Self {
        Self {
            access: Access::Operator,
            effect: Effect::Change,
            route: HttpRoute { method, path, status: 200 },
            ..Self::read(name, summary, path)
        }
    }
}

/// The role an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// No role: requests without a token are allowed.
    Open,
    /// Any authenticated client.
    Agent,
    /// A person with operator rights.
    Operator,
}

impl Access {
    /// The word in the OpenAPI document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Agent => "agent",
            Self::Operator => "operator",
        }
    }
}

/// Whether an operation changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads. It may start a server to query it.
    Read,
    /// It changes configuration, decisions or running servers: it writes one audit line, and a
    /// dry run changes nothing.
    Change,
    /// It runs a tool, which may change anything. The authorization check audits the call, and a
    /// dry run calls nothing.
    Call,
}

/// Whether a command requests a confirmation, after it has shown the output of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// No confirmation.
    Never,
    /// A confirmation at a terminal; without a terminal the command changes nothing. `--yes`
    /// confirms.
    Always,
    /// A confirmation at a terminal if the dry run shows more than a summary; none without a
    /// terminal.
    AtTerminal,
}

/// An MCP tool through which models use an operation. Its input and output are written for
/// models: the input is parsed more leniently, and the output is shorter. `surface::mcp` has
/// that presentation; the operation does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaTool {
    /// Finds tools.
    Search,
    /// Calls a tool.
    Execute,
}

impl MetaTool {
    /// The name of the tool.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "tool_search",
            Self::Execute => "execute_tool",
        }
    }
}

/// Whether a command runs in the process that hosts the servers of the project, if there is
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostUse {
    /// It runs in its own process.
    Never,
    /// It is forwarded to the host, and runs in its own process if there is none.
    Preferred,
    /// It acts on running servers: without a host there is nothing to do.
    Required,
}

/// What a command says on stderr about servers that are unavailable or still loading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnavailableServers {
    /// Nothing: the command is not about all servers.
    #[default]
    Omit,
    /// Their number, because the listed tools lack theirs.
    Count,
    /// A warning for each, because the command is about servers.
    Warn,
}

/// The HTTP route of an operation. Input fields named in the path come from the path; for GET
/// and DELETE the others come from the query, for other methods from the JSON body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRoute {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'static str,
    /// In the router's syntax: `/api/servers/{id}`. An operation with an empty path is on the
    /// command line only.
    pub path: &'static str,
    /// The status of a successful response.
    pub status: u16,
}

/// A command of an operation. Several commands may share one operation, each with some of its
/// input fixed.
#[derive(Debug, Clone, Copy)]
pub struct CommandName {
    /// The words to type: `server start`.
    pub name: &'static str,
    /// Imperative, one line; the operation's own summary if empty.
    pub summary: &'static str,
    /// Input fields that this command fixes, as JSON: `("action", "\"start\"")`.
    pub preset: &'static [(&'static str, &'static str)],
    /// Input fields that this command requires although they are optional in the operation.
    pub required: &'static [&'static str],
    /// Which process runs it; the operation's own choice if `None`.
    pub host: Option<HostUse>,
    /// An alternative spelling as an option of a shorter command: `review --accept`.
    pub alias: Option<&'static str>,
}

impl CommandName {
    /// For operations that have no use on a command line.
    pub const NONE: &[Self] = &[Self::new("")];

    /// A command with the summary of its operation.
    pub const fn new(name: &'static str) -> Self {
        Self { name, summary: "", preset: &[], required: &[], host: None, alias: None }
    }

    /// Sets a summary of its own.
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Fixes these input fields.
    pub const fn preset(self, preset: &'static [(&'static str, &'static str)]) -> Self {
        Self { preset, ..self }
    }

    /// Makes these input fields required.
    pub const fn required(self, required: &'static [&'static str]) -> Self {
        Self { required, ..self }
    }

    /// Adds an alternative spelling as an option of a shorter command.
    pub const fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    /// Sets which process runs it.
    pub const fn host(self, host: HostUse) -> Self {
        Self { host: Some(host), ..self }
    }
}

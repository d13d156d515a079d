//! Operations: everything toolscout can be asked to do, from any surface.
//!
//! An operation has a typed input, a typed output and one `run`. The HTTP route with its OpenAPI entry, the CLI command with its
//! flags and help, the MCP tool and the request over the control socket are all derived from it. Role check, input check,
//! deadline, dry run and redaction wrap `run` once, in [`BoundOperation::invoke`]; changes audit themselves through
//! [`toolscout_core::Cx::change`].
//!
//! The workspace type `W` is what an operation works on. A list of operations is [bound](BoundOperation::new) to one workspace;
//! from then on the surfaces know only [`BoundOperation`]s.

mod bound;
mod command;
mod error;
mod output;
mod request;
mod schema;
mod stream;
#[cfg(test)]
mod tests;

pub use bound::{BoundOperation, Operations, WorkspaceSlot};
pub use command::OperationCommand;
pub use error::{ErrorCode, OperationError};
pub use output::{OperationOutput, Text};
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

/// One thing toolscout can be asked to do.
pub trait Operation<W>: Send + Sync + 'static {
    /// What it takes: becomes flags, path and query parameters, and the request body.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it returns: becomes `--json`, the response body and the OpenAPI schema.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Its name, access level and words.
    const SPEC: OperationSpec;

    /// Does it. A change is announced with [`Cx::change`] before anything is written.
    fn run(
        workspace: &W,
        input: Self::Input,
        cx: &Cx,
    ) -> impl Future<Output = Result<Self::Output, OperationError>> + Send;

    /// The output for people.
    fn text(output: &Self::Output, text: &Text) -> String;

    /// Writes what the command prints with `--json`. A command that lists prints the list itself; what else is in the output (the
    /// next page, notes) is for programs that read it over HTTP, and goes to stderr here.
    fn write_json(output: &Self::Output, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, output)
    }

    /// Whether the command prints its text to stdout. The confirmation of a change is no data, and goes to stderr.
    fn is_data(_: &Self::Output) -> bool {
        !matches!(Self::SPEC.effect, Effect::Change)
    }

    /// The change that a dry run would have made. An operation that shows more in a dry run than a summary of the change
    /// returns its output with the change in it, instead of the error of [`Cx::change`].
    fn planned(_: &Self::Output) -> Option<&PlannedChange> {
        None
    }

    /// The confirmation that follows the text; printed to stderr by commands.
    fn message(_: &Self::Output, _: &Text) -> String {
        String::new()
    }

    /// What the caller should know besides: printed to stderr by commands. The output contains it as well.
    fn warnings(_: &Self::Output) -> &[String] {
        &[]
    }

    /// What explains the output: printed to stderr by commands. The output contains it as well.
    fn notes(_: &Self::Output) -> Vec<String> {
        Vec::new()
    }

    /// The exit code of the command: an operation that checks something may fail although it ran.
    fn exit(_: &Self::Output) -> Exit {
        Exit::Done
    }
}

/// The facts about an operation that its types do not tell.
#[derive(Debug, Clone, Copy)]
pub struct OperationSpec {
    /// Names it in lists and logs: `policy set`.
    pub name: &'static str,
    /// Imperative, one line: `Set the policy of a tool`.
    pub summary: &'static str,
    /// Shown below the options in help.
    pub notes: &'static [&'static str],
    /// The role it needs.
    pub access: Access,
    /// Whether it changes anything.
    pub effect: Effect,
    /// Where it is over HTTP.
    pub route: HttpRoute,
    /// Another path of the same route, if well-known clients look there.
    pub alias: Option<&'static str>,
    /// The media type of its output over HTTP. Anything but JSON is its text for people.
    pub media_type: &'static str,
    /// Its commands; one of the operation's own name if empty. [`CommandName::NONE`] is for an operation without a command.
    pub commands: &'static [CommandName],
    /// Command lines that work; shown in help, run as tests. Of an operation without a command they are HTTP requests: method,
    /// path and body; `{id}` in a path is the id of something that exists.
    pub examples: &'static [&'static str],
    /// Whether its commands ask for a confirmation first.
    pub confirm: Confirm,
    /// Whether it reaches other machines. Its examples are not run as tests.
    pub needs_network: bool,
    /// Which process runs it, if it comes from the command line.
    pub host: HostUse,
    /// How long it may take, unless the request says less.
    pub deadline: Option<Duration>,
    /// The meta tool that offers it to models. Any other operation that only reads becomes an MCP tool if the operator exposes it.
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
            deadline: None,
            meta_tool: None,
        }
    }

    /// An operation that changes nothing, on the command line only: it is about files of the machine it runs on.
    pub const fn local(name: &'static str, summary: &'static str) -> Self {
        Self { access: Access::Operator, ..Self::read(name, summary, "") }
    }

    /// An operation that changes something, on the command line only.
    pub const fn local_change(name: &'static str, summary: &'static str) -> Self {
        Self::change(name, summary, "POST", "")
    }

    /// An operation that changes something, for operators.
    pub const fn change(name: &'static str, summary: &'static str, method: &'static str, path: &'static str) -> Self {
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
    /// None: also requests without a token.
    Open,
    /// Any authenticated client.
    Agent,
    /// A person with operator rights.
    Operator,
}

impl Access {
    /// The word in the OpenAPI document.
    pub fn word(self) -> &'static str {
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
    /// It only reads. It may start a server to ask it something.
    Read,
    /// It changes configuration, decisions or what runs: it leaves one audit line, and a dry run changes nothing.
    Change,
    /// It runs a tool, which may change anything. Calls are audited where they are authorized.
    Call,
}

/// Whether a command asks for a confirmation, after it has shown the output of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// It does not ask.
    Never,
    /// It asks at a terminal, and changes nothing without one; `--yes` confirms.
    Always,
    /// It asks at a terminal if the dry run shows more than a summary; without a terminal it does not ask.
    AtTerminal,
}

/// An MCP tool through which models use an operation. Its input and its output are written for models: they may be read more
/// leniently, and are shorter. `surface::mcp` has that presentation; the operation does the work.
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

/// Whether a command runs in the process that keeps the servers of the project, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostUse {
    /// It runs in its own process.
    Never,
    /// It is forwarded to the host, and runs in its own process if there is none.
    Preferred,
    /// It is about running servers: without a host there is nothing to do.
    Required,
}

/// Where an operation is over HTTP. Input fields named in the path come from there; for GET and DELETE the others come from the
/// query, else from the JSON body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRoute {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'static str,
    /// As the router takes it: `/api/servers/{id}`. An operation with an empty path is on the command line only.
    pub path: &'static str,
    /// The status of a success.
    pub status: u16,
}

/// A command of an operation. Several commands may share one operation, each with some of its input fixed.
#[derive(Debug, Clone, Copy)]
pub struct CommandName {
    /// What to type: `server start`.
    pub name: &'static str,
    /// Imperative, one line; the operation's own summary if empty.
    pub summary: &'static str,
    /// Input fields that this command fixes, as JSON: `("action", "\"start\"")`.
    pub preset: &'static [(&'static str, &'static str)],
    /// Input fields that this command needs although the operation does not.
    pub required: &'static [&'static str],
    /// Which process runs it; the operation's own choice if none.
    pub host: Option<HostUse>,
    /// Another way to type it, as an option of a shorter command: `review --accept`.
    pub alias: Option<&'static str>,
}

impl CommandName {
    /// For operations that are of no use on a command line.
    pub const NONE: &[Self] = &[Self::new("")];

    /// A command with the summary of its operation.
    pub const fn new(name: &'static str) -> Self {
        Self { name, summary: "", preset: &[], required: &[], host: None, alias: None }
    }

    /// With a summary of its own.
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// With these input fields fixed.
    pub const fn preset(self, preset: &'static [(&'static str, &'static str)]) -> Self {
        Self { preset, ..self }
    }

    /// With these input fields required.
    pub const fn required(self, required: &'static [&'static str]) -> Self {
        Self { required, ..self }
    }

    /// Also typed as this option of a shorter command.
    pub const fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    /// Run in this process.
    pub const fn host(self, host: HostUse) -> Self {
        Self { host: Some(host), ..self }
    }
}

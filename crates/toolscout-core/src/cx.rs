//! The context that travels with every request: caller, deadline, identity and trace.

use crate::authorization::PendingApproval;
use crate::event::Observers;
use crate::{BoxFuture, LogSink, OutputSink, ReverseChannel};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The context of one request. Cloning is cheap.
#[derive(Clone)]
pub struct Cx {
    /// When the request must be done; set once, at the surface.
    pub deadline: Option<Instant>,
    /// The surface it came through.
    pub caller: Caller,
    /// The rights of the caller.
    pub role: Role,
    /// The user that the surface has authenticated. Private data of the user is keyed by this.
    pub user: Option<Arc<str>>,
    /// The name of the person who types the commands, for the audit log alone.
    pub account: Option<Arc<str>>,
    /// The name of the access token that the request was sent with, if it has a name. Never the
    /// token itself.
    pub token: Option<Arc<str>>,
    /// The profile that the request is limited to by its token.
    pub profile: Option<Arc<str>>,
    /// Whether the request came from the web UI.
    pub is_ui: bool,
    /// The name and version that the client reports, if any.
    pub client: Option<Arc<str>>,
    /// The session that the request belongs to, if any.
    pub session: Option<Arc<str>>,
    /// The project the request is about.
    pub project: Option<Arc<PathBuf>>,
    /// The working folder of the caller, if it has one on this machine: that of the command line,
    /// or of the process that serves over stdio.
    pub cwd: Option<Arc<PathBuf>>,
    /// Whether the request names no project, in a process that serves several: a session is then
    /// looked up in all of them.
    pub all_projects: bool,
    /// Headers of the request, names in lower case; empty if there are none.
    pub headers: Arc<[(String, String)]>,
    /// W3C trace context, as received: `traceparent`, `tracestate`, `baggage`.
    pub trace: Arc<[(String, String)]>,
    /// The names of the gateways that have forwarded the request, first to last; usually none.
    pub via: Arc<[String]>,
    /// Receives the progress of a long call, if the client wants it.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Receives the log messages of the called tool, if the surface can show them.
    pub log: Option<LogSink>,
    /// Receives the output of a program while it runs, if the surface shows it. The error of a
    /// failed program then omits that output.
    pub output: Option<OutputSink>,
    /// The client's own id of the request, if it has one.
    pub request_id: Option<Arc<str>>,
    /// Values of the application for its tools, by name; see `context.extensions` of modules.
    pub extensions: Arc<Map<String, Value>>,
    /// Asks a user to approve a call, if one can be reached: at a terminal, or through a client
    /// that supports elicitation and that the operator has marked as showing it to a person.
    pub approval_prompt: Option<ApprovalPrompt>,
    /// Set if the client does not answer that prompt during the call, but repeats the call with
    /// its answer, possibly at another process.
    pub approval_answer: Option<ApprovalAnswer>,
    /// The client that made the request, if it accepts reverse requests.
    pub reverse_channel: Option<Arc<dyn ReverseChannel>>,
    /// The observers that receive events about the request.
    pub observers: Observers,
    /// Whether another replica of the fleet has forwarded the call: it is not forwarded again.
    pub is_forwarded: bool,
    /// Whether this is a dry run: [`Cx::change`] refuses to change anything.
    pub dry_run: bool,
    /// Whether the request is a part of a change that emits one audit event for the whole; see
    /// [`crate::change::ChangeGuard::cx`].
    pub in_change: bool,
}

/// The answer of a client that repeats a call with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// The client has not received the question yet.
    Awaited,
    /// The client received the question about this pending approval, and has answered.
    Given {
        /// The id of the pending approval.
        approval_id: Arc<str>,
        /// Whether the user approved the call.
        is_approved: bool,
    },
}

/// Asks a user to approve a call; resolves to whether the user approved it. With
/// [`ApprovalAnswer::Awaited`], a pending approval with an id is in the store, and the result does
/// not count.
pub type ApprovalPrompt = Arc<dyn Fn(PendingApproval) -> BoxFuture<'static, bool> + Send + Sync>;

impl Cx {
    /// A request by this caller, without a deadline.
    pub fn new(caller: Caller) -> Self {
        let no_headers: Arc<[(String, String)]> = Arc::new([]);
        Self {
            deadline: None,
            caller,
            role: if caller == Caller::Cli { Role::Operator } else { Role::Agent },
            user: None,
            account: None,
            token: None,
            profile: None,
            is_ui: false,
            client: None,
            session: None,
            project: None,
            cwd: None,
            all_projects: false,
            headers: no_headers.clone(),
            trace: no_headers,
            via: Arc::new([]),
            progress: None,
            log: None,
            output: None,
            request_id: None,
            extensions: Arc::default(),
            approval_prompt: None,
            approval_answer: None,
            reverse_channel: None,
            observers: Observers::default(),
            is_forwarded: false,
            dry_run: false,
            in_change: false,
        }
    }

    /// The same request, due within this time. A deadline only comes nearer.
    pub fn within(mut self, limit: Duration) -> Self {
        let limit = Instant::now() + limit;
        self.deadline = Some(self.deadline.map_or(limit, |deadline| deadline.min(limit)));
        self
    }

    /// The total time that a client may take to answer all reverse requests of one request.
    pub const REVERSE_REQUEST_LIMIT: Duration = Duration::from_secs(300);

    /// The surface in the words of the audit log: `cli`, `mcp`, `api` or `ui`.
    pub fn surface(&self) -> &'static str {
        match self.caller {
            Caller::Cli => "cli",
            Caller::Mcp => "mcp",
            Caller::Http if self.is_ui => "ui",
            Caller::Http => "api",
        }
    }

    /// The maker of this request in the words of the audit log: `operator ada through cli`.
    pub fn decider(&self) -> String {
        let role = match self.role {
            Role::Operator => "operator",
            Role::Agent => "agent",
            Role::Tool => "tool",
        };
        // An account is that of this machine: it does not name a client on the network.
        let account = self.account.as_deref().filter(|_| self.caller == Caller::Cli);
        let name = self.user.as_deref().or(account).map(|name| format!(" {name}"));
        format!("{role}{} through {}", name.unwrap_or_default(), self.surface())
    }

    /// How much longer than its deadline the request may take, because the time a client takes for
    /// reverse requests does not count. A layer that measures that time extends the deadline by no
    /// more than that; a layer that does not measure it adds the whole amount.
    pub fn reverse_request_allowance(&self) -> Duration {
        if self.reverse_channel.is_some() { Self::REVERSE_REQUEST_LIMIT } else { Duration::ZERO }
    }

    /// The time left; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// The surface that a request came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A person at a command line.
    Cli,
    /// An agent over MCP.
    Mcp,
    /// A program or a web page over HTTP.
    Http,
}

impl Caller {
    /// The name passed to child processes: `cli`, `mcp`, `http`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::Http => "http",
        }
    }

    /// Whether a user typed the request, as opposed to an agent sending it.
    pub fn is_user(self) -> bool {
        self == Self::Cli
    }
}

/// Whether the answer of a client to an elicitation approves a call. The answer may come from a
/// program instead of a person, so the operator decides about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientApprovals {
    /// It never does.
    Never,
    /// It does if the operator's configuration says so.
    #[default]
    AsConfigured,
    /// It does: the token of the client was created for that.
    Always,
}

/// The rights of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Read and call tools, but change and decide nothing: a command that a tool or a server has
    /// started. A command reads what the operator reads, since it runs with the same files.
    Tool,
    /// Find tools and call them.
    Agent,
    /// Also change configuration and decide which tools may be called.
    Operator,
}

/// The progress of a long call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The work done so far. Increases with each report.
    pub done: f64,
    /// The value of `done` at the end, if known.
    pub total: Option<f64>,
    /// A description of the current step.
    pub message: Option<String>,
}

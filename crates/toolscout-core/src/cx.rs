//! Who asks, for how long, and on whose behalf: travels with every request.

use crate::authorization::PendingApproval;
use crate::event::Observers;
use crate::{BoxFuture, Counterpart};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The circumstances of one request. Cloning is cheap.
#[derive(Clone)]
pub struct Cx {
    /// When the request must be done; set once, at the surface.
    pub deadline: Option<Instant>,
    /// The surface it came through.
    pub caller: Caller,
    /// What the caller may do.
    pub role: Role,
    /// Whom the surface has recognised; what is private to them is keyed by this.
    pub user: Option<Arc<str>>,
    /// What the program calls itself that made the request, and its version, where it says so.
    pub client: Option<Arc<str>>,
    /// The conversation that the request is a part of, where there is one.
    pub session: Option<Arc<str>>,
    /// The project the request is about.
    pub project: Option<Arc<PathBuf>>,
    /// Headers of the request, names in lower case; empty where there are none.
    pub headers: Arc<[(String, String)]>,
    /// W3C trace context, as it came: `traceparent`, `tracestate`, `baggage`.
    pub trace: Arc<[(String, String)]>,
    /// Gateways that have passed the request on, by what they call themselves, first to last; usually none.
    pub via: Arc<[String]>,
    /// Told how far a long call is, where somebody listens.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Asks a person about a call that needs their word, where one can be reached: a terminal, a client that can elicit.
    pub asker: Option<ApprovalPrompt>,
    /// Who made the request, where something can be wanted of them before it is done.
    pub counterpart: Option<Arc<dyn Counterpart>>,
    /// Receive events about it.
    pub observers: Observers,
    /// Whether the request only asks what would change: [`Cx::change`] refuses to change anything.
    pub dry_run: bool,
    /// Whether the request is a part of a change that leaves the audit event for all of it; see [`crate::change::ChangeGuard::cx`].
    pub in_change: bool,
}

/// Puts a question to a person; the answer is whether they said yes.
pub type ApprovalPrompt = Arc<dyn Fn(PendingApproval) -> BoxFuture<'static, bool> + Send + Sync>;

impl Cx {
    /// A request by this caller, without a deadline.
    pub fn new(caller: Caller) -> Self {
        let none: Arc<[(String, String)]> = Arc::new([]);
        Self {
            deadline: None,
            caller,
            role: if caller == Caller::Cli { Role::Operator } else { Role::Agent },
            user: None,
            client: None,
            session: None,
            project: None,
            headers: none.clone(),
            trace: none,
            via: Arc::new([]),
            progress: None,
            asker: None,
            counterpart: None,
            observers: Observers::default(),
            dry_run: false,
            in_change: false,
        }
    }

    /// The same request, due in at most this time; never later than it already is.
    pub fn within(mut self, limit: Duration) -> Self {
        let limit = Instant::now() + limit;
        self.deadline = Some(self.deadline.map_or(limit, |it| it.min(limit)));
        self
    }

    /// How long whoever made a request may think about what they are asked in the middle of it, all questions together.
    pub const THINKING: Duration = Duration::from_secs(300);

    /// By how much the request may outlast its deadline: the time in which somebody thinks does not count. Who knows how
    /// long that was adds no more than that; who does not lets it be.
    pub fn patience(&self) -> Duration {
        if self.counterpart.is_some() { Self::THINKING } else { Duration::ZERO }
    }

    /// How long is left; `None` where there is no deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|it| it.saturating_duration_since(Instant::now()))
    }
}

/// The surface that a request came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A person at a command line.
    Cli,
    /// An agent over MCP.
    Mcp,
    /// A program or a page over HTTP.
    Http,
}

impl Caller {
    /// The word children are told: `cli`, `mcp`, `http`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::Http => "http",
        }
    }

    /// Whether this is what a person typed themselves, as opposed to what an agent asked for.
    pub fn is_person(self) -> bool {
        self == Self::Cli
    }
}

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Find tools and call them.
    Agent,
    /// Also change configuration and decide what may be called.
    Operator,
}

/// How far a long call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Grows.
    pub done: f64,
    /// What `done` will be at the end, if known.
    pub total: Option<f64>,
    /// What is under way.
    pub message: Option<String>,
}

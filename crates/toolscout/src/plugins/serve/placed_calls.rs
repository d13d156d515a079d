//! Calls of servers that run on one replica of the fleet: sent to that replica, and run for the
//! others.

use super::projects::Project;
use crate::RunCx;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout_at;
use toolscout_core::cx::Role as CallerRole;
use toolscout_core::{
    Arguments, BoxFuture, Caller, Cx, Digest, RawJson, SourceError, SourceId, ToolCall, ToolId,
    ToolName, ToolOutput,
};
use toolscout_fleet::FleetStore;
use toolscout_gateway::{Error, Gateway};
use toolscout_mcp_client::{ForwardError, ReplicaCalls};
use toolscout_surface::http::{Principal, Role, Routes};
use toolscout_surface::mcp::http::{FleetSessions, ReplicaCallError, ReplicaCallHandler};

/// How much longer than the call another replica may take to report its end.
const SLACK: Duration = Duration::from_secs(1);

/// A call that a replica has authorized, as sent to another one.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallMessage {
    partition: String,
    server: String,
    tool: String,
    arguments: Arguments,
    /// The approved definition.
    expect: Option<Digest>,
    meta: Option<RawJson>,
    caller: String,
    client: Option<String>,
    session: Option<String>,
    trace: Vec<(String, String)>,
    /// The time that is left for the call, in milliseconds.
    limit: u64,
}

/// What became of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ResultMessage {
    Output {
        raw: RawJson,
        warnings: Vec<String>,
    },
    /// The server does not run on that replica.
    NotRun,
    Busy {
        what: String,
        after: Option<u64>,
    },
    TimedOut {
        what: String,
        limit: u64,
    },
    Answered {
        code: i64,
        message: String,
        data: Option<RawJson>,
    },
    Protocol {
        reason: String,
    },
    Invalid {
        reason: String,
    },
    Refused {
        reason: String,
    },
    Changed,
    Login {
        what: String,
    },
    Unavailable {
        what: String,
    },
}

/// Sends calls to the other replicas.
pub(super) struct PlacedCalls {
    store: Arc<FleetStore>,
    sessions: Arc<FleetSessions>,
}

impl PlacedCalls {
    pub(super) fn new(store: Arc<FleetStore>, sessions: Arc<FleetSessions>) -> Self {
        Self { store, sessions }
    }
}

impl ReplicaCalls for PlacedCalls {
    fn reachable(&self, labels: &[String]) -> Vec<String> {
        let own = self.store.id();
        let live = self.store.live_replicas().into_iter();
        let suits = live.filter(|replica| {
            let is_open = replica.address.is_some() && !replica.is_draining;
            is_open && replica.id != own && labels.iter().all(|it| replica.labels.contains(it))
        });
        suits.map(|replica| replica.id).collect()
    }

    fn send<'a>(
        &'a self,
        replica: &'a str,
        partition: &'a str,
        call: &'a ToolCall,
        cx: &'a Cx,
        deadline: Instant,
    ) -> BoxFuture<'a, Result<ToolOutput, ForwardError>> {
        Box::pin(async move {
            let id = &call.tool.source;
            // This process discovers the server now, or has just stopped it.
            if replica == self.store.id() {
                return Err(ForwardError::NotRun);
            }
            let unavailable = |what: &str| {
                let (id, what) = (id.clone(), what.to_owned());
                ForwardError::Failed(SourceError::Unavailable { id, what })
            };
            if call.resume.is_some() {
                return Err(unavailable("it runs on another replica, which cannot ask the client"));
            }
            let message = CallMessage::new(partition, call, cx, deadline);
            let message = serde_json::to_vec(&message);
            let message = message.map_err(|_| unavailable("the call cannot be forwarded"))?;
            let principal = principal(cx);
            let sending = self.sessions.send_call(replica, &principal, &message);
            let Ok(sent) = timeout_at((deadline + SLACK).into(), sending).await else {
                let what = "the call on another replica".to_owned();
                let limit = cx.remaining().unwrap_or_default();
                return Err(ForwardError::Failed(SourceError::TimedOut {
                    id: id.clone(),
                    what,
                    limit,
                }));
            };
            let received = sent.map_err(|error| match error {
                ReplicaCallError::NotSent => ForwardError::NotRun,
                ReplicaCallError::Lost => {
                    unavailable("the replica that ran the call is gone; the call may have run")
                }
            })?;
            let result: ResultMessage = serde_json::from_slice(&received)
                .map_err(|_| unavailable("the response of another replica cannot be read"))?;
            result.into_output(id, &call.tool.name)
        })
    }
}

/// The client, as this replica has authenticated it.
fn principal(cx: &Cx) -> Principal {
    let role = if cx.role == CallerRole::Operator { Role::Operator } else { Role::Agent };
    let mut principal = Principal::new(cx.user.clone(), role);
    principal.token.clone_from(&cx.token);
    principal
}

impl CallMessage {
    fn new(partition: &str, call: &ToolCall, cx: &Cx, deadline: Instant) -> Self {
        let limit = deadline.saturating_duration_since(Instant::now());
        Self {
            partition: partition.to_owned(),
            server: call.tool.source.to_string(),
            tool: call.tool.name.to_string(),
            arguments: call.arguments.clone(),
            expect: call.expect,
            meta: call.meta.clone(),
            caller: cx.caller.as_str().to_owned(),
            client: cx.client.as_deref().map(str::to_owned),
            session: cx.session.as_deref().map(str::to_owned),
            trace: cx.trace.to_vec(),
            limit: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn call(self) -> Option<ToolCall> {
        let tool = ToolId::new(SourceId::new(&self.server).ok()?, ToolName::new(&self.tool).ok()?);
        let call = ToolCall::new(tool, self.arguments);
        Some(ToolCall { expect: self.expect, meta: self.meta, ..call })
    }
}

impl ResultMessage {
    fn of(result: Result<ToolOutput, Error>) -> Self {
        let error = match result {
            Ok(output) => {
                let warnings = output.warnings().to_vec();
                return Self::Output { raw: output.raw().clone(), warnings };
            }
            Err(Error::Source(error)) => error,
            Err(other) => return Self::Refused { reason: other.to_string() },
        };
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match error {
            SourceError::Busy { what, after, .. } => Self::Busy { what, after: after.map(millis) },
            SourceError::TimedOut { what, limit, .. } => {
                Self::TimedOut { what, limit: millis(limit) }
            }
            SourceError::Answered { code, message, data, .. } => {
                Self::Answered { code, message, data }
            }
            SourceError::Protocol { reason, .. } => Self::Protocol { reason },
            SourceError::Invalid { reason } => Self::Invalid { reason },
            SourceError::Refused { reason } => Self::Refused { reason },
            SourceError::Changed { .. } => Self::Changed,
            SourceError::Login { what, .. } => Self::Login { what },
            SourceError::Unavailable { what, .. } => Self::Unavailable { what },
            other => Self::Unavailable { what: other.to_string() },
        }
    }

    fn into_output(self, id: &SourceId, name: &ToolName) -> Result<ToolOutput, ForwardError> {
        let id = id.clone();
        let error = match self {
            Self::NotRun => return Err(ForwardError::NotRun),
            Self::Output { raw, warnings } => {
                let output = ToolOutput::from_raw(raw).map_err(|reason| {
                    let reason = format!("`{name}` returned an invalid result: {reason}");
                    ForwardError::Failed(SourceError::Protocol { id, reason })
                })?;
                return Ok(output.with_warnings(warnings));
            }
            Self::Busy { what, after } => {
                SourceError::Busy { id, what, after: after.map(Duration::from_millis) }
            }
            Self::TimedOut { what, limit } => {
                SourceError::TimedOut { id, what, limit: Duration::from_millis(limit) }
            }
            Self::Answered { code, message, data } => {
                SourceError::Answered { id, code, message, data }
            }
            Self::Protocol { reason } => SourceError::Protocol { id, reason },
            Self::Invalid { reason } => SourceError::Invalid { reason },
            Self::Refused { reason } => SourceError::Refused { reason },
            Self::Changed => SourceError::Changed { id, name: name.to_string() },
            Self::Login { what } => SourceError::Login { id, what },
            Self::Unavailable { what } => SourceError::Unavailable { id, what },
        };
        Err(ForwardError::Failed(error))
    }
}

/// The route for calls that other replicas have authorized.
pub(super) fn routes(projects: &[Project]) -> Routes {
    let projects = projects.iter().map(|project| ServedProject {
        cx: project.cx.clone(),
        gateway: project.mcp.gateway().clone(),
    });
    FleetSessions::call_routes(Arc::new(CallRunner(projects.collect())))
}

/// Runs the calls of other replicas.
struct CallRunner(Vec<ServedProject>);

struct ServedProject {
    cx: RunCx,
    gateway: Arc<Gateway>,
}

impl ReplicaCallHandler for CallRunner {
    fn run(&self, principal: Principal, message: Vec<u8>) -> BoxFuture<'_, Vec<u8>> {
        Box::pin(async move {
            let result = match serde_json::from_slice(&message) {
                Ok(message) => self.result(principal, message).await,
                // Of another version.
                Err(_) => ResultMessage::NotRun,
            };
            serde_json::to_vec(&result).unwrap_or_default()
        })
    }
}

impl CallRunner {
    async fn result(&self, principal: Principal, message: CallMessage) -> ResultMessage {
        let found = self.0.iter().find_map(|project| {
            let workspace = project.cx.workspace();
            let is_this = workspace.config().partition() == message.partition;
            let servers = is_this.then(|| workspace.servers())?;
            Some((project, servers.source(&message.server).ok()?.clone()))
        });
        let Some((project, source)) = found else { return ResultMessage::NotRun };
        let cx = project.request(principal, &message);
        let Some(call) = message.call() else { return ResultMessage::NotRun };
        // Running it here takes the lease; the call then uses the running server.
        let _hold = match source.hold(&cx).await {
            Ok(Some(hold)) => hold,
            Ok(None) => return ResultMessage::NotRun,
            Err(error) => return ResultMessage::of(Err(error.into())),
        };
        ResultMessage::of(project.gateway.call_forwarded(call, cx).await)
    }
}

impl ServedProject {
    /// The context of the call, on behalf of the client that the other replica has authenticated.
    fn request(&self, principal: Principal, message: &CallMessage) -> Cx {
        let is_operator = principal.role == Role::Operator;
        Cx {
            caller: if message.caller == Caller::Http.as_str() {
                Caller::Http
            } else {
                Caller::Mcp
            },
            role: if is_operator { CallerRole::Operator } else { CallerRole::Agent },
            user: principal.name,
            token: principal.token,
            client: message.client.as_deref().map(Into::into),
            session: message.session.as_deref().map(Into::into),
            trace: message.trace.clone().into(),
            approval_prompt: None,
            cwd: None,
            is_forwarded: true,
            ..self.cx.request()
        }
        .within(Duration::from_millis(message.limit))
    }
}

//! What only the app can do: it knows files, processes and settings, and the API does not.

use super::Trouble;
use super::servers::{Action, Logs, NewServer, Server, ServerChange};
use crate::ops::servers::Tested;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, SourceId, Tool};
use toolscout_gateway::Gateway;
use toolscout_telemetry::audit::{AuditPage, AuditQuery, AuditVerification};
use toolscout_telemetry::stats::{PinSuggestions, UsageStats};
use toolscout_gateway::policy::PolicyUpdate;

/// What came of something that was asked for at the desk.
pub type Done<'a, T> = BoxFuture<'a, Result<T, Trouble>>;

/// How the last discovery of a server went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// `never`, `discovering`, `success` or `failed`.
    pub status: &'static str,
    /// RFC 3339; none where there was none.
    pub last: Option<String>,
}

/// What only the app can do. Nothing here is asked for by who may not have it done: the table of routes has looked.
pub trait Desk: Send + Sync + 'static {
    /// What requests see and call.
    fn gateway(&self) -> Arc<Gateway>;

    /// What is decided about: everything, whatever part of it requests see.
    fn everything(&self) -> Arc<Gateway>;

    /// The circumstances every request begins with: the project, who looks on.
    fn request(&self) -> Cx;

    /// Stands for the project in addresses; never another's.
    fn project_id(&self) -> String;

    /// What people call the project.
    fn project_name(&self) -> String;

    /// Whether everything that is configured was read, so that what is not there is not there.
    fn is_ready(&self) -> bool {
        true
    }

    /// All servers, and how they are. Starts nothing.
    fn servers(&self, cx: Cx) -> Done<'_, Vec<Server>>;

    /// How the last discovery of each server went, in as little time as it can be found out.
    fn discoveries(&self, cx: &Cx) -> BTreeMap<SourceId, Discovery>;

    /// What the servers that run here have listed since they were started, by server.
    fn live(&self) -> BTreeMap<SourceId, Vec<Arc<Tool>>>;

    /// Adds a server, as nobody's whom anybody trusts: each of its tools waits for a person.
    fn add_server(&self, server: NewServer, cx: Cx) -> Done<'_, Server>;

    /// Changes a server's entry. What runs something else than before is trusted no more.
    fn change_server(&self, id: SourceId, change: ServerChange, cx: Cx) -> Done<'_, Server>;

    /// Takes a server out of the configuration, and forgets its tools.
    fn remove_server(&self, id: SourceId, cx: Cx) -> Done<'_, ()>;

    /// Begins to start, stop or restart a server, or turns it on or off.
    fn control_server(&self, id: SourceId, action: Action, cx: Cx) -> Done<'_, ()>;

    /// Starts a server apart from the one that may run, asks it for its tools, and ends it.
    fn test_server(&self, id: SourceId, cx: Cx) -> Done<'_, Tested>;

    /// Begins to ask a server for its tools; where somebody waits, done when it has answered.
    fn refresh_server(&self, id: SourceId, waits: bool, cx: Cx) -> Done<'_, ()>;

    /// The last a server said beside the protocol.
    fn logs(&self, id: SourceId) -> Done<'_, Logs>;

    /// Writes a policy of the user's or the project's level into its file, and has that read again.
    fn write_policy(&self, update: PolicyUpdate) -> Done<'_, ()>;

    /// What agents and people did, the newest first.
    fn timeline(&self, _: AuditQuery) -> Done<'_, AuditPage> {
        Box::pin(async { Ok(AuditPage::default()) })
    }

    /// What was called and decided, the newest first.
    fn audit(&self, _: AuditQuery) -> Done<'_, AuditPage> {
        Box::pin(async { Ok(AuditPage::default()) })
    }

    /// Whether the record is as it was written.
    fn verify(&self) -> Done<'_, AuditVerification> {
        Box::pin(async { Ok(AuditVerification { sound: true, ..AuditVerification::default() }) })
    }

    /// What tools have cost and saved, since then.
    fn stats(&self, _: Option<String>) -> Done<'_, UsageStats> {
        Box::pin(async { Ok(UsageStats::default()) })
    }

    /// Which tools agents would better see without searching.
    fn pins(&self, _: Option<String>) -> Done<'_, PinSuggestions> {
        Box::pin(async { Ok(PinSuggestions::default()) })
    }

    /// What is counted, in the text format of Prometheus.
    fn metrics(&self) -> String {
        String::new()
    }
}

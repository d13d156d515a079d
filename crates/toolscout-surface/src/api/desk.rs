//! What only the app can do: it knows files, processes and settings, and the API does not.

use super::OperationError;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, SourceId, Tool};
use toolscout_gateway::Gateway;

/// What came of something that was asked for at the desk.
pub type Done<'a, T> = BoxFuture<'a, Result<T, OperationError>>;

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

    /// How the last discovery of each server went, in as little time as it can be found out.
    fn discoveries(&self, cx: &Cx) -> BTreeMap<SourceId, Discovery>;

    /// What the servers that run here have listed since they were started, by server.
    fn live(&self) -> BTreeMap<SourceId, Vec<Arc<Tool>>>;

    /// What is counted, in the text format of Prometheus.
    fn metrics(&self) -> String {
        String::new()
    }
}

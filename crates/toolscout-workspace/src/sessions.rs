//! The sessions of connected clients.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toolscout_core::Cx;
use toolscout_core::cx::Role;
use toolscout_surface::mcp::SessionInfo;

/// The maximum number of sessions created over the API; the oldest is evicted.
const LIMIT: usize = 1_000;

/// Sessions of this process.
#[derive(Default)]
pub struct Sessions {
    api_sessions: Mutex<BTreeMap<String, SessionInfo>>,
    /// Lists the sessions over MCP.
    list_mcp_sessions: OnceLock<Box<dyn Fn() -> Vec<SessionInfo> + Send + Sync>>,
}

impl Sessions {
    /// Adds a list of sessions of clients that are connected over MCP.
    pub fn set_mcp_sessions(&self, list: impl Fn() -> Vec<SessionInfo> + Send + Sync + 'static) {
        let _ = self.list_mcp_sessions.set(Box::new(list));
    }

    pub(crate) fn add(&self, session: SessionInfo) {
        let mut api_sessions = self.api_sessions.lock();
        if api_sessions.len() >= LIMIT {
            let oldest = api_sessions
                .values()
                .min_by_key(|session| session.created.clone())
                .map(|session| session.id.clone());
            oldest.and_then(|id| api_sessions.remove(&id));
        }
        api_sessions.insert(session.id.clone(), session);
    }

    /// Removes a session that was created over the API; false if there is none.
    pub(crate) fn remove(&self, id: &str) -> bool {
        self.api_sessions.lock().remove(id).is_some()
    }

    /// The sessions that the caller may see: all for an operator, otherwise the caller's own.
    pub(crate) fn visible(&self, cx: &Cx) -> Vec<SessionInfo> {
        let mut all: Vec<_> = self.api_sessions.lock().values().cloned().collect();
        all.extend(self.list_mcp_sessions.get().map(|list| list()).unwrap_or_default());
        all.retain(|session| cx.role == Role::Operator || session.owner == cx.user);
        all.sort_by(|one, other| (&one.created, &one.id).cmp(&(&other.created, &other.id)));
        all
    }
}

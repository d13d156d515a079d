//! Determines which searches, calls and feedback records belong together.

use crate::Gateway;
use std::sync::Arc;
use toolscout_core::{Caller, Cx};

/// The header with the id of a session of the older, stateful protocol.
const SESSION: &str = "mcp-session-id";

/// The owner of searches and calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FeedbackOwner {
    /// The tenant or user that shares feedback records; all anonymous requests share one.
    pub(crate) tenant: Arc<str>,
    /// The conversation. A call is attributed only to searches of the same conversation.
    pub(crate) conversation: Arc<str>,
    /// Whether the search and the call may come from two processes.
    pub(crate) is_at_terminal: bool,
}

impl Gateway {
    /// The owner of a request. It depends on all request keys and on the user, so that requests
    /// which see different tools share nothing.
    pub(crate) fn owner(&self, cx: &Cx) -> FeedbackOwner {
        let tenant: Arc<str> = match (self.requester_hash(cx), &cx.user) {
            (None, None) => "everybody".into(),
            (keys, user) => hashed(&serde_json::json!([user.as_deref(), keys])).into(),
        };
        let session =
            cx.headers.iter().find(|(name, _)| name == SESSION).map(|(_, value)| value.as_str());
        let parts = [Some(self.learning.partition()), Some(cx.caller.as_str()), session];
        let conversation = hashed(&serde_json::json!([&*tenant, parts])).into();
        FeedbackOwner { tenant, conversation, is_at_terminal: cx.caller == Caller::Cli }
    }
}

fn hashed(all: &serde_json::Value) -> String {
    blake3::hash(all.to_string().as_bytes()).to_hex()[..32].to_owned()
}

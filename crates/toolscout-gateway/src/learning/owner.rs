//! Whose questions, calls and lessons belong together.

use crate::Gateway;
use std::sync::Arc;
use toolscout_core::{Caller, Cx};

/// Where a session of the old era says which it is.
const SESSION: &str = "mcp-session-id";

/// Who asks and calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FeedbackOwner {
    /// Who learns: a tenant, a user, or everybody who is nobody in particular.
    pub(crate) whose: Arc<str>,
    /// Who is talking. What is called here follows what was asked here, and nothing that was asked elsewhere.
    pub(crate) talk: Arc<str>,
    /// Whether question and call may come from two processes.
    pub(crate) is_at_terminal: bool,
}

impl Gateway {
    /// Whose a request is: under all keys that make it somebody's own, and under the user, so that no two who see different
    /// tools share anything.
    pub(crate) fn owner(&self, cx: &Cx) -> FeedbackOwner {
        let whose: Arc<str> = match (self.whose(cx), &cx.user) {
            (None, None) => "everybody".into(),
            (keys, user) => hashed(&serde_json::json!([user.as_deref(), keys])).into(),
        };
        let session = cx.headers.iter().find(|(name, _)| name == SESSION).map(|(_, value)| value.as_str());
        let place = [Some(self.learning.partition()), Some(cx.caller.word()), session];
        let talk = hashed(&serde_json::json!([&*whose, place])).into();
        FeedbackOwner { whose, talk, is_at_terminal: cx.caller == Caller::Cli }
    }
}

fn hashed(all: &serde_json::Value) -> String {
    blake3::hash(all.to_string().as_bytes()).to_hex()[..32].to_owned()
}

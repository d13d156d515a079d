//! Authorization: every call of every surface passes here, and sources accept only authorized
//! calls.

use crate::{Arguments, Caller, Digest, Moment, Status, Tool, ToolCall, ToolId, ToolName, escape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;

/// A value that passed [`authorize`]. Nothing else can construct one, so nothing else can make a
/// source act.
#[derive(Debug, Clone, PartialEq)]
pub struct Authorized<T>(T);

impl<T> Authorized<T> {
    /// A reference to the authorized value.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// Consumes the wrapper and returns the authorized value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Authorized<ToolCall> {
    /// The same call under the name that its own source uses for the tool; for layers that rename.
    /// A digest is bound to the name, so the caller passes a new expected digest: that of the same
    /// definition under the new name.
    pub fn renamed(mut self, name: ToolName, expect: Option<Digest>) -> Self {
        self.0.tool.name = name;
        self.0.expect = expect;
        self
    }
}

/// What callers may do with a tool. Later variants are stricter.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The call runs.
    #[default]
    Allow,
    /// The call runs after a user has approved it.
    Ask,
    /// The tool is listed, and a call is refused with the reason.
    Deny,
    /// The tool is neither listed nor callable.
    Disable,
}

impl Policy {
    /// All policies, least strict first.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Ask, Self::Deny, Self::Disable];

    /// The name in configuration: `allow`, `ask`, `deny`, `disable`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Disable => "disable",
        }
    }

    /// Parses a name as written in configuration. Other spellings return none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name)
    }
}

/// Facts about a call that the call itself does not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationContext {
    /// The surface the call came through.
    pub caller: Caller,
    /// The policy in force for the tool.
    pub policy: Policy,
    /// The reason for the policy, as a continuation of "is denied": `by the project's rule …`.
    pub reason: String,
    /// Whether a user has trusted the tool's source to run code.
    pub trusted: bool,
    /// Whether a user approved exactly this call. Satisfies [`Policy::Ask`] and no other check.
    pub approved: bool,
    /// The digest of the tool's definition, if it is already computed; otherwise it is computed
    /// here.
    pub digest: Option<Digest>,
}

impl AuthorizationContext {
    /// An allowed call of a trusted source; change the fields from there.
    pub fn new(caller: Caller) -> Self {
        let reason = "by policy".to_owned();
        Self { caller, policy: Policy::Allow, reason, trusted: true, approved: false, digest: None }
    }
}

/// A call that waits for approval, and everything that the approval is bound to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    /// The id for `toolscout approve` and `toolscout reject`.
    pub id: String,
    /// The tool, as `source/name`.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub tool: ToolId,
    /// The digest of its definition.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub digest: Digest,
    /// All arguments; secrets are redacted.
    pub arguments: Value,
    /// Arguments after `--` on the command line, passed to the tool's program.
    #[serde(rename = "extraArguments")]
    pub rest: Vec<String>,
    /// The surface the call came through.
    #[serde(serialize_with = "caller_name")]
    #[schemars(with = "String")]
    pub caller: Caller,
    /// The authenticated user.
    #[serde(serialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub user: Option<Arc<str>>,
    /// The name and version that the client reports; the client may claim any.
    #[serde(serialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub client: Option<Arc<str>>,
    /// When the approval was requested; RFC 3339.
    #[serde(rename = "requestedAt", serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub requested_at: Moment,
    /// When the request expires; RFC 3339.
    #[serde(rename = "expiresAt", serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub expires: Moment,
    /// True if approved, false if rejected, null while pending.
    pub approved: Option<bool>,
}

fn as_text<S: Serializer>(
    value: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn optional_text<S: Serializer>(text: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}

fn caller_name<S: Serializer>(caller: &Caller, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(caller.as_str())
}

/// The reason why a call was not authorized.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorizationError {
    /// The tool is disabled.
    #[error("`{}` is disabled {}", escape::line(tool), escape::line(reason))]
    Disabled {
        /// The tool.
        tool: String,
        /// The reason, as a continuation of "is disabled".
        reason: String,
    },
    /// A policy, a policy mode or a user denied the call.
    #[error("`{}` is denied {}", escape::line(tool), escape::line(reason))]
    Denied {
        /// The tool.
        tool: String,
        /// The reason, as a continuation of "is denied".
        reason: String,
    },
    /// The call needs an approval, and there is none yet.
    #[error("`{}` needs approval", escape::line(tool))]
    NeedsApproval {
        /// The tool.
        tool: String,
        /// The id of the pending approval, if one could be stored.
        approval_id: Option<String>,
    },
    /// The definition is quarantined until a user has reviewed it.
    #[error("`{}` is quarantined: {}", escape::line(tool), escape::line(reason))]
    Quarantined {
        /// The tool.
        tool: String,
        /// The finding to review.
        reason: String,
    },
    /// No user has trusted this source to run code.
    #[error("`{}` comes from a folder that is not trusted yet", escape::line(tool))]
    Untrusted {
        /// The tool.
        tool: String,
    },
    /// The definition is not the one that the caller has read.
    #[error("the definition of `{}` has changed since the caller read it", escape::line(tool))]
    Changed {
        /// The tool.
        tool: String,
    },
    /// The call names another tool than the one that was looked up for it.
    #[error("the call names `{}`, but another tool was looked up for it", escape::line(tool))]
    AnotherTool {
        /// The tool that the call names.
        tool: String,
    },
}

/// Authorizes the call, or returns the reason why not. This is a pure function: the caller supplies
/// policy, trust and approval.
pub fn authorize(
    call: ToolCall,
    tool: &Tool,
    context: AuthorizationContext,
) -> Result<Authorized<ToolCall>, AuthorizationError> {
    match refusal(&call, tool, &context) {
        Some(refusal) => Err(refusal),
        None => Ok(Authorized(call)),
    }
}

/// Like [`authorize`], but `check` completes the arguments, and the call is bound to a definition,
/// so that a source whose live definition differs can refuse it. The arguments of a refused call
/// are not checked.
pub fn authorize_checked<E: From<AuthorizationError>>(
    mut call: ToolCall,
    tool: &Tool,
    context: &AuthorizationContext,
    bound_to: Option<Digest>,
    check: impl FnOnce(Arguments) -> Result<Arguments, E>,
) -> Result<Authorized<ToolCall>, E> {
    if let Some(refusal) = refusal(&call, tool, context) {
        return Err(refusal.into());
    }
    call.arguments = check(call.arguments)?;
    call.expect = bound_to;
    Ok(Authorized(call))
}

/// The reason why this call is refused, if it is. Reasons that no approval could change come first.
pub fn refusal(
    call: &ToolCall,
    tool: &Tool,
    context: &AuthorizationContext,
) -> Option<AuthorizationError> {
    // Nearly every call is authorized, so the strings are only built for a refusal.
    let (name, reason) = (|| tool.id.to_string(), || context.reason.clone());
    if call.tool != tool.id {
        return Some(AuthorizationError::AnotherTool { tool: call.tool.to_string() });
    }
    if context.policy == Policy::Disable {
        return Some(AuthorizationError::Disabled { tool: name(), reason: reason() });
    }
    // Quarantine has no exception: neither for a user at a terminal, nor in allow-all mode.
    if let Status::Quarantined(reason) = &tool.status {
        return Some(AuthorizationError::Quarantined { tool: name(), reason: reason.clone() });
    }
    if call.expect.is_some_and(|expect| expect != context.digest.unwrap_or_else(|| tool.digest())) {
        return Some(AuthorizationError::Changed { tool: name() });
    }
    match context.policy {
        Policy::Deny => Some(AuthorizationError::Denied { tool: name(), reason: reason() }),
        // Commands that a user types run untrusted code, as with make or npm; calls by agents need
        // a trusted source.
        _ if !context.trusted && !context.caller.is_user() => {
            Some(AuthorizationError::Untrusted { tool: name() })
        }
        Policy::Ask if !context.approved => {
            Some(AuthorizationError::NeedsApproval { tool: name(), approval_id: None })
        }
        _ => None,
    }
}

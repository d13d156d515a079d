//! Authorization: every call of every surface passes here, and sources take only what comes out.

use crate::{Arguments, Caller, Digest, Moment, Status, Tool, ToolCall, ToolId, ToolName, escape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;

/// What [`authorize`] has let through. Nothing else can make one, so nothing else can make a source act.
#[derive(Debug, Clone, PartialEq)]
pub struct Authorized<T>(T);

impl<T> Authorized<T> {
    /// What was let through.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What was let through, to keep.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Authorized<ToolCall> {
    /// The same call under the name its own source knows the tool by; for layers that rename. A digest is bound to the
    /// name, so what is expected is said anew: the digest of the same definition under that name.
    pub fn renamed(mut self, name: ToolName, expect: Option<Digest>) -> Self {
        self.0.tool.name = name;
        self.0.expect = expect;
        self
    }
}

/// What may be done with a tool; later ones are tighter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Runs.
    #[default]
    Allow,
    /// Runs when a person says yes.
    Ask,
    /// Is listed, and refused with the reason.
    Deny,
    /// Is not there at all.
    Disable,
}

impl Policy {
    /// All of them, loosest first.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Ask, Self::Deny, Self::Disable];

    /// The word people write: `allow`, `ask`, `deny`, `disable`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Disable => "disable",
        }
    }

    /// The policy that people write this way; nothing else is one.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

/// What is known about this call besides the call itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationContext {
    /// Who asks.
    pub caller: Caller,
    /// What holds for the tool.
    pub policy: Policy,
    /// Why that holds, so that it reads on from "is denied": `by the project's rule …`.
    pub because: String,
    /// Whether a person said that what this source holds may run.
    pub trusted: bool,
    /// Whether a person said yes to exactly this call; authorizes what must be approved, and nothing else.
    pub approved: bool,
    /// The digest of the tool's definition, where it was taken before; it is taken here otherwise.
    pub digest: Option<Digest>,
}

impl AuthorizationContext {
    /// Nothing speaks against it: allowed, of a trusted source; change the fields from there.
    pub fn of(caller: Caller) -> Self {
        let because = "by policy".to_owned();
        Self { caller, policy: Policy::Allow, because, trusted: true, approved: false, digest: None }
    }
}

/// A call that waits for approval, and everything that the approval is bound to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    /// `toolscout approve ID` approves it.
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
    /// Command-line words for the tool's own program.
    pub rest: Vec<String>,
    /// The surface the call came through.
    #[serde(serialize_with = "caller_word")]
    #[schemars(with = "String")]
    pub caller: Caller,
    /// The authenticated user.
    #[serde(serialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub user: Option<Arc<str>>,
    /// When the call was made.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub asked: Moment,
    /// When an answer no longer counts.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub expires: Moment,
    /// Whether it was approved or rejected; none while it is pending.
    pub answer: Option<bool>,
}

fn as_text<S: Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn optional_text<S: Serializer>(text: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}

fn caller_word<S: Serializer>(caller: &Caller, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(caller.word())
}

/// Why a call was not authorized.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorizationError {
    /// The tool is switched off.
    #[error("`{}` is disabled {}", escape::line(tool), escape::line(because))]
    Disabled {
        /// Which tool.
        tool: String,
        /// By whom or what.
        because: String,
    },
    /// A policy, a mode or a person says no.
    #[error("`{}` is denied {}", escape::line(tool), escape::line(because))]
    Denied {
        /// Which tool.
        tool: String,
        /// By whom or what.
        because: String,
    },
    /// A person has to be asked, and nobody has answered yet.
    #[error("`{}` asks for approval", escape::line(tool))]
    NeedsApproval {
        /// Which tool.
        tool: String,
        /// The question that waits for an answer, where one could be kept.
        question: Option<String>,
    },
    /// Nobody may use this definition before a person has looked at it.
    #[error("`{}` is quarantined: {}", escape::line(tool), escape::line(reason))]
    Quarantined {
        /// Which tool.
        tool: String,
        /// What there is to see.
        reason: String,
    },
    /// Nobody said that this source's code may run.
    #[error("`{}` comes from a folder that is not trusted yet", escape::line(tool))]
    Untrusted {
        /// Which tool.
        tool: String,
    },
    /// The definition is not the one the caller has read.
    #[error("`{}` has changed since it was read", escape::line(tool))]
    Changed {
        /// Which tool.
        tool: String,
    },
    /// The call names another tool than the one that was looked up for it.
    #[error("a call of `{}` cannot be let through as one of another tool", escape::line(tool))]
    AnotherTool {
        /// Which tool the call names.
        tool: String,
    },
}

/// Lets the call through, or says why not. Pure: who knows policies, trust and approvals brings them along.
pub fn authorize(
    call: ToolCall,
    tool: &Tool,
    now: AuthorizationContext,
) -> Result<Authorized<ToolCall>, AuthorizationError> {
    match refusal(&call, tool, &now) {
        Some(refusal) => Err(refusal),
        None => Ok(Authorized(call)),
    }
}

/// As [`authorize`], with arguments that `check` completes, and bound to a definition, so that a source whose live definition
/// differs can refuse it. Arguments of a call that is refused anyway are not checked.
pub fn authorize_checked<E: From<AuthorizationError>>(
    mut call: ToolCall,
    tool: &Tool,
    now: &AuthorizationContext,
    bound_to: Option<Digest>,
    check: impl FnOnce(Arguments) -> Result<Arguments, E>,
) -> Result<Authorized<ToolCall>, E> {
    if let Some(refusal) = refusal(&call, tool, now) {
        return Err(refusal.into());
    }
    call.arguments = check(call.arguments)?;
    call.expect = bound_to;
    Ok(Authorized(call))
}

/// Why this call would not be let through, if so. What no answer of a person could change comes first.
pub fn refusal(call: &ToolCall, tool: &Tool, now: &AuthorizationContext) -> Option<AuthorizationError> {
    // Nearly every call is let through: nothing is written for it.
    let (name, because) = (|| tool.id.to_string(), || now.because.clone());
    if call.tool != tool.id {
        return Some(AuthorizationError::AnotherTool { tool: call.tool.to_string() });
    }
    if now.policy == Policy::Disable {
        return Some(AuthorizationError::Disabled { tool: name(), because: because() });
    }
    // Nobody is let past this: neither a person at a terminal, nor a mode that allows all.
    if let Status::Quarantined(reason) = &tool.status {
        return Some(AuthorizationError::Quarantined { tool: name(), reason: reason.clone() });
    }
    if call.expect.is_some_and(|it| it != now.digest.unwrap_or_else(|| tool.digest())) {
        return Some(AuthorizationError::Changed { tool: name() });
    }
    match now.policy {
        Policy::Deny => Some(AuthorizationError::Denied { tool: name(), because: because() }),
        // What people type themselves runs, as with make or npm; what agents ask for needs somebody's trust.
        _ if !now.trusted && !now.caller.is_person() => Some(AuthorizationError::Untrusted { tool: name() }),
        Policy::Ask if !now.approved => Some(AuthorizationError::NeedsApproval { tool: name(), question: None }),
        _ => None,
    }
}

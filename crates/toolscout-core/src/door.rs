//! The one door: every call of every surface passes here, and sources take only what comes out.

use crate::{Caller, Tool, ToolCall, ToolName};

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
    /// The same call under the name its own source knows the tool by; for layers that rename.
    pub fn renamed(mut self, name: ToolName) -> Self {
        self.0.tool.name = name;
        self
    }
}

/// What may be done with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

/// What is known about this call besides the call itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// Who asks.
    pub caller: Caller,
    /// What holds for the tool.
    pub policy: Policy,
    /// Whether a person said that what this source holds may run.
    pub trusted: bool,
}

/// Why the door stayed shut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A policy says no.
    #[error("`{tool}` is denied by policy")]
    Denied {
        /// Which tool.
        tool: String,
    },
    /// A person has to be asked, and nobody was.
    #[error("`{tool}` asks for approval")]
    NeedsApproval {
        /// Which tool.
        tool: String,
    },
    /// Nobody said that this source's code may run.
    #[error("`{tool}` comes from a place nobody has trusted yet")]
    Untrusted {
        /// Which tool.
        tool: String,
    },
    /// The definition is not the one the caller has read.
    #[error("`{tool}` has changed since it was read")]
    Changed {
        /// Which tool.
        tool: String,
    },
}

/// Lets the call through, or says why not. Pure: who knows policies, trust and approvals brings them along.
pub fn authorize(call: ToolCall, tool: &Tool, now: Circumstances) -> Result<Authorized<ToolCall>, Refusal> {
    let name = || tool.id.to_string();
    if call.expect.is_some_and(|it| it != tool.digest()) {
        return Err(Refusal::Changed { tool: name() });
    }
    match now.policy {
        Policy::Deny | Policy::Disable => Err(Refusal::Denied { tool: name() }),
        Policy::Ask => Err(Refusal::NeedsApproval { tool: name() }),
        // What people type themselves runs, as with make or npm; what agents ask for needs somebody's trust.
        Policy::Allow if !now.trusted && !now.caller.is_person() => Err(Refusal::Untrusted { tool: name() }),
        Policy::Allow => Ok(Authorized(call)),
    }
}

//! Policies: which tools may be called, and which rule decides it.

mod list;
mod set;
mod show;

pub(crate) use list::ListPolicies;
pub(crate) use set::SetPolicy;
pub(super) use set::{ChangedPolicy, SetPolicyInput};
pub(crate) use show::ShowPolicy;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::authorization::Policy;
use toolscout_gateway::policy::LevelName;

/// The policy of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum PolicyValue {
    /// Allow calls.
    Allow,
    /// Require approval for each call.
    Ask,
    /// List the tool, but refuse calls.
    Deny,
    /// Hide the tool, and refuse calls.
    Disable,
}

impl From<PolicyValue> for Policy {
    fn from(value: PolicyValue) -> Self {
        match value {
            PolicyValue::Allow => Self::Allow,
            PolicyValue::Ask => Self::Ask,
            PolicyValue::Deny => Self::Deny,
            PolicyValue::Disable => Self::Disable,
        }
    }
}

/// The level of a policy rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum PolicyLevel {
    /// The user's configuration, for all projects.
    Global,
    /// The project's configuration.
    #[default]
    Project,
    /// The running process, until it stops.
    Session,
}

impl From<PolicyLevel> for LevelName {
    fn from(level: PolicyLevel) -> Self {
        match level {
            PolicyLevel::Global => Self::Global,
            PolicyLevel::Project => Self::Project,
            PolicyLevel::Session => Self::Session,
        }
    }
}

//! Policies: which tools may be called, and which rule decides it.

mod list;
mod set;
mod show;

pub(crate) use list::ListPolicies;
pub(crate) use set::SetPolicy;
pub(crate) use show::ShowPolicy;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::authorization::Policy;
use toolscout_gateway::policy::LevelName;

/// What may be done with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum PolicyValue {
    /// Call it.
    Allow,
    /// Call it after an operator has approved the call.
    Ask,
    /// Show it, and refuse calls.
    Deny,
    /// Hide it.
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

/// Where a policy is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum PolicyLevel {
    /// In the user's own configuration, for all projects.
    Global,
    /// In the project's configuration.
    #[default]
    Project,
    /// In the running server, until it stops.
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

//! Shadowing: leaves out a tool if one of the same name exists in a stronger source, if so
//! configured.

use crate::policy::{Policies, Shadow};
use toolscout_catalog::Snapshot;
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{Diagnostic, DiagnosticKind, Tool};

/// The tool that shadows this one. A disabled tool shadows nothing.
pub(crate) fn shadowing_tool<'a>(
    tool: &Tool,
    all: &'a Snapshot,
    policies: &Policies,
) -> Option<&'a Tool> {
    if policies.shadow != Shadow::Exclude {
        return None;
    }
    let named = all.tools_named(tool.id.name.as_str());
    let own = named.iter().find(|item| item.tool.id == tool.id)?.kind;
    let is_there = |tool: &Tool| policies.effective(tool).policy != Policy::Disable;
    named.iter().find(|item| item.kind < own && is_there(&item.tool)).map(|item| &*item.tool)
}

/// The error for a call of a shadowed tool.
pub(crate) fn refusal(tool: &Tool, shadowing_tool: &Tool) -> AuthorizationError {
    let reason =
        format!("by `shadow = \"exclude\"`, because `{}` has the same name", shadowing_tool.id);
    AuthorizationError::Disabled { tool: tool.id.to_string(), reason }
}

/// Adapts the diagnostic about a shadowed tool if shadowed tools are left out.
pub(crate) fn adapt_diagnostic(mut diagnostic: Diagnostic, policies: &Policies) -> Diagnostic {
    if policies.shadow == Shadow::Exclude && diagnostic.kind == DiagnosticKind::Shadowed {
        diagnostic.message += "; it is excluded by `shadow = \"exclude\"`";
        diagnostic.hint = None;
    }
    diagnostic
}

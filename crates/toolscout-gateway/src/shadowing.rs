//! Shadowing: leaves out a tool if one of the same name exists in a stronger source, if so
//! configured.

use crate::policy::{Policies, Shadow};
use toolscout_catalog::Snapshot;
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{Diagnostic, DiagnosticKind, Tool};

/// The tool that shadows this one. A disabled tool shadows nothing.
pub(crate) fn stronger<'a>(
    tool: &Tool,
    all: &'a Snapshot,
    policies: &Policies,
) -> Option<&'a Tool> {
    if policies.shadow != Shadow::Exclude {
        return None;
    }
    let named = all.named(tool.id.name.as_str());
    let own = named.iter().find(|it| it.tool.id == tool.id)?.origin;
    let is_there = |it: &Tool| policies.effective(it).policy != Policy::Disable;
    named.iter().find(|it| it.origin < own && is_there(&it.tool)).map(|it| &*it.tool)
}

/// The error for a call of a shadowed tool.
pub(crate) fn refusal(tool: &Tool, stronger: &Tool) -> AuthorizationError {
    let because = format!("by `shadow = \"exclude\"`, because `{}` has its name", stronger.id);
    AuthorizationError::Disabled { tool: tool.id.to_string(), because }
}

/// Adapts the diagnostic about a shadowed tool if shadowed tools are left out.
pub(crate) fn told(mut problem: Diagnostic, policies: &Policies) -> Diagnostic {
    if policies.shadow == Shadow::Exclude && problem.kind == DiagnosticKind::Shadowed {
        problem.message += "; it is left out by `shadow = \"exclude\"`";
        problem.hint = None;
    }
    problem
}

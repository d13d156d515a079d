//! Tools that have the name of one from a stronger source, where nobody wants both.

use crate::policy::{Policies, Shadow};
use toolscout_catalog::Snapshot;
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::{Diagnostic, DiagnosticKind, Tool};

/// The tool for whose sake this one is left out. One that is disabled takes nobody's place.
pub(crate) fn stronger<'a>(tool: &Tool, all: &'a Snapshot, policies: &Policies) -> Option<&'a Tool> {
    if policies.shadow != Shadow::Exclude {
        return None;
    }
    let named = all.named(tool.id.name.as_str());
    let own = named.iter().find(|it| it.tool.id == tool.id)?.origin;
    let is_there = |it: &Tool| policies.effective(it).policy != Policy::Disable;
    named.iter().find(|it| it.origin < own && is_there(&it.tool)).map(|it| &*it.tool)
}

/// Why a tool that was left out cannot be called.
pub(crate) fn refusal(tool: &Tool, stronger: &Tool) -> AuthorizationError {
    let because = format!("by `shadow = \"exclude\"`, because `{}` has its name", stronger.id);
    AuthorizationError::Disabled { tool: tool.id.to_string(), because }
}

/// The news that one tool hides another, as it is where the other is left out.
pub(crate) fn told(mut problem: Diagnostic, policies: &Policies) -> Diagnostic {
    if policies.shadow == Shadow::Exclude && problem.kind == DiagnosticKind::Shadowed {
        problem.message += "; it is left out by `shadow = \"exclude\"`";
        problem.hint = None;
    }
    problem
}

//! Policies in configuration files: by tool, by default, and the mode of a run.

use crate::document::Document;
use crate::section::alternatives;
use serde_json::Value;
use std::collections::BTreeMap;
use toolscout_core::authorization::Policy;
use toolscout_core::policy_rules::PolicyPattern;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, escape};

/// Reads the rules of a table. An invalid rule becomes a diagnostic.
pub(crate) fn read_rules(
    default: Option<Policy>,
    entries: BTreeMap<String, String>,
    document: &Document,
    diagnostics: &mut Vec<Diagnostic>,
) -> PolicyRules {
    let mut rules = Vec::new();
    for (pattern, word) in entries {
        let key = ["policies", &pattern];
        if let Err(reason) = check_pattern(&pattern) {
            diagnostics.push(document.warning(&key, reason));
            continue;
        }
        let policy = parse_policy(&word).unwrap_or_else(|| {
            diagnostics.push(
                document
                    .warning(&key, unknown_policy(&format!("the policy of `{pattern}`"), &word)),
            );
            Policy::Deny
        });
        rules.push((pattern, policy));
    }
    PolicyRules { default, rules }
}

/// The mode of a run: the stricter of the two, so that no project loosens the user's mode.
pub(crate) fn combined_mode(user: Option<PolicyMode>, project: Option<PolicyMode>) -> PolicyMode {
    match (user, project) {
        (Some(PolicyMode::ReadOnly), _) | (_, Some(PolicyMode::ReadOnly)) => PolicyMode::ReadOnly,
        (Some(PolicyMode::AllowAll), None) => PolicyMode::AllowAll,
        _ => PolicyMode::Normal,
    }
}

/// Parses a policy word of toolscout or of Lace.
pub(crate) fn parse_policy(word: &str) -> Option<Policy> {
    Policy::from_name(word).or(match word {
        "allow-always" | "allow-project" | "allow-session" => Some(Policy::Allow),
        "require-approval" | "allow-once" => Some(Policy::Ask),
        "deny-always" => Some(Policy::Deny),
        _ => None,
    })
}

/// The message for an unknown policy word. The tool is denied, because a mistyped policy was most
/// likely intended to restrict.
pub(crate) fn unknown_policy(subject: &str, word: &str) -> String {
    format!(
        "{subject} is `{word}`; use {}; until then, `deny` applies",
        alternatives(&Policy::ALL.map(Policy::as_str))
    )
}

/// Validates a pattern; the error is the reason.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), String> {
    if PolicyPattern::parse(pattern).is_some() {
        return Ok(());
    }
    Err(format!(
        "`{}` is not a tool pattern; use `source/tool`, `source/*` or `*`",
        escape::line(pattern)
    ))
}

/// The policy as written in a file.
pub(crate) fn to_value(policy: Policy) -> Value {
    Value::String(policy.as_str().to_owned())
}

//! Policies in configuration files: by tool, by default, and the mode of a run.

use crate::document::Document;
use crate::section::either;
use serde_json::Value;
use std::collections::BTreeMap;
use toolscout_core::authorization::Policy;
use toolscout_core::policy_rules::PolicyPattern;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, escape};

/// Reads the rules of a table. An invalid rule becomes a diagnostic.
pub(crate) fn read(
    default: Option<Policy>,
    written: BTreeMap<String, String>,
    document: &Document,
    problems: &mut Vec<Diagnostic>,
) -> PolicyRules {
    let mut rules = Vec::new();
    for (pattern, word) in written {
        let key = ["policies", &pattern];
        if let Err(reason) = check(&pattern) {
            problems.push(document.warning(&key, reason));
            continue;
        }
        let policy = policy(&word).unwrap_or_else(|| {
            problems.push(
                document.warning(&key, unknown(&format!("the policy of `{pattern}`"), &word)),
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
pub(crate) fn policy(word: &str) -> Option<Policy> {
    Policy::from_word(word).or(match word {
        "allow-always" | "allow-project" | "allow-session" => Some(Policy::Allow),
        "require-approval" | "allow-once" => Some(Policy::Ask),
        "deny-always" => Some(Policy::Deny),
        _ => None,
    })
}

/// The message for an unknown policy word. The tool is denied, because a mistyped policy was most
/// likely intended to restrict.
pub(crate) fn unknown(what: &str, word: &str) -> String {
    format!(
        "{what} is `{word}`; use {}; it is denied until then",
        either(&Policy::ALL.map(Policy::word))
    )
}

/// Validates a pattern; the error is the reason.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    if PolicyPattern::parse(pattern).is_some() {
        return Ok(());
    }
    Err(format!(
        "`{}` matches no tool; use `source/tool`, `source/*` or `*`",
        escape::line(pattern)
    ))
}

/// The policy as written in a file.
pub(crate) fn written(policy: Policy) -> Value {
    Value::String(policy.word().to_owned())
}

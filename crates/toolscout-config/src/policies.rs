//! What files say about policies: by tool, by default, and the mode of a run.

use crate::document::Document;
use crate::section::either;
use serde_json::Value;
use std::collections::BTreeMap;
use toolscout_core::authorization::Policy;
use toolscout_core::policy_rules::PolicyPattern;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, escape};

/// The rules written in a table of a file. One that is invalid becomes a diagnostic.
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
            problems.push(document.warning(&key, unknown(&format!("the policy of `{pattern}`"), &word)));
            Policy::Deny
        });
        rules.push((pattern, policy));
    }
    PolicyRules { default, rules }
}

/// The mode of a run: the tighter of the two, so that no project loosens what the user wants.
pub(crate) fn combined_mode(user: Option<PolicyMode>, project: Option<PolicyMode>) -> PolicyMode {
    match (user, project) {
        (Some(PolicyMode::ReadOnly), _) | (_, Some(PolicyMode::ReadOnly)) => PolicyMode::ReadOnly,
        (Some(PolicyMode::AllowAll), None) => PolicyMode::AllowAll,
        _ => PolicyMode::Normal,
    }
}

/// The policy of this word: one of ours, or of Lace's.
pub(crate) fn policy(word: &str) -> Option<Policy> {
    Policy::from_word(word).or(match word {
        "allow-always" | "allow-project" | "allow-session" => Some(Policy::Allow),
        "require-approval" | "allow-once" => Some(Policy::Ask),
        "deny-always" => Some(Policy::Deny),
        _ => None,
    })
}

/// The message for a word that is no policy. It denies, because a mistyped policy was most likely meant to restrict.
pub(crate) fn unknown(what: &str, word: &str) -> String {
    format!("{what} is `{word}`; use {}; it is denied until then", either(&Policy::ALL.map(Policy::word)))
}

/// Whether this is a pattern, and if not, why.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    if PolicyPattern::parse(pattern).is_some() {
        return Ok(());
    }
    Err(format!("`{}` matches no tool; use `source/tool`, `source/*` or `*`", escape::line(pattern)))
}

/// As it is written in a file.
pub(crate) fn written(policy: Policy) -> Value {
    Value::String(policy.word().to_owned())
}

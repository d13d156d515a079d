//! What files say about who may do what: policies by tool, and the mode of a run.

use super::document::Document;
use super::keys::{Keys, Wrong, either};
use serde_json::Value;
use toolscout_core::door::Policy;
use toolscout_core::{PolicyMode, Problem, ProblemKind, SourceId};

/// The policies of one level, the person's own or the project's. A level below may only tighten what this one says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyRules {
    /// For tools that no rule names.
    pub default: Option<Policy>,
    /// Patterns, `source/tool`, `source/*` or `*`, as they come in the file.
    pub rules: Vec<(String, Policy)>,
}

/// The words for modes in configuration.
const MODES: [(&str, PolicyMode); 3] =
    [("normal", PolicyMode::Normal), ("read-only", PolicyMode::ReadOnly), ("allow-all", PolicyMode::AllowAll)];

/// The mode of a run: the tighter of the two, so that no project loosens what the user wants.
pub(crate) fn combined_mode(user: Option<PolicyMode>, project: Option<PolicyMode>) -> PolicyMode {
    match (user, project) {
        (Some(PolicyMode::ReadOnly), _) | (_, Some(PolicyMode::ReadOnly)) => PolicyMode::ReadOnly,
        (Some(PolicyMode::AllowAll), None) => PolicyMode::AllowAll,
        _ => PolicyMode::Normal,
    }
}

/// What one of our own files says about policies.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) rules: PolicyRules,
    pub(super) mode: Option<PolicyMode>,
}

impl Said {
    pub(super) fn read(keys: &mut Keys, document: &Document, problems: &mut Vec<Problem>) -> Result<Self, Wrong> {
        let words = Policy::ALL.map(|it| (it.word(), it));
        let default = keys.choice("default_policy", &words)?;
        let mode = keys.choice("mode", &MODES)?;
        let mut rules = Vec::new();
        for (pattern, word) in keys.table("policies")? {
            let flaw = |reason| document.flaw(&["policies", &pattern], reason).news();
            if let Err(reason) = check(&pattern) {
                problems.push(Problem::warning(ProblemKind::Setting, flaw(reason)).at(&document.path));
                continue;
            }
            let policy = policy(&word).unwrap_or_else(|| {
                let reason = flaw(unknown(&format!("the policy of `{pattern}`"), &word));
                problems.push(Problem::warning(ProblemKind::Setting, reason).at(&document.path));
                Policy::Deny
            });
            rules.push((pattern, policy));
        }
        Ok(Self { rules: PolicyRules { default, rules }, mode })
    }
}

/// The policy of this word: one of ours, or of Lace's.
pub(super) fn policy(word: &str) -> Option<Policy> {
    Policy::from_word(word).or(match word {
        "allow-always" | "allow-project" | "allow-session" => Some(Policy::Allow),
        "require-approval" | "allow-once" => Some(Policy::Ask),
        "deny-always" => Some(Policy::Deny),
        _ => None,
    })
}

/// What to say about a word that is no policy. Who mistypes one wanted to forbid something more often than not.
pub(super) fn unknown(what: &str, word: &str) -> String {
    format!("{what} is `{word}`; use {}; it is denied until then", either(&Policy::ALL.map(Policy::word)))
}

/// Whether this is a pattern, and if not, why.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    let reason = || {
        let pattern = toolscout_core::escape::line(pattern).into_owned();
        format!("`{pattern}` matches no tool; use `source/tool`, `source/*` or `*`")
    };
    match pattern.split_once('/') {
        None if pattern == "*" => Ok(()),
        Some((source, tool)) if SourceId::new(source).is_ok() && !tool.is_empty() => Ok(()),
        _ => Err(reason()),
    }
}

/// As it is written in a file.
pub(crate) fn written(policy: Policy) -> Value {
    Value::String(policy.word().to_owned())
}

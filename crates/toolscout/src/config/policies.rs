//! What files say about who may do what: policies by tool, and the mode of a run.

use super::document::Document;
use super::keys::{Keys, Wrong, either};
use serde_json::Value;
use toolscout_core::door::Policy;
use toolscout_core::{Problem, ProblemKind, SourceId};

/// The policies of one level, the person's own or the project's. A level below may only tighten what this one says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// For tools that no rule names.
    pub(crate) default: Option<Policy>,
    /// Patterns, `source/tool`, `source/*` or `*`, as they come in the file.
    pub(crate) rules: Vec<(String, Policy)>,
}

/// What holds for all calls, whatever the policies say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    #[default]
    Normal,
    /// Only tools that change nothing.
    ReadOnly,
    /// Nothing is asked.
    AllowAll,
}

impl Mode {
    pub(crate) const WORDS: [(&str, Self); 3] =
        [("normal", Self::Normal), ("read-only", Self::ReadOnly), ("allow-all", Self::AllowAll)];

    /// The mode of a run: of the two the tighter one, so that no project loosens what a person wants.
    pub(super) fn of(user: Option<Self>, project: Option<Self>) -> Self {
        match (user, project) {
            (Some(Self::ReadOnly), _) | (_, Some(Self::ReadOnly)) => Self::ReadOnly,
            (Some(Self::AllowAll), None) => Self::AllowAll,
            _ => Self::Normal,
        }
    }
}

/// What one of our own files says about policies.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) rules: Rules,
    pub(super) mode: Option<Mode>,
}

impl Said {
    pub(super) fn read(keys: &mut Keys, document: &Document, problems: &mut Vec<Problem>) -> Result<Self, Wrong> {
        let words = Policy::ALL.map(|it| (it.word(), it));
        let default = keys.choice("default_policy", &words)?;
        let mode = keys.choice("mode", &Mode::WORDS)?;
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
        Ok(Self { rules: Rules { default, rules }, mode })
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

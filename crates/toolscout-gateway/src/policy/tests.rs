//! 1. Within a level the most specific rule counts, between levels the tightest.
//! 2. `disable` overrides every mode; read-only mode lets only read-only tools run; allow-all mode
//!    lets all others run.
//! 3. A rule that matches nothing is reported.

use super::{LevelName, Mode, Policies};
use serde_json::json;
use toolscout_core::authorization::Policy::{self, Allow, Ask, Deny, Disable};
use toolscout_core::{PolicyRules, RawJson, SourceId, Tool, ToolId, ToolName};

fn tool(source: &str, name: &str) -> Tool {
    Tool::new(ToolId::new(SourceId::new(source).unwrap(), ToolName::new(name).unwrap()))
}

fn level(default: Option<Policy>, rules: &[(&str, Policy)]) -> PolicyRules {
    PolicyRules {
        default,
        rules: rules.iter().map(|(pattern, policy)| ((*pattern).to_owned(), *policy)).collect(),
    }
}

fn effective(policies: &Policies, source: &str, name: &str) -> (Policy, String) {
    let decision = policies.effective(&tool(source, name));
    (decision.policy, decision.reason)
}

/// L-01, L-06: no rules anywhere.
#[test]
fn the_default_policy_is_allow() {
    assert_eq!(effective(&Policies::new(), "fs", "read"), (Allow, "by default".to_owned()));
}

#[test]
fn the_most_specific_rule_of_a_level_counts() {
    let rules =
        level(Some(Deny), &[("*", Ask), ("fs/*", Deny), ("fs/read", Allow), ("git/*", Disable)]);
    let policies = Policies::new().with(LevelName::Global, rules);
    assert_eq!(effective(&policies, "fs", "read").0, Allow);
    assert_eq!(effective(&policies, "fs", "write"), (Deny, "by the global rule `fs/*`".to_owned()));
    assert_eq!(effective(&policies, "git", "log").0, Disable);
    assert_eq!(effective(&policies, "mail", "send").0, Ask);
    let twice = Policies::new()
        .with(LevelName::Global, level(None, &[("fs/read", Deny), ("fs/read", Allow)]));
    assert_eq!(effective(&twice, "fs", "read").0, Deny);
}

/// L-06: a level may only tighten the policy of its parents.
#[test]
fn the_tightest_level_counts() {
    for project in Policy::ALL {
        for session in Policy::ALL {
            let policies = Policies::new()
                .with(LevelName::Project, level(None, &[("fs/read", project)]))
                .with(LevelName::Session, level(Some(session), &[]));
            assert_eq!(
                effective(&policies, "fs", "read").0,
                project.max(session),
                "{project:?} {session:?}"
            );
        }
    }
}

#[test]
fn a_level_may_not_loosen_its_parents() {
    let policies = Policies::new().with(LevelName::Project, level(None, &[("fs/*", Ask)]));
    let id = tool("fs", "read").id;
    assert_eq!(policies.allowed_values(LevelName::Project, &id), Policy::ALL);
    assert_eq!(policies.allowed_values(LevelName::Session, &id), [Ask, Deny, Disable]);
}

/// L-05.
#[test]
fn modes_do_not_enable_disabled_tools() {
    let rules = level(None, &[("s/ask", Ask), ("s/no", Deny), ("s/gone", Disable)]);
    let all = Policies::new().with(LevelName::Global, rules.clone()).in_mode(Mode::AllowAll);
    for (name, expected) in [("plain", Allow), ("ask", Allow), ("no", Allow), ("gone", Disable)] {
        assert_eq!(effective(&all, "s", name).0, expected, "{name}");
    }
    let reading = Policies::new().with(LevelName::Global, rules).in_mode(Mode::ReadOnly);
    for (name, writes, reads) in
        [("plain", Deny, Allow), ("ask", Deny, Ask), ("no", Deny, Deny), ("gone", Disable, Disable)]
    {
        let mut tool = tool("s", name);
        assert_eq!(reading.effective(&tool).policy, writes, "{name}");
        tool.annotations = Some(RawJson::from_value(&json!({"readOnlyHint": true})));
        assert_eq!(reading.effective(&tool).policy, reads, "{name}");
        for odd in [json!("true"), json!(1), json!(null), json!(false)] {
            tool.annotations = Some(RawJson::from_value(&json!({"readOnlyHint": odd})));
            assert_eq!(reading.effective(&tool).policy, writes, "{name} {odd}");
        }
    }
}

/// T20: identity is bytes; a name that only looks the same is another tool, and no rule loosens by
/// mistake.
#[test]
fn names_are_compared_byte_by_byte() {
    let policies = Policies::new()
        .with(LevelName::Global, level(Some(Deny), &[("fs/read", Allow), ("fs/a/b", Allow)]));
    assert_eq!(effective(&policies, "fs", "a/b").0, Allow);
    for name in
        ["Read", "READ", "read ", "rea\u{0064}\u{200b}", "ｒead", "r\u{0435}ad", "fs/read", "*"]
    {
        assert_eq!(effective(&policies, "fs", name).0, Deny, "{name:?}");
    }
}

/// T21.
#[test]
fn dangling_rules_are_reported() {
    let rules = level(
        None,
        &[
            ("fs/read", Deny),
            ("fs/gone", Deny),
            ("old/*", Ask),
            ("fs/*", Ask),
            ("*", Allow),
            ("read", Deny),
            ("FS/read", Deny),
        ],
    );
    let policies = Policies::new().with(LevelName::Project, rules);
    let dangling =
        policies.dangling(|source, name| source == "fs" && name.is_none_or(|name| name == "read"));
    let patterns: Vec<_> = dangling
        .iter()
        .map(|dangling| (dangling.level.as_str(), dangling.pattern.as_str()))
        .collect();
    assert_eq!(
        patterns,
        [("project", "fs/gone"), ("project", "old/*"), ("project", "read"), ("project", "FS/read")]
    );
}

//! Patterns match one tool, some or all of a source, or everything.

use super::*;
use crate::ToolName;

fn source(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

fn matches(patterns: &[&str], source_id: &str, name: &str) -> bool {
    let tool = ToolId::new(source(source_id), ToolName::new(name).expect("a name"));
    ToolPatterns::parse(patterns).expect("patterns").matches(&tool)
}

#[test]
fn a_pattern_matches_one_tool_some_or_all_of_a_source_or_everything() {
    assert!(matches(&["fs/read"], "fs", "read") && !matches(&["fs/read"], "fs", "reads"));
    assert!(
        matches(&["fs/read_*"], "fs", "read_all") && !matches(&["fs/read_*"], "web", "read_all")
    );
    assert!(
        matches(&["fs/*"], "fs", "any")
            && matches(&["fs"], "fs", "any")
            && !matches(&["fs"], "web", "any")
    );
    assert!(matches(&["*"], "fs", "any") && matches(&["*/read_*"], "web", "read_it"));
    assert!(matches(&["fs/a/b"], "fs", "a/b"), "a tool name may contain a slash");
    assert!(!matches(&[], "fs", "any"));
}

#[test]
fn sources_match_completely_partly_or_not_at_all() {
    let patterns = ToolPatterns::parse(["fs/read_*", "web/*", "mail"]).expect("patterns");
    assert!(patterns.may_match(&source("fs")) && !patterns.matches_all_of(&source("fs")));
    assert!(patterns.matches_all_of(&source("web")) && patterns.matches_all_of(&source("mail")));
    assert!(!patterns.may_match(&source("other")));
}

#[test]
fn an_invalid_pattern_is_reported_with_the_valid_forms() {
    for invalid in ["", "/", "fs/", "No Source/x", "a b"] {
        let reason = ToolPatterns::parse(["fs/ok", invalid]).expect_err(invalid);
        assert!(
            reason.contains("source/tool") && reason.contains(&format!("`{invalid}`")),
            "{reason}"
        );
    }
}

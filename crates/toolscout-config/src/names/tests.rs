//! Patterns say which tools are meant, and which sources may have some.

use super::*;

fn names(patterns: &[&str]) -> ToolPatterns {
    ToolPatterns::read(patterns.iter().map(|it| (*it).to_owned()).collect()).expect("patterns")
}

fn source(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

#[test]
fn a_pattern_names_one_tool_some_or_all_of_a_source_or_everything() {
    let of = |patterns: &[&str], id: &str| names(patterns).of_source(&source(id));
    assert_eq!(of(&["fs/read", "fs/read_*", "web/x"], "fs"), ["read", "read_*"]);
    assert_eq!(of(&["fs", "fs/*", "web"], "fs"), ["*", "*"]);
    assert_eq!(of(&["*", "*/read_*"], "web"), ["*", "read_*"]);
    assert_eq!(of(&["fs/a/b"], "fs"), ["a/b"], "a tool's name may have a slash");
    assert_eq!(of(&["fs"], "web"), [""; 0]);
}

#[test]
fn it_is_known_which_sources_may_be_meant_and_which_are_meant_whole() {
    let names = names(&["fs/read_*", "web/*", "mail"]);
    assert!(names.may_name(&source("fs")) && !names.name_all(&source("fs")));
    assert!(names.name_all(&source("web")) && names.name_all(&source("mail")));
    assert!(!names.may_name(&source("other")));
}

#[test]
fn what_is_no_pattern_is_said() {
    for wrong in ["", "/", "fs/", "No Source/x", "a b"] {
        let reason = ToolPatterns::read(vec!["fs/ok".to_owned(), wrong.to_owned()]).expect_err(wrong);
        assert!(reason.contains("source/tool") && reason.contains(&format!("`{wrong}`")), "{reason}");
    }
}

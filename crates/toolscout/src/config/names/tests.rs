//! Patterns say which tools are meant, and which sources may have some.

use super::*;
use toolscout_core::ToolName;

fn names(patterns: &[&str]) -> Names {
    Names::read(patterns.iter().map(|it| (*it).to_owned()).collect()).expect("patterns")
}

fn source(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

fn names_it(patterns: &[&str], of: &str, tool: &str) -> bool {
    names(patterns).filter(&source(of)).lets(&ToolName::new(tool).expect("a name"))
}

#[test]
fn a_pattern_names_one_tool_some_or_all_of_a_source_or_everything() {
    assert!(names_it(&["fs/read"], "fs", "read") && !names_it(&["fs/read"], "fs", "reads"));
    assert!(names_it(&["fs/read_*"], "fs", "read_all") && !names_it(&["fs/read_*"], "web", "read_all"));
    assert!(names_it(&["fs/*"], "fs", "any") && names_it(&["fs"], "fs", "any") && !names_it(&["fs"], "web", "any"));
    assert!(names_it(&["*"], "fs", "any") && names_it(&["*/read_*"], "web", "read_it"));
    assert!(names_it(&["fs/a/b"], "fs", "a/b"), "a tool's name may have a slash");
    assert!(!names_it(&[], "fs", "any"));
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
        let reason = Names::read(vec!["fs/ok".to_owned(), wrong.to_owned()]).expect_err(wrong);
        assert!(reason.contains("source/tool") && reason.contains(&format!("`{wrong}`")), "{reason}");
    }
}

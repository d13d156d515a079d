use super::Survey;
use super::allowed::AllowList;
use super::passages::is_for_tests;
use super::phrases::{PHRASES, PhraseFinder};
use crate::source_text::Passage;

/// The phrases found in a text, as `line: words`.
fn found(text: &str) -> Vec<String> {
    let passage = Passage { line: 1, text: text.to_owned() };
    let (found, _) = PhraseFinder::new(PHRASES).find(&passage);
    found.into_iter().map(|found| format!("{}: {}", found.line, found.words)).collect()
}

/// The phrases found in a file, as `medium line: words`.
fn found_in(file: &str, text: &str) -> Vec<String> {
    let survey = survey(file, text, &AllowList::parse("").unwrap());
    let found = survey.occurrences.into_iter();
    found.map(|one| format!("{:?} {}: {}", one.medium, one.line, one.words)).collect()
}

fn survey(file: &str, text: &str, allowed: &AllowList) -> Survey {
    let mut survey = Survey::default();
    survey.add(file, text, &PhraseFinder::new(PHRASES), allowed);
    survey
}

#[test]
fn retired_words_are_found_in_any_case_and_across_lines() {
    assert_eq!(found("Start it anew.\nMEND the entry"), ["1: anew", "2: mend"]);
    assert_eq!(found("Waits for what\nis left, where nothing runs"), ["1: what is", "2: , where"]);
    assert_eq!(
        found("Ready. Who waits, waits; kept for\nwho may see it"),
        ["1: who waits", "1: for who"]
    );
}

#[test]
fn words_that_only_contain_a_retired_word_are_not_found() {
    assert_eq!(found("Claude Desktop recommends an amendment to the expedition."), [""; 0]);
    assert_eq!(found("A lock is held while the file is written."), [""; 0]);
    assert_eq!(found("The client that connects: a user who signs in."), [""; 0]);
}

#[test]
fn code_in_backticks_is_not_prose() {
    assert_eq!(found("Rust's `edition = \"2024\"` and `anew`\nmend"), ["2: mend"]);
    assert_eq!(found("an open ` quote\n\nends with the paragraph: mend"), ["3: mend"]);
}

#[test]
fn comments_and_strings_of_rust_are_checked_and_strings_of_tests_are_not() {
    let text = "\
/// Mend this.
/// ```
/// mend();
/// ```
fn mend() { print!(\"mend {mend}\\nanew\"); query(\"UPDATE t SET shelf = 1\") }
";
    assert_eq!(
        found_in("crates/x/src/a.rs", text),
        ["Comments 1: mend", "Messages 5: mend", "Messages 5: anew"]
    );
    assert_eq!(found_in("crates/x/src/a/tests.rs", text), ["CommentsOfTests 1: mend"]);
}

#[test]
fn docs_are_checked_without_code_and_link_targets() {
    let text = "# Mend\n\nsee [one](mend.md) `mend`\n```sh\nmend\n```\n- Who reads\n\
                | meanwhile | anew |\n";
    let found = found_in("docs/x.md", text);
    assert_eq!(found, ["Docs 1: mend", "Docs 7: who reads", "Docs 8: meanwhile", "Docs 8: anew"]);
}

#[test]
fn a_column_of_words_not_to_use_may_list_them() {
    let text = "| word | do not use |\n|---|---|\n| fix | mend |\n| desk | |\n\n| mend | anew |\n";
    assert_eq!(found_in("a.md", text), ["Docs 4: desk", "Docs 6: mend", "Docs 6: anew"]);
}

#[test]
fn the_web_ui_is_checked() {
    let folder = "crates/toolscout-surface/src/page/site";
    let script = "// Mends a row.\nel(\"p\", {}, `start it ${anew} anew`);\n";
    assert_eq!(
        found_in(&format!("{folder}/a.js"), script),
        ["Comments 1: mends", "Messages 2: anew"]
    );
    assert_eq!(
        found_in(&format!("{folder}/a.html"), "<p class=\"desk\">\nmend</p>"),
        ["Messages 2: mend"]
    );
    assert_eq!(found_in("crates/x/tests/a.js", script), [""; 0]);
}

#[test]
fn comments_of_manifests_are_checked() {
    let text = "# Mend it.\nname = \"a # b mend\" \nedition = \"2024\"\n";
    assert_eq!(found_in("crates/x/Cargo.toml", text), ["Comments 1: mend"]);
}

#[test]
fn rates_are_per_ten_thousand_words_and_rounded_up() {
    let words = "word ".repeat(9_999);
    let nothing = AllowList::parse("").unwrap();
    let rates = survey("docs/x.md", &format!("{words} anew"), &nothing).rates();
    assert_eq!(rates.into_values().collect::<Vec<_>>(), [1]);
    let rates = survey("docs/x.md", &format!("{words} {words} anew"), &nothing).rates();
    assert_eq!(rates.into_values().collect::<Vec<_>>(), [1]);
    let rates = survey("docs/x.md", "anew", &nothing).rates();
    assert_eq!(rates.into_values().collect::<Vec<_>>(), [10_000]);
}

#[test]
fn an_allowed_phrase_is_allowed_in_its_file_only() {
    let list = "# comment\n\ndocs/x.md | anew | a quotation\ndocs/old/ | * | as released\n\
                a.md | mend | none\n";
    let allowed = AllowList::parse(list).unwrap();
    let count = |file: &str, text: &str| survey(file, text, &allowed).occurrences.len();
    assert_eq!(count("docs/x.md", "anew"), 0);
    assert_eq!(count("docs/x.md", "mend"), 1);
    assert_eq!(count("docs/y.md", "anew"), 1);
    assert_eq!(count("docs/old/y.md", "mend anew"), 0);
    assert_eq!(allowed.unused().collect::<Vec<_>>(), ["5: `a.md | mend`"]);
    assert!(AllowList::parse("a.md | mend").is_err(), "an entry without a reason");
}

#[test]
fn code_for_tests_is_recognised_by_its_path() {
    assert!(is_for_tests("crates/x/src/a/tests.rs") && is_for_tests("crates/x/examples/a.rs"));
    assert!(!is_for_tests("crates/x/src/tests_of_servers.rs"));
}

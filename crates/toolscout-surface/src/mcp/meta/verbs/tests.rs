//! The fast search for the first verb agrees with the search over all words.

use super::{MAX_VERB_LENGTH, VERBS, first_verb, verb, words};
use proptest::prelude::*;

fn first_verb_by_words(name: &str) -> Option<&'static str> {
    words(name).iter().find_map(|word| verb(word))
}

#[test]
fn verbs_are_sorted_and_none_is_longer_than_the_longest() {
    assert!(VERBS.is_sorted());
    assert_eq!(VERBS.iter().map(|verb| verb.len()).max(), Some(MAX_VERB_LENGTH));
}

#[test]
fn a_verb_is_found_however_a_name_is_written() {
    for (name, expected) in [
        ("createIssue", Some("create")),
        ("git_list-files", Some("list")),
        ("APIGet", None),
        ("myGetUser", Some("get")),
        ("getters", None),
        ("süßget_read", Some("get")),
        ("get2", None),
        ("", None),
    ] {
        assert_eq!((first_verb(name), first_verb_by_words(name)), (expected, expected), "{name}");
    }
}

proptest! {
    #[test]
    fn both_searches_agree(name in "([a-zA-Z]{0,3}(get|Get|READ|send|update)?[_ .0-9ü-]?){0,6}") {
        prop_assert_eq!(first_verb(&name), first_verb_by_words(&name));
    }
}

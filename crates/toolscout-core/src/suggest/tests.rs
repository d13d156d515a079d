//! 1. Small typing mistakes are corrected.
//! 2. Words that differ too much are not.
//! 3. A unique prefix is enough.

use super::nearest;

/// S-20: `rn` is nearest to `run`.
#[test]
fn missing_swapped_and_wrong_letters_are_corrected() {
    let commands = ["search", "server", "run", "tools"];
    assert_eq!(nearest("rn", commands), Some("run"));
    assert_eq!(nearest("serach", commands), Some("search"));
    assert_eq!(nearest("tolls", commands), Some("tools"));
    assert_eq!(nearest("alow-reload", ["allow-reload", "reload"]), Some("allow-reload"));
}

#[test]
fn nothing_is_suggested_for_a_word_without_a_near_candidate() {
    assert_eq!(nearest("frobnicate", ["search", "run"]), None);
    assert_eq!(nearest("x", ["y", "z"]), None);
    assert_eq!(nearest("", ["a"]), None);
    assert_eq!(nearest(&"a".repeat(100_000), ["a"]), None);
}

#[test]
fn the_only_candidate_with_this_prefix_is_suggested() {
    assert_eq!(nearest("comp", ["completion", "call"]), Some("completion"));
    assert_eq!(nearest("comp", ["completion", "composition"]), None);
}

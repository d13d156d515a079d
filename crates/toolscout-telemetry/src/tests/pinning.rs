//! Only tools whose pinning saves tokens are suggested.

use super::count;
use super::counting::lines;
use crate::stats::{PinSuggestion, PinSuggestions, suggest};

const STORY: &str = "
    1 agent one search mail: mail/send
    1 agent one answer 400
    2 agent one call mail/send done 1
    3 agent one search mail again: mail/send
    3 agent one answer 600
    4 agent one call mail/send done 1
    11 agent two search two things: mail/send post/send
    11 agent two answer 900
    12 agent two call mail/send done 1
    13 agent two call post/send done 1
    21 agent two search once: files/read
    21 agent two answer 900
    22 agent two call files/read done 1
    31 cli - search mail: mail/send
    32 cli - call mail/send done 1
";

fn pins(story: &str, definition: impl Fn(&str) -> Option<u64>) -> PinSuggestions {
    suggest(&count(lines(story).iter().map(String::as_str)), Some("/p"), definition)
}

#[test]
fn avoidable_search_tokens_are_compared_with_the_definition() {
    let pins = pins(STORY, |_| Some(120));
    assert_eq!(pins.sessions, 2, "sessions at a terminal have no tool list");
    // A search that led to calls of two tools is not counted, and `files/read` was searched for
    // only once.
    let mail = PinSuggestion {
        tool: "mail/send".to_owned(),
        sessions: 2,
        searches: 2,
        search_tokens: 500,
        definition_tokens: 120,
        saved_tokens: 380,
    };
    assert_eq!(pins.pins, [mail]);
}

#[test]
fn pins_that_save_nothing_are_not_suggested() {
    assert_eq!(pins(STORY, |_| Some(500)).pins, []);
    assert_eq!(pins(STORY, |_| None).pins, []);
}

#[test]
fn the_best_pins_come_first_up_to_a_limit() {
    let search = |at: usize, tool: usize| {
        format!(
            "{at} a s search q{at}: t/tool{tool}\n{at} a s answer {}\n{at} a s call t/tool{tool} done 1\n",
            1_000 + tool
        )
    };
    let story: String = (0..90).map(|at| search(at, at / 3)).collect();
    let pins = pins(&story, |_| Some(10));
    assert_eq!(pins.pins.len(), 20);
    assert_eq!(pins.pins[0].tool, "t/tool29");
    assert!(pins.pins.is_sorted_by(|one, other| one.saved_tokens >= other.saved_tokens));
}

#[test]
fn only_sessions_of_the_project_count() {
    let other = lines(STORY)
        .iter()
        .map(|line| line.replace(r#""project":"/p""#, r#""project":"/q""#))
        .collect::<Vec<_>>();
    let pins = suggest(&count(other.iter().map(String::as_str)), Some("/p"), |_| Some(1));
    assert_eq!((pins.sessions, pins.pins.len()), (0, 0));
}
